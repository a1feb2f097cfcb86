// SPDX-License-Identifier: BSD-3-Clause
/* A parallel region is named by the procedure that it lies in. */
#include "tests/unit/test.h"

#include <link.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"
#include "tests/unit/regions_cxx.h"

static uint64_t base;

/* Takes the base of the first object in the loader's list, which is the program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

TEST(regions_are_named_by_their_procedures)
{
	static const struct {
		uint64_t (*address)(void);
		const char *procedure;
	} rows[] = {
		{ region_of_c, "region_of_c" },
		{ region_of_method, "lab::Grid::sum" },
		{ region_of_template, "lab::twice<long>" },
	};
	char self[4096] = "";
	struct ep_object_question question = { .path = self };
	enum ep_module_status status;
	struct ep_object *object;

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	dl_iterate_phdr(take_base, NULL);
	object = ep_object_open(&question, &status);
	CHECK(object);
	for (size_t i = 0; object && i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_raw_frame frames[EP_MAX_INLINED];
		size_t n = strlen(rows[i].procedure);
		const char *name = "none", *suffix;

		if (ep_object_frames(object, rows[i].address() - base, frames) && frames[0].name)
			name = frames[0].name;
		EP_AUTOFREE char *readable = ep_demangle(name, true);

		name = readable ? readable : name;
		suffix = ep_parallel_region_suffix(name);
		if (!suffix || strncmp(name, rows[i].procedure, n) || suffix != name + n)
			CHECK_STR(name, rows[i].procedure);
	}
	ep_object_destroy(object);
}
