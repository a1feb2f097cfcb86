// SPDX-License-Identifier: BSD-3-Clause
/* Prepared sets make the plans that formula files make. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/plan_prepared.h"
#include "counters/settings.h"

/* Once, since reading all formula files takes a while. */
static const char *prepare(size_t *out_size)
{
	static char *text;
	static size_t size;
	struct ep_error err = { .message = "" };
	char root[4096];
	FILE *out;

	*out_size = size;
	if (text)
		return text;
	out = open_memstream(&text, &size);

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", root, 1);
	CHECK_MSG(!ep_event_plans_prepare(out, &err), "%s", err.message);
	CHECK_INT(fclose(out), 0);
	*out_size = size;
	return text;
}

static bool knows_short_names(const char *name)
{
	return strlen(name) < 20;
}

/* The reason or the events, allocated. */
static char *outcome(int rc, struct ep_event_plan *plan, const struct ep_error *err)
{
	char *text = NULL;

	if (!rc)
		text = ep_event_plan_events(plan);
	else if (asprintf(&text, "%d %s", rc, rc == -ENOENT ? "" : err->message) < 0)
		text = NULL;
	if (!rc)
		ep_event_plan_destroy(plan);
	return text;
}

static void compare(const char *text, size_t size, const struct ep_event_plan_request *request)
{
	struct ep_error err = { .message = "" };
	struct ep_event_plan *plan = NULL;
	int rc = ep_event_plan_create(request, &plan, &err);
	EP_AUTOFREE char *expected = outcome(rc, plan, &err);

	rc = ep_event_plan_from_prepared(text, size, "no-such-cpu", request, &plan, &err);
	EP_AUTOFREE char *got = outcome(rc, plan, &err);
	CHECK_MSG(expected && got && !strcmp(expected, got),
		"%s of %s with %u counters: '%s', expected '%s'", request->models, request->cpu,
		request->n_counters, got, expected);
}

TEST(plans_are_those_of_the_formula_files)
{
	static const char *const cpus[] = { "skx", "spr", "zen4", "a64fx", "power9", "generic" };
	static const char *const models[] = { "topdown,lcpi", "caches,memory,software",
		"nonsense,topdown" };
	static const uint32_t n_counters[] = { 0, 3 };
	size_t size;
	const char *text = prepare(&size);

	for (size_t i = 0; i < EP_ARRAY_SIZE(cpus); i++)
		for (size_t k = 0; k < EP_ARRAY_SIZE(models); k++)
			for (size_t n = 0; n < EP_ARRAY_SIZE(n_counters); n++) {
				struct ep_event_plan_request request = { .models = models[k],
					.cpu = cpus[i],
					.n_counters = n_counters[n],
					.is_known = n ? knows_short_names : NULL };

				compare(text, size, &request);
			}
}

/* By the identifier, and with no model named: what 'evprof run' takes by itself. */
TEST(a_cpu_s_own_models)
{
	static const struct {
		const char *cpuid, *cpu; /* NULL: nobody serves it */
	} rows[] = {
		{ "GenuineIntel-6-55-4", "skx" },
		{ "GenuineIntel-6-8F-8", "spr" },
		{ "GenuineIntel-6-CF-2", "spr" },
		{ "AuthenticAMD-25-17-1", "zen4" },
		{ "0x00000000410fd0c0", "neoverse-n1" },
		{ "2.2 (pvr 004e 1202)", "power9" },
		{ "GenuineIntel-6-3C-3", NULL },
		{ "", NULL },
	};
	size_t size;
	const char *text = prepare(&size);

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_event_plan_request request = { .models = NULL };
		struct ep_event_plan *plan = NULL;
		struct ep_error err = { .message = "" };
		int rc = ep_event_plan_from_prepared(
			text, size, rows[i].cpuid, &request, &plan, &err);
		EP_AUTOFREE char *got = outcome(rc, plan, &err);

		CHECK_INT(rc, rows[i].cpu ? 0 : -ENODATA);
		if (!rows[i].cpu)
			continue;
		request.cpu = rows[i].cpu;
		request.models = ep_event_plan_default_models(rows[i].cpu);
		CHECK_INT(ep_event_plan_create(&request, &plan, &err), 0);
		EP_AUTOFREE char *expected = outcome(0, plan, &err);
		CHECK_STR(got, expected);
		/* with codes it fits where the library keeps it */
		request.with_codes = true;
		CHECK_INT(ep_event_plan_create(&request, &plan, &err), 0);
		EP_AUTOFREE char *coded = outcome(0, plan, &err);
		CHECK_MSG(strlen(coded) < 2 * EP_SETTING_MAX_BYTES, "%zu bytes", strlen(coded));
	}
}

