// SPDX-License-Identifier: BSD-3-Clause
/*
 * The table of settings, and the functions that read their values. Runs while the library starts and in the launcher:
 * it uses no allocation, no stdio and no locale (so libc's functions do not read the numbers).
 */
#include "settings.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/size.h"
#include "counters/source_list.h"

#define MAX_SIZE_MIN 65536 /* bytes of the largest gzip member of a trace */

void ep_settings_init(struct ep_settings *out_settings)
{
	*out_settings = (struct ep_settings){
		.events = "",
		.source = "auto",
		.output = "trace.gz",
		.include = "",
		.exclude = "",
		.debug = "",
		.models = "",
		.unwind = "",
		.keep = true,
		.interpreters = true,
	};
}

/* ---- periods ---- */

struct unit {
	const char *name;
	double scale; /* ns of the unit; for a rate: ns times Hz */
	bool is_rate;
};

static const struct unit units[] = {
	{ "", 1, false },
	{ "ns", 1, false },
	{ "us", 1e3, false },
	{ "ms", 1e6, false },
	{ "s", 1e9, false },
	{ "Hz", 1e9, true },
	{ "hz", 1e9, true },
	{ "kHz", 1e6, true },
	{ "khz", 1e6, true },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads "e6", "e-3" or nothing, with at most two digits, and scales *value. Returns the text after the exponent; NULL:
 * the exponent is wrong. */
static const char *read_exponent(const char *text, double *value)
{
	int sign = 1, exponent = 0, n_digits = 0;
	const char *at = text + 1;

	if (*text != 'e' && *text != 'E')
		return text;
	if (*at == '+' || *at == '-')
		sign = *at++ == '-' ? -1 : 1;
	for (; is_digit(*at); at++) {
		exponent = exponent * 10 + (*at - '0');
		if (++n_digits > 2)
			return NULL;
	}
	*value = ep_scale_by_ten(*value, sign * exponent);
	return n_digits ? at : NULL;
}

static const struct unit *find_unit(const char *name)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

int ep_period_parse(const char *text, uint64_t *out_ns, struct ep_error *err)
{
	double value = 0, ns = 0;
	const char *rest = ep_decimal_read(text, &value);

	rest = rest ? read_exponent(rest, &value) : NULL;
	const struct unit *unit = rest ? find_unit(rest) : NULL;
	if (unit && value > 0)
		ns = unit->is_rate ? unit->scale / value : unit->scale * value;
	if (ns < EP_PERIOD_MIN_NS || ns > EP_PERIOD_MAX_NS)
		return ep_fail(err, -EINVAL,
			"period '%.200s' is not a time from 50us to 1s or a rate from 1Hz to 20kHz, as in 2ms or 500Hz",
			text);
	*out_ns = (uint64_t)(ns + 0.5);
	return 0;
}

/* ---- one reader for each setting; an empty value keeps the default ---- */

static int keep_text(const char **field, const char *value, const char *what, struct ep_error *err)
{
	if (strlen(value) >= EP_SETTING_MAX_BYTES)
		return ep_fail(
			err, -EINVAL, "%s: longer than %d bytes", what, EP_SETTING_MAX_BYTES - 1);
	if (value[0])
		*field = value;
	return 0;
}

static int read_events(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	return keep_text(&settings->events, value, "events", err);
}

static int read_output(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	for (const char *at = strchr(value, '%'); at; at = strchr(at + 2, '%'))
		if (!at[1] || !strchr("phr%", at[1]))
			return ep_fail(err, -EINVAL,
				"output '%.200s': after '%%' only p (pid), h (host), r (MPI rank) or %% may stand",
				value);
	return keep_text(&settings->output, value, "output", err);
}

static int read_include(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	return keep_text(&settings->include, value, "include", err);
}

static int read_exclude(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	return keep_text(&settings->exclude, value, "exclude", err);
}

static int read_debug(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	return keep_text(&settings->debug, value, "debug", err);
}

static int read_models(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	return keep_text(&settings->models, value, "models", err);
}

#define SOURCE_NAME(name, argument) { #name, argument },

static const struct source_name {
	const char *name, *argument;
} source_names[] = { { "auto", NULL }, EP_SOURCES(SOURCE_NAME) };

static int read_source(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	size_t size = strcspn(value, ":");
	const char *argument = value[size] ? value + size + 1 : NULL;

	if (!value[0])
		return 0;
	for (size_t i = 0; i < EP_ARRAY_SIZE(source_names); i++) {
		const struct source_name *row = &source_names[i];

		if (strlen(row->name) != size || strncmp(row->name, value, size))
			continue;
		if (row->argument && (!argument || !argument[0]))
			return ep_fail(err, -EINVAL, "source '%s': name a table, as in %s:%s",
				row->name, row->name, row->argument);
		if (!row->argument && argument)
			return ep_fail(err, -EINVAL, "source '%.200s': '%s' takes no argument",
				value, row->name);
		return keep_text(&settings->source, value, "source", err);
	}
	return ep_fail(err, -EINVAL,
		"source '%.200s' is not one of auto, perf, sim:TABLE, valgrind, papi, rusage",
		value);
}

static int read_period(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	if (!value[0] || !strcmp(value, "auto")) {
		settings->period_ns = 0;
		return 0;
	}
	return ep_period_parse(value, &settings->period_ns, err);
}

static int read_max_size(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	uint64_t bytes;

	if (!value[0])
		return 0;
	if (ep_size_parse(value, &bytes) || bytes < MAX_SIZE_MIN)
		return ep_fail(err, -EINVAL,
			"max-size '%.200s' is not a size from 64k on, as in 500k, 100M or 2G",
			value);
	settings->max_bytes = bytes;
	return 0;
}

static int read_switch(bool *field, const char *value, const char *what, struct ep_error *err)
{
	if (strcmp(value, "1") && strcmp(value, "0") && value[0])
		return ep_fail(err, -EINVAL, "%s '%.200s' is neither 0 nor 1", what, value);
	*field = value[0] == '1';
	return 0;
}

static int read_kernel(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	return read_switch(&settings->kernel, value, "kernel", err);
}

static int read_ticks(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	static const char *const names[] = { "auto", "time", "events" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(names) && value[0]; i++)
		if (!strcmp(value, names[i])) {
			settings->ticks = (enum ep_ticks)i;
			return 0;
		}
	return value[0] ? ep_fail(err, -EINVAL, "ticks '%.200s' is not one of auto, time, events",
				  value)
			: 0;
}

static int read_waits(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	if (value[0] && strcmp(value, "on") && strcmp(value, "off"))
		return ep_fail(err, -EINVAL, "waits '%.200s' is neither on nor off", value);
	settings->waits = !strcmp(value, "on");
	return 0;
}

static int read_unwind(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	static const char *const names[] = { "", "own", "frame-pointers", "libunwind" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++)
		if (!strcmp(value, names[i])) {
			settings->unwind = names[i];
			return 0;
		}
	return ep_fail(err, -EINVAL, "unwind '%.200s' is not one of own, frame-pointers, libunwind",
		value);
}

static int read_quiet(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	return read_switch(&settings->quiet, value, "quiet", err);
}

static int read_keep(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	bool is_on = !strcmp(value, "on");

	if (value[0] && !is_on && strcmp(value, "off"))
		return ep_fail(err, -EINVAL, "keep '%.200s' is neither on nor off", value);
	settings->keep = is_on || !value[0];
	return 0;
}

static int read_interpreters(struct ep_settings *settings, const char *value, struct ep_error *err)
{
	bool is_on = !strcmp(value, "on");

	if (value[0] && !is_on && strcmp(value, "off"))
		return ep_fail(err, -EINVAL, "interpreters '%.200s' is neither on nor off", value);
	settings->interpreters = is_on || !value[0];
	return 0;
}

const struct ep_setting ep_settings_table[] = {
	{ "EVPROF_EVENTS", "events", 'e', "EVENT[,EVENT...][;EVENT...]",
		"what to count; ';' separates groups (default: what this machine counts)",
		read_events },
	{ "EVPROF_MODELS", "models", 'm', "MODEL[,MODEL...]",
		"count the events of these models ('evprof list --models')", read_models },
	{ "EVPROF_PERIOD", "period", 'p', "TIME|RATE",
		"CPU time of a slice, as in 2ms or 500Hz (default: 1 to 10 ms, from its cost)",
		read_period },
	{ "EVPROF_SOURCE", "source", 's', "SOURCE",
		"auto, perf, papi, valgrind, sim:TABLE[,counters=N][,cpuid=CPU] or rusage",
		read_source },
	{ "EVPROF_OUTPUT", "output", 'o', "FILE",
		"trace (default: trace.gz); %p pid, %h host, %r MPI rank", read_output },
	{ "EVPROF_MAX_SIZE", "max-size", 0, "SIZE",
		"measuring stops when the trace has this size, as in 100M; the program goes on",
		read_max_size },
	{ "EVPROF_INCLUDE", "include", 0, "NAME[,NAME...]",
		"only executables of these names (shell patterns)", read_include },
	{ "EVPROF_EXCLUDE", "exclude", 0, "NAME[,NAME...]",
		"no executables of these names (shell patterns)", read_exclude },
	{ "EVPROF_KERNEL", "kernel", 'k', NULL,
		"tick in system calls too: shows who makes them, but a read or write may come back short",
		read_kernel },
	{ "EVPROF_TICKS", "ticks", 0, "auto|time|events",
		"what ends slices: CPU time alone, or the counted events' own overflow as well (auto: where it interrupts)",
		read_ticks },
	{ "EVPROF_INTERPRETERS", "interpreters", 0, "on|off",
		"name the functions of scripts that CPython carries out in the call paths (on)",
		read_interpreters },
	{ "EVPROF_KEEP", "keep", 0, "on|off",
		"keep a copy of the program, so that its names are known when it is built anew (on); evprof run and evreport",
		read_keep },
	{ "EVPROF_DEBUG", "debug", 0, "FILE",
		"append to this file what evprof decides in each process, and why", read_debug },
	{ "EVPROF_UNWIND", "unwind", 0, "own|frame-pointers|libunwind",
		"what follows call stacks (own: by unwind tables)", read_unwind },
	{ "EVPROF_WAITS", "waits", 0, "on|off",
		"note where calls of the C library wait for longer than 0.1 ms, and for what (default: off)",
		read_waits },
	{ "EVPROF_QUIET", "quiet", 'q', NULL, "print nothing on stderr but errors in settings",
		read_quiet },
	{ NULL, NULL, 0, NULL, NULL, NULL },
};

/* Tells whether name matches one of the shell patterns, which are separated by commas. */
static bool is_listed(const char *name, const char *list)
{
	char pattern[256];

	while (*list) {
		size_t size = strcspn(list, ",");

		if (size < sizeof(pattern)) {
			memcpy(pattern, list, size);
			pattern[size] = '\0';
			if (!fnmatch(pattern, name, 0))
				return true;
		}
		list += size + (list[size] == ',');
	}
	return false;
}

bool ep_settings_take(const struct ep_settings *settings, const char *executable)
{
	const char *name = ep_base_name(executable);

	if (settings->include[0] && !is_listed(name, settings->include))
		return false;
	return !is_listed(name, settings->exclude);
}
