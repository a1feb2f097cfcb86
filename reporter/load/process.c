// SPDX-License-Identifier: BSD-3-Clause
/* Processes of a trace, and the META blocks that describe them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "reporter/load/loader.h"

static const char *const meta_names[EP_N_META_KEYS] = {
	[EP_META_EVPROF] = "evprof",
	[EP_META_FORMAT] = "format",
	[EP_META_RUN] = "run",
	[EP_META_PPID] = "ppid",
	[EP_META_BORN] = "born",
	[EP_META_PARENT] = "parent",
	[EP_META_EXE] = "exe",
	[EP_META_CWD] = "cwd",
	[EP_META_HOST] = "host",
	[EP_META_KERNEL] = "kernel",
	[EP_META_ARCH] = "arch",
	[EP_META_CPU] = "cpu",
	[EP_META_CPUID] = "cpuid",
	[EP_META_N_CPUS] = "n_cpus",
	[EP_META_N_CPUS_ALLOWED] = "n_cpus_allowed",
	[EP_META_CPUS_ALLOWED] = "cpus_allowed",
	[EP_META_LOAD_PERCENT] = "load_percent",
	[EP_META_RANK] = "rank",
	[EP_META_REALTIME] = "realtime_ns",
	[EP_META_SOURCE] = "source",
	[EP_META_CLOCK] = "clock",
	[EP_META_PERIOD] = "period_ns",
	[EP_META_WINDOW] = "window_ns",
	[EP_META_FIRST_TICK] = "first_tick",
	[EP_META_CALLS] = "calls_ns",
	[EP_META_WAITS] = "waits_ns",
};

uint64_t ep_trace_process_number(
	const struct ep_trace_process *process, enum ep_meta_key key, uint64_t fallback)
{
	const char *text = process->meta[key];
	char *end;
	uint64_t value;

	if (!text || *text < '0' || *text > '9')
		return fallback;
	value = strtoull(text, &end, 10);
	return *end ? fallback : value;
}

bool ep_trace_process_is_void(const struct ep_trace_process *process)
{
	return !process->has_meta && !process->n_threads && !process->has_end;
}

static bool same_process(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_process_key *a = &((const struct ep_trace *)owner)->processes[idx].key;
	const struct ep_process_key *b = key;

	return a->pid == b->pid && a->birth_ns == b->birth_ns;
}

int ep_trace_process_find_or_add(
	struct ep_trace *trace, struct ep_process_key key, uint32_t *out_idx)
{
	uint64_t hash = ep_hash_mix(key.birth_ns, key.pid);

	*out_idx = ep_index_find(&trace->process_index, hash, same_process, trace, &key);
	if (*out_idx != EP_NONE)
		return 0;
	if (EP_ARRAY_RESERVE(trace->processes, trace->n_processes, trace->process_capacity) ||
		ep_index_add(&trace->process_index, hash, trace->n_processes))
		return -ENOMEM;
	*out_idx = trace->n_processes++;
	trace->processes[*out_idx] = (struct ep_trace_process){ .key = key,
		.born_ns = key.birth_ns,
		.file_idx = (uint32_t)trace->reader.n_files,
		.unknown_module_idx = EP_NONE };
	return 0;
}

void ep_trace_process_finish(struct ep_trace_process *process)
{
	free(process->groups.holds);
	free(process->event_idx);
	free(process->module_idx);
	free(process->machine_series);
	ep_timeline_finish(&process->timeline);
	if (!process->fill_events)
		return;
	free(process->fill_events->names);
	free(process->fill_events->always);
	free(process->fill_events);
}

int ep_note_add(struct ep_trace *trace, const char *text, size_t size, bool is_of_start)
{
	const char *note = ep_strings_add(&trace->strings, text, size);

	if (!note)
		return -ENOMEM;
	for (uint32_t i = 0; i < trace->n_notes; i++)
		if (trace->notes[i].text == note)
			return 0;
	if (EP_ARRAY_RESERVE(trace->notes, trace->n_notes, trace->note_capacity))
		return -ENOMEM;
	trace->notes[trace->n_notes++] = (struct ep_note){ note, is_of_start };
	return 0;
}

/* ---- META ---- */

