// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "counters/settings.h"

TEST(periods_and_rates)
{
	static const struct {
		const char *text;
		uint64_t ns; /* 0: refused */
	} rows[] = {
		{ "50us", 50000 },
		{ "2ms", 2000000 },
		{ "1s", 1000000000 },
		{ "1e6", 1000000 },
		{ "2000Hz", 500000 },
		{ "2.5ms", 2500000 },
		{ ".5s", 500000000 },
		{ "4kHz", 250000 },
		{ "1.5e-3s", 1500000 },
		{ "100000", 100000 },
		{ "3Hz", 333333333 },
		{ "1e+6ns", 1000000 },
		{ "49us", 0 },
		{ "1.1s", 0 },
		{ "20001Hz", 0 },
		{ "0", 0 },
		{ "", 0 },
		{ "ms", 0 },
		{ "2 ms", 0 },
		{ "-2ms", 0 },
		{ "2ms ", 0 },
		{ "1e", 0 },
		{ "1e999s", 0 },
		{ "nan", 0 },
		{ "inf", 0 },
		{ "0x10000", 0 },
		{ "1..5ms", 0 },
		{ "1,5ms", 0 },
		{ "1MHz", 0 },
		{ "1e-99s", 0 },
		{ "0Hz", 0 },
		{ "99999999999999999999999999999999", 0 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_error err = { .message = "" };
		uint64_t ns = 7;
		int rc = ep_period_parse(rows[i].text, &ns, &err);

		CHECK_MSG(rc == (rows[i].ns ? 0 : -EINVAL), "%s: %d", rows[i].text, rc);
		CHECK_MSG(ns == (rows[i].ns ? rows[i].ns : 7), "%s: %llu ns", rows[i].text,
			(unsigned long long)ns);
		CHECK_MSG(!rc == !err.message[0], "%s: message '%s'", rows[i].text, err.message);
	}
}

static int set(
	struct ep_settings *settings, const char *variable, const char *value, struct ep_error *err)
{
	for (const struct ep_setting *row = ep_settings_table; row->variable; row++)
		if (!strcmp(row->variable, variable))
			return row->read(settings, value, err);
	return -ENOENT;
}

TEST(defaults)
{
	struct ep_settings settings;

	ep_settings_init(&settings);
	CHECK_STR(settings.events, "");
	CHECK_STR(settings.source, "auto");
	CHECK_STR(settings.output, "trace.gz");
	CHECK_STR(settings.include, "");
	CHECK_STR(settings.exclude, "");
	CHECK_STR(settings.models, "");
	CHECK_INT(settings.period_ns, 0);
	CHECK(!settings.quiet);
}

TEST(values_reach_their_fields_and_an_empty_one_leaves_the_default)
{
	struct ep_settings settings;
	struct ep_error err;

	ep_settings_init(&settings);
	CHECK_INT(set(&settings, "EVPROF_EVENTS", "cycles,instructions;cs", &err), 0);
	CHECK_STR(settings.events, "cycles,instructions;cs");
	CHECK_INT(set(&settings, "EVPROF_SOURCE", "sim:a/b.tsv,counters=4", &err), 0);
	CHECK_STR(settings.source, "sim:a/b.tsv,counters=4");
	CHECK_INT(set(&settings, "EVPROF_OUTPUT", "t-%p-%h-%r-%%.gz", &err), 0);
	CHECK_STR(settings.output, "t-%p-%h-%r-%%.gz");
	CHECK_INT(set(&settings, "EVPROF_OUTPUT", "", &err), 0);
	CHECK_STR(settings.output, "t-%p-%h-%r-%%.gz");
	CHECK_INT(set(&settings, "EVPROF_INCLUDE", "a*,b", &err), 0);
	CHECK_STR(settings.include, "a*,b");
	CHECK_INT(set(&settings, "EVPROF_EXCLUDE", "sh", &err), 0);
	CHECK_STR(settings.exclude, "sh");
	CHECK_INT(set(&settings, "EVPROF_MODELS", "topdown", &err), 0);
	CHECK_STR(settings.models, "topdown");
	CHECK_INT(set(&settings, "EVPROF_DEBUG", "/tmp/why", &err), 0);
	CHECK_STR(settings.debug, "/tmp/why");
	CHECK_INT(set(&settings, "EVPROF_PERIOD", "2ms", &err), 0);
	CHECK_INT(settings.period_ns, 2000000);
	CHECK_INT(set(&settings, "EVPROF_PERIOD", "auto", &err), 0);
	CHECK_INT(settings.period_ns, 0);
	CHECK_INT(set(&settings, "EVPROF_MAX_SIZE", "1.5M", &err), 0);
	CHECK_INT(settings.max_bytes, 3 << 19);
	CHECK_INT(set(&settings, "EVPROF_MAX_SIZE", "64K", &err), 0);
	CHECK_INT(settings.max_bytes, 65536);
	CHECK_INT(set(&settings, "EVPROF_MAX_SIZE", "100000", &err), 0);
	CHECK_INT(settings.max_bytes, 100000);
	CHECK_INT(set(&settings, "EVPROF_QUIET", "1", &err), 0);
	CHECK(settings.quiet);
	CHECK(!settings.kernel);
	CHECK_INT(set(&settings, "EVPROF_KERNEL", "1", &err), 0);
	CHECK(settings.kernel);
	CHECK_INT(set(&settings, "EVPROF_QUIET", "0", &err), 0);
	CHECK(!settings.quiet);
}

TEST(bad_values_are_named_and_change_nothing)
{
	static char too_long[EP_SETTING_MAX_BYTES + 1];
	memset(too_long, 'x', sizeof(too_long) - 1);
	static const struct {
		const char *variable, *value, *in_message;
	} rows[] = {
		{ "EVPROF_SOURCE", "pref", "'pref' is not one of" },
		{ "EVPROF_SOURCE", "sim", "sim:TABLE" },
		{ "EVPROF_SOURCE", "sim:", "sim:TABLE" },
		{ "EVPROF_SOURCE", "perf:x", "takes no argument" },
		{ "EVPROF_SOURCE", "per", "'per' is not one of" },
		{ "EVPROF_PERIOD", "fast", "'fast'" },
		{ "EVPROF_QUIET", "yes", "'yes'" },
		{ "EVPROF_MAX_SIZE", "much", "'much'" },
		{ "EVPROF_MAX_SIZE", "10MB", "'10MB'" },
		{ "EVPROF_MAX_SIZE", "10k", "'10k'" },
		{ "EVPROF_MAX_SIZE", "10K", "'10K'" },
		{ "EVPROF_MAX_SIZE", "-1G", "'-1G'" },
		{ "EVPROF_OUTPUT", "t%d.gz", "'t%d.gz'" },
		{ "EVPROF_OUTPUT", "t%", "'t%'" },
		{ "EVPROF_EVENTS", too_long, "longer than" },
	};
	struct ep_settings settings, before;

	ep_settings_init(&settings);
	before = settings;
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_error err = { .message = "" };

		CHECK_INT(set(&settings, rows[i].variable, rows[i].value, &err), -EINVAL);
		CHECK_MSG(strstr(err.message, rows[i].in_message), "%s=%.20s: '%s'",
			rows[i].variable, rows[i].value, err.message);
		CHECK_INT(memcmp(&settings, &before, sizeof(settings)), 0);
	}
}
