// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the META block: the process and its plan as text. Runs while a process starts and in the child of a fork;
 * meta_root.c reads the block.
 */
#include "meta.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/cpu.h"
#include "common/os/large.h"
#include "common/os/plain_text.h"
#include "common/os/sys.h"
#include "process.h"

#define MAX_ARGV_BYTES 16384

/* The program's arguments one after another, each with its final NUL. */
static EP_LARGE char arguments[MAX_ARGV_BYTES];
static size_t arguments_bytes;

static void put_escaped(struct ep_wire *wire, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const char *escape = text[i] == '\\'   ? "\\\\"
				     : text[i] == '\t' ? "\\t"
				     : text[i] == '\n' ? "\\n"
						       : NULL;

		ep_wire_bytes(wire, escape ? escape : &text[i], escape ? 2 : 1);
	}
}

static void put_text(struct ep_wire *wire, const char *text)
{
	ep_wire_bytes(wire, text, strlen(text));
}

static void put_line(struct ep_wire *wire, const char *key, const char *value)
{
	put_text(wire, key);
	put_text(wire, "\t");
	put_escaped(wire, value, strlen(value));
	put_text(wire, "\n");
}

/* Writes a text and then a number. The text is a key with its tab, or the separator of two fields. */
static void put_number(struct ep_wire *wire, const char *before, uint64_t value, unsigned base)
{
	char digits[EP_PLAIN_DIGITS];

	put_text(wire, before);
	ep_wire_bytes(wire, digits, ep_plain_number(digits, value, base));
}

static void put_count(struct ep_wire *wire, const char *before, uint64_t value)
{
	put_number(wire, before, value, 10);
	put_text(wire, "\n");
}

static void put_link(struct ep_wire *wire, const char *key, const char *link)
{
	char path[4096];
	long size = ep_sys_readlink(link, path, sizeof(path) - 1);

	path[size > 0 ? size : 0] = '\0';
	put_line(wire, key, path);
}

void ep_meta_keep_arguments(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		size_t room = sizeof(arguments) - arguments_bytes;
		size_t size = strnlen(argv[i], MAX_ARGV_BYTES / 2);

		if (size + 1 > room)
			break;
		memcpy(arguments + arguments_bytes, argv[i], size);
		arguments_bytes += size + 1;
	}
}

void ep_meta_read_arguments(void)
{
	int fd = ep_sys_open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
	long size = fd >= 0 ? ep_sys_read(fd, arguments, sizeof(arguments) - 1) : 0;

	if (fd >= 0)
		ep_sys_close(fd);
	if (size > 0)
		arguments_bytes = strnlen(arguments + size - 1, 1) ? size + 1 : size;
}