struct meta {
	struct ep_trace *trace;
	struct ep_trace_process *process;
	char *value; /* value of the line being read: not unescaped yet, NUL-terminated */
	size_t value_size;
	struct ep_event_info events[EP_TRACE_MAX_EVENTS];
	uint32_t n_events;
	uint8_t positions[EP_TRACE_MAX_GROUPS][EP_TRACE_MAX_EVENTS];
	uint32_t n_groups;
};

/* Returns the field at *rest, up to a tab, unescaped in place, and moves *rest to the next field. NULL: there
 * are no more fields. */
static char *next_field(char **rest)
{
	char *field = *rest, *tab;

	if (!field)
		return NULL;
	tab = strchr(field, '\t');
	*rest = tab ? tab + 1 : NULL;
	if (tab)
		*tab = '\0';
	field[ep_meta_unescape(field, strlen(field))] = '\0';
	return field;
}

static const char *keep(struct meta *meta, const char *text)
{
	return ep_strings_add(&meta->trace->strings, text, strlen(text));
}

static int number_below(const char *text, uint32_t limit, uint32_t *out_value)
{
	char *end;
	unsigned long value = text ? strtoul(text, &end, 10) : limit;

	if (!text || end == text || value >= limit)
		return -EBADMSG;
	*out_value = (uint32_t)value;
	return 0;
}

static int take_event(struct meta *meta)
{
	char *rest = meta->value, *index = next_field(&rest), *name = next_field(&rest);
	char *flags = next_field(&rest), *unit = next_field(&rest);
	struct ep_event_info *event;
	uint32_t idx;

	if (!name || number_below(index, EP_TRACE_MAX_EVENTS, &idx))
		return -EBADMSG;
	event = &meta->events[idx];
	event->name = keep(meta, name);
	event->unit = keep(meta, unit ? unit : "count");
	event->always = flags && strstr(flags, "always");
	event->software = flags && strstr(flags, "sw");
	if (idx >= meta->n_events)
		meta->n_events = idx + 1;
	return event->name && event->unit ? 0 : -ENOMEM;
}

static int take_group(struct meta *meta)
{
	char *rest = meta->value, *index = next_field(&rest), *members = next_field(&rest), *save;
	uint32_t idx, event, position = 0;

	if (number_below(index, EP_TRACE_MAX_GROUPS, &idx))
		return -EBADMSG;
	if (idx >= meta->n_groups)
		meta->n_groups = idx + 1;
	for (char *m = members ? strtok_r(members, ",", &save) : NULL; m;
		m = strtok_r(NULL, ",", &save)) {
		if (number_below(m, EP_TRACE_MAX_EVENTS, &event) || position == UINT8_MAX)
			return -EBADMSG;
		meta->positions[idx][event] = ++position;
	}
	return 0;
}

static bool needs_quotes(const char *argument)
{
	return !*argument || argument[strcspn(argument, " \t\n'\"\\$&|;<>()*?[]~`#!")];
}

/* Takes the process's name from its first argument. Shells put a dash before the name of a login shell.
 * Titles that programs write over their arguments, such as "postgres: checkpointer", are no names. */
static int take_called(struct meta *meta, const char *argument)
{
	const char *name = ep_base_name(argument);

	name += *name == '-';
	if (!*name || name[strcspn(name, "/: \t\n()")])
		return 0;
	meta->process->called = ep_strings_add(&meta->trace->strings, name, strlen(name));
	return meta->process->called ? 0 : -ENOMEM;
}

const char *ep_trace_process_file(const struct ep_trace_process *process)
{
	const char *exe = process->meta[EP_META_EXE];

	return exe ? ep_base_name(exe) : NULL;
}

const char *ep_trace_process_program(const struct ep_trace_process *process)
{
	return process->called ? process->called : ep_trace_process_file(process);
}

const char *ep_trace_module_name(const struct ep_trace *trace, uint32_t module_idx)
{
	const char *path = trace->modules[module_idx].path, *name = NULL;

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const struct ep_trace_process *process = &trace->processes[i];

		if (process->meta[EP_META_EXE] != path || !process->called)
			continue;
		if (name && strcmp(name, process->called) != 0)
			return ep_base_name(path);
		name = process->called;
	}
	return name ? name : ep_base_name(path);
}

/* Writes the arguments as a user would type them: with blanks between them, and quoted where a shell needs
 * it. */