#define TABLE                                                                                          \
	"evprof-events 1\ncpu = c\nalways = CYC\ncounters = 2\nevent\tcode\tcounters\topen\tmeaning\n" \
	"CYC\tevent=0x3c,umask=0x00\tfixed:1|any\t-\tcycles\nA:B\tevent=0x12,umask=0x34\tany\t-\tboth\n"
#define MODELS "model\tm\nmetric\tM\tshown\t-\tA:B CYC\nmetric\tN\tshown\tlat\t\n"

static size_t write_small(char *out, size_t capacity)
{
	return (size_t)snprintf(out, capacity,
		EP_PREPARED_FORMAT " " EVPROF_VERSION
				   "\ncpu\tc\tC-[12]\tm\t%zu\t%zu\n" TABLE MODELS,
		strlen(TABLE), strlen(MODELS));
}

TEST(names_come_with_their_codes)
{
	char text[1000];
	size_t size = write_small(text, sizeof(text));
	struct ep_event_plan_request request = { .with_codes = true };
	struct ep_error err = { .message = "" };
	struct ep_event_plan *plan = NULL;
	int rc = ep_event_plan_from_prepared(text, size, "C-2-7", &request, &plan, &err);
	EP_AUTOFREE char *got = outcome(rc, plan, &err);

	CHECK_STR(got, "CYC=r3c,A:B=r3412");
}

/* Every beginning of a file, in memory that ends where the text does, and every byte of it changed. */
TEST(damaged_files_are_refused)
{
	char whole[1000];
	size_t size = write_small(whole, sizeof(whole));
	struct ep_event_plan_request request = { .models = "m" };

	for (size_t i = 0; i < 2 * size; i++) {
		size_t n = i < size ? i : size;
		EP_AUTOFREE char *text = malloc(n + !n);
		struct ep_event_plan *plan = NULL;
		struct ep_error err = { .message = "" };

		memcpy(text, whole, n);
		if (i >= size)
			text[i - size] ^= 1 << i % 7;
		int rc = ep_event_plan_from_prepared(text, n, "C-1", &request, &plan, &err);
		CHECK_MSG(rc || i >= size, "%zu bytes of %zu make a plan", n, size);
		if (!rc)
			ep_event_plan_destroy(plan);
	}
}

/* The memory for a metric's events has room for as many names as its line can hold. */
TEST(names_of_nothing_are_damage)
{
	static const char *const names[] = { "     ", "A  B", " A", "                A:B" };
	struct ep_event_plan_request request = { .models = "m" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++) {
		EP_AUTOFREE char *models = NULL, *text = NULL;
		struct ep_event_plan *plan = NULL;
		struct ep_error err = { .message = "" };
		int size = asprintf(&models, "model\tm\nmetric\tM\tshown\t-\t%s\n", names[i]);

		size = asprintf(&text,
			EP_PREPARED_FORMAT " " EVPROF_VERSION "\ncpu\tc\tC\tm\t0\t%d\n%s", size,
			models);
		CHECK_INT(
			ep_event_plan_from_prepared(text, (size_t)size, "C", &request, &plan, &err),
			-EBADMSG);
		CHECK_MSG(strstr(err.message, "damaged"), "%s", err.message);
	}
}

TEST(another_version_s_file_is_stale)
{
	static const char text[] = "evprof-plans 1 0.0.1\n";
	struct ep_event_plan_request request = { .models = "m" };
	struct ep_event_plan *plan = NULL;
	struct ep_error err = { .message = "" };

	CHECK_INT(ep_event_plan_from_prepared(text, strlen(text), "C", &request, &plan, &err),
		-ESTALE);
}
