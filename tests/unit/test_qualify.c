// SPDX-License-Identifier: BSD-3-Clause
/* Procedures of C++ without linkage names have those that a reader of the source would give them.
 */
#include "tests/unit/test.h"

#include <link.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"
#include "tests/unit/names_cxx.h"

static uint64_t base;

/* Takes the base of the first object in the loader's list, which is the program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

TEST(names_have_their_scopes)
{
	static const struct {
		uint64_t (*address)(void);
		const char *begins, *ends; /* as compilers differ in the middle */
	} rows[] = {
		{ names_of_unnamed_namespace, "(anonymous namespace)::Kernel::go", "" },
		{ names_of_template, "shop::Grid<", ">::each" },
		{ names_of_lambda, "names_of_lambda::{lambda", "}::operator()" },
		{ names_of_c, "names_of_c", "" },
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
		const char *name = "none";
		size_t n_ends = strlen(rows[i].ends), n;

		if (ep_object_frames(object, rows[i].address() - base, frames) && frames[0].name)
			name = frames[0].name;
		EP_AUTOFREE char *readable = ep_demangle(name, false);

		name = readable ? readable : name;
		n = strlen(name);
		CHECK(!strncmp(name, rows[i].begins, strlen(rows[i].begins)));
		CHECK(n >= n_ends && !strcmp(name + n - n_ends, rows[i].ends));
		if (!n_ends)
			CHECK_STR(name, rows[i].begins);
	}
	ep_object_destroy(object);
}