static int take_argv(struct meta *meta)
{
	char *rest = meta->value, *field = next_field(&rest);
	EP_AUTOFREE char *command = NULL;
	size_t size = 0;
	FILE *out = take_called(meta, field) ? NULL : open_memstream(&command, &size);

	if (!out)
		return -ENOMEM;
	for (; field; field = next_field(&rest))
		fprintf(out, needs_quotes(field) ? "%s'%s'" : "%s%s", ftell(out) ? " " : "", field);
	if (fclose(out))
		return -ENOMEM;
	meta->process->command = ep_strings_add(&meta->trace->strings, command, size);
	return meta->process->command ? 0 : -ENOMEM;
}

static int take_note(struct meta *meta)
{
	size_t size = ep_meta_unescape(meta->value, meta->value_size);

	return ep_note_add(meta->trace, meta->value, size, true);
}

static const struct {
	const char *key;
	int (*take)(struct meta *meta);
} special_keys[] = {
	{ "event", take_event },
	{ "group", take_group },
	{ "argv", take_argv },
	{ "note", take_note },
};

static bool is_key(const struct ep_meta_line *line, const char *key)
{
	return line->key_size == strlen(key) && !memcmp(line->key, key, line->key_size);
}

static int take_plain(struct meta *meta, const struct ep_meta_line *line)
{
	size_t size = ep_meta_unescape(meta->value, meta->value_size);

	for (int key = 0; key < EP_N_META_KEYS; key++) {
		if (!is_key(line, meta_names[key]))
			continue;
		meta->process->meta[key] = ep_strings_add(&meta->trace->strings, meta->value, size);
		return meta->process->meta[key] ? 0 : -ENOMEM;
	}
	return 0;
}

static int take_line(struct meta *meta, const struct ep_meta_line *line)
{
	EP_AUTOFREE char *copy = malloc(line->value_size + 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, line->value, line->value_size);
	copy[line->value_size] = '\0';
	meta->value = copy;
	meta->value_size = line->value_size;
	for (size_t i = 0; i < EP_ARRAY_SIZE(special_keys); i++)
		if (is_key(line, special_keys[i].key))
			return special_keys[i].take(meta);
	return take_plain(meta, line);
}

static bool same_event(const struct ep_event_info *a, const struct ep_event_info *b)
{
	return a->name == b->name && a->unit == b->unit;
}

int ep_event_add(struct ep_trace *trace, const struct ep_event_info *event, uint32_t *out_idx)
{
	for (*out_idx = 0; *out_idx < trace->n_events; ++*out_idx)
		if (same_event(&trace->events[*out_idx], event))
			return 0;
	if (EP_ARRAY_RESERVE(trace->events, trace->n_events, trace->event_capacity))
		return -ENOMEM;
	trace->events[trace->n_events++] = *event;
	return 0;
}

static int keep_events(struct meta *meta)
{
	struct ep_trace_process *process = meta->process;

	free(process->event_idx);
	process->event_idx = calloc(meta->n_events + 1, sizeof(*process->event_idx));
	if (!process->event_idx)
		return -ENOMEM;
	process->groups.n_events = meta->n_events;
	for (uint32_t e = 0; e < meta->n_events; e++) {
		if (!meta->events[e].name)
			return -EBADMSG;
		if (ep_event_add(meta->trace, &meta->events[e], &process->event_idx[e]))
			return -ENOMEM;
	}
	return 0;
}

static int keep_groups(struct meta *meta)
{
	struct ep_groups *groups = &meta->process->groups;

	free(groups->holds);
	groups->holds = calloc((size_t)meta->n_groups * meta->n_events + 1, 1);
	if (!groups->holds)
		return -ENOMEM;
	groups->n_groups = meta->n_groups;
	groups->period_us = ep_trace_process_number(meta->process, EP_META_PERIOD, 0) / 1000;
	meta->process->window_us =
		ep_trace_process_number(meta->process, EP_META_WINDOW, groups->period_us * 1000) /
		1000;
	meta->process->calls_us = ep_trace_process_number(meta->process, EP_META_CALLS, 0) / 1000;
	for (uint32_t g = 0; g < meta->n_groups; g++)
		memcpy(groups->holds + (size_t)g * meta->n_events, meta->positions[g],
			meta->n_events);
	return 0;
}

static bool is_other_run(
	const struct ep_trace_process *process, const struct ep_trace_process *first)
{
	const char *run = process->meta[EP_META_RUN], *first_run = first->meta[EP_META_RUN];

	return run && first_run && run != first_run;
}