void ep_meta_pid_ns(char *out, size_t size)
{
	char link[64]; /* a text such as pid:[4026531836] */
	long n = ep_sys_readlink("/proc/self/ns/pid", link, sizeof(link) - 1);
	char *begin, *end;

	link[n > 0 ? n : 0] = '\0';
	begin = strchr(link, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (end)
		*end = '\0';
	ep_plain_copy(out, size, begin ? begin + 1 : "");
}

static void put_argv(struct ep_wire *wire)
{
	ep_wire_bytes(wire, "argv\t", 5);
	for (size_t at = 0; at < arguments_bytes;) {
		size_t size = strlen(arguments + at);

		if (at)
			ep_wire_bytes(wire, "\t", 1);
		put_escaped(wire, arguments + at, size);
		at += size + 1;
	}
	ep_wire_bytes(wire, "\n", 1);
}

/* Returns the wall time of the process's birth. It is computed from the process's age, since milliseconds may have
 * passed since the birth on a busy machine. */
static uint64_t realtime_of_birth_ns(void)
{
	uint64_t age_ns = ep_now_ns(CLOCK_MONOTONIC) - ep_recording.key.birth_ns;

	return ep_now_ns(CLOCK_REALTIME) - age_ns;
}

static void put_identity(struct ep_wire *wire)
{
	put_line(wire, "evprof", EP_VERSION);
	put_number(wire, "format\t", EP_TRACE_VERSION, 10);
	put_count(wire, ".", EP_TRACE_MINOR_VERSION);
	put_count(wire, "pid\t", ep_recording.key.pid);
	put_count(wire, "ppid\t", (uint64_t)ep_sys(__NR_getppid));
	put_count(wire, "start\t", ep_process.start_ticks);
	put_line(wire, "born", ep_born_names[ep_process.born]);
	if (ep_process.parent.pid) {
		put_number(wire, "parent\t", ep_process.parent.pid, 10);
		put_count(wire, " ", ep_process.parent.birth_ns);
	}
	put_link(wire, "exe", "/proc/self/exe");
	put_link(wire, "cwd", "/proc/self/cwd");
	put_argv(wire);
	put_count(wire, "realtime_ns\t", realtime_of_birth_ns());
}

static void put_rank(struct ep_wire *wire)
{
	const char *rank = ep_cpu_mpi_rank();

	if (rank)
		put_line(wire, "rank", rank);
}

/* Puts the model and identifier of the CPU that the counts are from. */
static void put_cpu(struct ep_wire *wire)
{
	const char *played = ep_recording.source->cpuid ? ep_recording.source->cpuid() : "";
	char text[256];

	if (*played) {
		put_text(wire, "cpu\ta table's counts as ");
		put_escaped(wire, played, strlen(played));
		put_text(wire, "\n");
		put_line(wire, "cpuid", played);
		return;
	}
	ep_cpu_model(text, sizeof(text));
	put_line(wire, "cpu", text);
	ep_cpu_id(text, sizeof(text));
	put_line(wire, "cpuid", text);
}

static void put_machine(struct ep_wire *wire)
{
	struct utsname system;
	long load_percent = ep_cpu_load_percent();
	int n_allowed = ep_cpu_count_allowed();
	char text[256];

	ep_sys_uname(&system);
	put_line(wire, "host", system.nodename);
	put_line(wire, "kernel", system.release);
	put_line(wire, "arch", system.machine);
	ep_meta_pid_ns(text, sizeof(text));
	if (text[0])
		put_line(wire, "pid_ns", text);
	put_cpu(wire);
	put_count(wire, "n_cpus\t", (uint64_t)ep_cpu_count());
	if (n_allowed > 0)
		put_count(wire, "n_cpus_allowed\t", (uint64_t)n_allowed);
	ep_cpu_list_allowed(text, sizeof(text));
	if (text[0])
		put_line(wire, "cpus_allowed", text);
	if (load_percent >= 0)
		put_count(wire, "load_percent\t", (uint64_t)load_percent);
}

static const struct {
	uint32_t flag;
	const char *name;
} event_flags[] = {
	{ EP_EVENT_ALWAYS, "always" },
	{ EP_EVENT_SOFTWARE, "sw" },
	{ EP_EVENT_TICKS, "ticks" },
};

#define N_EVENT_FLAGS EP_ARRAY_SIZE(event_flags)

/* Puts the names of the flags, separated by commas, or "-". */
static void put_flags(struct ep_wire *wire, uint32_t flags)
{
	const char *before = "";

	for (size_t i = 0; i < N_EVENT_FLAGS; i++) {
		if (!(flags & event_flags[i].flag))
			continue;
		put_text(wire, before);
		put_text(wire, event_flags[i].name);
		before = ",";
	}
	if (!*before)
		put_text(wire, "-");
}

static bool is_name(const char *name, const char *text, size_t size)
{
	return strlen(name) == size && !memcmp(name, text, size);
}

uint32_t ep_meta_event_flags(const char *names)
{
	uint32_t flags = 0;

	while (*names) {
		const char *end = strchrnul(names, ',');

		for (size_t i = 0; i < N_EVENT_FLAGS; i++)
			if (is_name(event_flags[i].name, names, (size_t)(end - names)))
				flags |= event_flags[i].flag;
		names = *end ? end + 1 : end;
	}
	return flags;
}

static void put_event(struct ep_wire *wire, uint32_t idx)
{
	const struct ep_event *event = &ep_recording.plan.events[idx];

	put_number(wire, "event\t", idx, 10);
	put_text(wire, "\t");
	put_text(wire, event->name);
	put_text(wire, "\t");
	put_flags(wire, event->flags);
	put_text(wire, "\t");
	put_text(wire, event->unit);
	put_text(wire, "\n");
}

/* Puts how the kernel encodes an event. */
static void put_attributes(struct ep_wire *wire, uint32_t idx)
{
	const struct ep_event *event = &ep_recording.plan.events[idx];

	put_number(wire, "attr\t", idx, 10);
	put_number(wire, "\t", event->type, 10);
	put_number(wire, "\t", event->config, 16);
	put_number(wire, "\t", event->config1, 16);
	put_number(wire, "\t", event->config2, 16);
	put_number(wire, "\t",
		event->exclude_user | event->exclude_kernel << 1 | event->exclude_hv << 2 |
			event->exclude_guest << 3,
		10);
	put_count(wire, "\t", event->column);
}

static void put_group(struct ep_wire *wire, uint32_t idx)
{
	const struct ep_group *group = &ep_recording.plan.groups[idx];

	put_number(wire, "group\t", idx, 10);
	for (uint32_t i = 0; i < group->n_events; i++)
		put_number(wire, i ? "," : "\t", group->events[i], 10);
	put_text(wire, group->n_events ? "\n" : "\t\n");
}

static void put_notes(struct ep_wire *wire)
{
	const char *note = ep_recording.plan.notes;

	while (*note) {
		size_t size = (size_t)(strchrnul(note, '\n') - note);

		ep_wire_bytes(wire, "note\t", 5);
		put_escaped(wire, note, size);
		ep_wire_bytes(wire, "\n", 1);
		note += size + (note[size] == '\n');
	}
}

static void put_plan(struct ep_wire *wire)
{
	put_line(wire, "output", ep_recording.settings.output);
	put_line(wire, "source", ep_recording.source->name);
	put_line(wire, "clock", ep_clock_name(ep_recording.clock_kind));
	put_count(wire, "period_ns\t", ep_recording.period_ns);
	put_count(wire, "window_ns\t", ep_recording_window_ns());
	put_line(wire, "first_tick", "random");
	if (ep_recording.calls_ns)
		put_count(wire, "calls_ns\t", ep_recording.calls_ns);
	if (ep_recording.waits_ns)
		put_count(wire, "waits_ns\t", ep_recording.waits_ns);
	put_line(wire, "ticks", ep_plan_has_triggers(&ep_recording.plan) ? "time+events" : "time");
	for (uint32_t i = 0; i < ep_recording.plan.n_events; i++) {
		put_event(wire, i);
		put_attributes(wire, i);
	}
	for (uint32_t i = 0; i < ep_recording.plan.n_groups; i++)
		put_group(wire, i);
}

void ep_meta_append(struct ep_wire *wire)
{
	size_t at = ep_block_start(wire, EP_BLOCK_META, ep_recording.key);
	struct utsname system;

	ep_sys_uname(&system);
	put_text(wire, "run\t");
	put_text(wire, system.nodename);
	put_number(wire, ":", (uint64_t)ep_process.root_pid, 10);
	put_count(wire, ":", ep_process.root_start_ticks);
	put_identity(wire);
	if (ep_process.born == EP_BORN_ROOT) {
		put_machine(wire);
		put_notes(wire);
	}
	put_rank(wire);
	put_plan(wire);
	ep_block_finish(wire, at);
}

int ep_meta_process_stat(int pid, int *out_parent, uint64_t *out_start_ticks)
{
	char path[EP_PROC_PATH_BYTES] = "/proc/self/stat", text[1024];
	const char *at;
	long size;

	if (pid)
		ep_proc_path(path, pid, "stat", NULL);
	size = ep_sys_read_file(path, text, sizeof(text));
	/* The program's name is in parentheses and may itself contain parentheses and spaces: the last ")" ends it. */
	while (size > 0 && text[size - 1] != ')')
		size--;
	if (size <= 0)
		return -ESRCH;
	at = text + size - 1;
	for (int field = 3; field <= 22; field++) {
		at = strchr(at + 1, ' ');
		if (!at)
			return -EBADMSG;
		if (field == 4)
			*out_parent = (int)ep_plain_read(at, 10, NULL);
	}
	*out_start_ticks = ep_plain_read(at, 10, NULL);
	return 0;
}