/* Two clocks with a smaller shift than this are taken for the same clock: corrections of the time of day are
 * smaller. */
#define SAME_BOOT_NS 100000000ull

uint64_t ep_clock_shift(const struct ep_clock_origin *origin, const struct ep_clock_origin *other)
{
	/* computed modulo 2^64: a negative shift is a huge number */
	uint64_t shift_ns =
		(other->realtime_ns - other->birth_ns) - (origin->realtime_ns - origin->birth_ns);
	bool is_same_boot = shift_ns + SAME_BOOT_NS < 2 * SAME_BOOT_NS;
	bool is_same_run = !origin->run || !other->run || origin->run == other->run;

	if (!origin->realtime_ns || !other->realtime_ns || is_same_run || is_same_boot)
		return 0;
	return shift_ns;
}

static uint64_t birth_on_clock_of(struct ep_trace *trace, const struct ep_trace_process *process)
{
	const struct ep_clock_origin own = { process->meta[EP_META_RUN], process->key.birth_ns,
		ep_trace_process_number(process, EP_META_REALTIME, 0) };

	if (process == trace->processes && !trace->origin.run)
		trace->origin = own;
	return process->key.birth_ns + ep_clock_shift(&trace->origin, &own);
}

/* Tells whether a clock ticks in user mode only: "task-clock:u", or "thread-cputime+task-clock:u". */
static bool ends_in_user_mode(const char *clock)
{
	const char *last = strrchr(clock, '+');

	return !strcmp(last ? last + 1 : clock, "task-clock:u");
}

static enum ep_born born_of(const struct ep_trace_process *process)
{
	const char *name = process->meta[EP_META_BORN];

	for (int born = EP_BORN_UNKNOWN + 1; name && born < EP_N_BORN; born++)
		if (!strcmp(name, ep_born_names[born]))
			return (enum ep_born)born;
	return EP_BORN_UNKNOWN;
}

static uint32_t minor_version_of(const struct ep_trace_process *process)
{
	const char *format = process->meta[EP_META_FORMAT];
	unsigned int major, minor;

	if (!format || sscanf(format, "%u.%u", &major, &minor) != 2 || major != EP_TRACE_VERSION)
		return 0;
	return minor;
}

static int keep_clock(struct meta *meta)
{
	const char *clock = meta->process->meta[EP_META_CLOCK];
	const char *source = meta->process->meta[EP_META_SOURCE];
	const char *first_tick = meta->process->meta[EP_META_FIRST_TICK];
	const struct ep_trace_process *processes = meta->trace->processes;

	meta->process->has_random_first_tick = first_tick && !strcmp(first_tick, "random");
	meta->process->is_simulated = source && !strcmp(source, "valgrind");
	/* In valgrind a late tick does not mean time in the kernel: ticks wait for the end of a block of
	 * code, or of a dump. */
	meta->process->hides_kernel =
		clock && ends_in_user_mode(clock) && !meta->process->is_simulated;
	meta->process->born = born_of(meta->process);
	meta->process->minor_version = minor_version_of(meta->process);
	meta->process->is_other_run =
		is_other_run(meta->process, &processes[meta->trace->first_of_file]);
	meta->process->born_ns = birth_on_clock_of(meta->trace, meta->process);
	meta->process->has_meta = true;
	return 0;
}

int ep_trace_process_take_meta(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	EP_AUTOFREE struct meta *meta = calloc(1, sizeof(*meta));
	struct ep_meta_line line;
	size_t at = 0;
	int rc;

	if (!meta)
		return -ENOMEM;
	if (process->has_meta)
		return -EBADMSG;
	meta->trace = trace;
	meta->process = process;
	while ((rc = ep_meta_next(block, &at, &line)) == 1) {
		rc = take_line(meta, &line);
		if (rc)
			return rc;
	}
	if (!rc)
		rc = keep_events(meta);
	if (!rc)
		rc = keep_groups(meta);
	return rc ? rc : keep_clock(meta);
}

uint64_t ep_trace_birth_ns(const struct ep_trace *trace)
{
	uint64_t birth_ns = UINT64_MAX;

	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (!ep_trace_process_is_void(&trace->processes[i]) &&
			trace->processes[i].born_ns < birth_ns)
			birth_ns = trace->processes[i].born_ns;
	return birth_ns == UINT64_MAX && trace->n_processes ? trace->processes[0].born_ns
							    : birth_ns;
}
