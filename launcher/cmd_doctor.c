// SPDX-License-Identifier: BSD-3-Clause
/* evprof doctor: tells what works on this machine, what does not and why, and what would help. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "common/os/cpu.h"
#include "common/os/scheduler.h"
#include "counters/events/perf_names.h"
#include "counters/events/pfm.h"
#include "counters/sources/list_papi.h"
#include "evprof_commands.h"
#include "machine.h"
#include "reach.h"
#include "second_opinion.h"

/* The verdicts. The exit status tells a script what the first line tells the user; 2 is wrong usage. */
static const struct {
	int exit_status;
	const char *title;
} verdicts[] = {
	[EP_VERDICT_COUNTS] = { 0, "hardware counters: yes" },
	[EP_VERDICT_NO_PMU] = { 3, "hardware counters: none, no PMU on this machine" },
	[EP_VERDICT_NOT_PERMITTED] = { 4, "hardware counters: not permitted" },
	[EP_VERDICT_NO_PERF] = { 5, "hardware counters: no, nor software events" },
	[EP_VERDICT_DOES_NOT_RUN] = { 6, "hardware counters: they do not run" },
};

static const char usage[] =
	"usage: evprof doctor\n\n"
	"Tries what can be counted here, and says what would enable more.\n\n"
	"exit status: 0 hardware counters work, 2 wrong usage, 3 no hardware PMU here,\n"
	"4 not permitted, 5 perf_event_open is missing or filtered, 6 counters never run\n";

#define WIDTH 100 /* columns of a line */

/* Prints the words of the first size bytes of text, in lines that begin at column indent. The first line is at that
 * column already. */
static void print_words(const char *text, int size, int indent)
{
	int column = indent;

	for (int at = 0, n; at < size; at += n + 1) {
		n = (int)strcspn(text + at, " \n");
		n = n > size - at ? size - at : n;
		if (column > indent && column + 1 + n > WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
		}
		column += printf("%s%.*s", column > indent ? " " : "", n, text + at);
	}
	putchar('\n');
}

static void print_row(const char *key, const char *text)
{
	printf("  %-18s ", key);
	print_words(text, (int)strlen(text), 21);
}

/* Prints lines of text indented. Lines that fit keep their blanks, since commands are in columns. */
static void print_lines(const char *text)
{
	while (*text) {
		int size = (int)strcspn(text, "\n");

		fputs("  ", stdout);
		if (size + 2 <= WIDTH)
			printf("%.*s\n", size, text);
		else
			print_words(text, size, 2);
		text += size + (text[size] == '\n');
	}
}

/* ---- the rows ---- */

static void print_machine(void)
{
	struct utsname system;
	char cpu[128], id[64], text[256];

	ep_cpu_model(cpu, sizeof(cpu));
	ep_cpu_id(id, sizeof(id));
	snprintf(text, sizeof(text), "%s%s%s", cpu, cpu[0] ? ", " : "", id);
	print_row("CPU", text);
	if (uname(&system))
		return;
	snprintf(text, sizeof(text), "%s %s %s", system.sysname, system.release, system.machine);
	print_row("kernel", text);
}

static void print_counters(const struct ep_machine *machine)
{
	char text[320];

	if (machine->n_counters) {
		snprintf(text, sizeof(text), "%u at once, by the largest group that ran: %s",
			machine->n_counters, machine->counter_events);
		print_row("counters", text);
		print_row("read in user mode",
			machine->has_rdpmc ? "yes (rdpmc)" : "no, by a system call");
	}
	if (machine->core_pmus[0])
		print_row("PMUs", machine->core_pmus);
	if (machine->nmi_watchdog >= 0 && machine->core_pmus[0])
		print_row("NMI watchdog",
			machine->nmi_watchdog ? "on: it may hold a counter" : "off");
}

#define WORTH_SAYING 0.01

static void print_hypervisor(const struct ep_machine *machine)
{
	bool has_stolen = machine->stolen_share >= WORTH_SAYING;
	const char *evidence =
		machine->hypervisor[0] ? machine->hypervisor : "/proc/stat has stolen time";
	char text[160], stolen[96] = "";

	if (!machine->hypervisor[0] && !has_stolen)
		return;
	if (has_stolen)
		snprintf(stolen, sizeof(stolen),
			"; its host gave %.0f %% of its CPU time to others so far",
			100 * machine->stolen_share);
	snprintf(text, sizeof(text), "%s%s", evidence, stolen);
	print_row("virtual machine", text);
}

static void print_permission(const struct ep_machine *machine)
{
	char text[128];

	if (machine->paranoid == EP_PARANOID_UNKNOWN)
		print_row("permission", "no kernel.perf_event_paranoid here");
	else {
		snprintf(text, sizeof(text), "kernel.perf_event_paranoid %d%s", machine->paranoid,
			machine->is_privileged          ? ", privileged"
			: machine->is_root_of_namespace ? ", root of a user namespace only"
							: "");
		print_row("permission", text);
	}
	if (machine->seccomp_mode == 2)
		print_row("seccomp", "a filter is active");
	if (machine->container[0])
		print_row("container", machine->container);
	print_hypervisor(machine);
}

static void print_clock(const struct ep_machine *machine)
{
	uint64_t from_ns = ep_scheduler_periods_from_ns();
	char text[200], coarse[80] = "";

	if (from_ns != UINT64_MAX)
		snprintf(coarse, sizeof(coarse), "; from %g ms on the scheduler's ticks",
			(double)from_ns / 1e6);
	if (machine->is_short_of_fds)
		snprintf(text, sizeof(text), "POSIX timer (a perf event would take an open file)");
	else if (!machine->n_clock_signals)
		snprintf(text, sizeof(text), "POSIX timer (task-clock gives no signals here)");
	else
		snprintf(text, sizeof(text), "task-clock%s: %u of %u signals at 1000 a second%s",
			machine->clock_is_user_only ? ", user mode only" : "",
			machine->n_clock_signals, machine->n_clock_expected, coarse);
	print_row("slice clock", text);
}

/* Prints which events can end slices (evprof run --ticks), which the counts of short procedures need. */
static void print_event_ticks(const struct ep_machine *machine, enum ep_verdict verdict)
{
	const char *text =
		"yes: counters interrupt when they overflow, page faults when they happen";

	if (verdict == EP_VERDICT_NO_PERF || machine->is_short_of_fds)
		text = "no: slices end by CPU time alone";
	else if (!machine->n_counters)
		text = "of page faults only: there are no counters";
	else if (machine->cycles_interrupt && !machine->counters_interrupt)
		text = "of cycles and page faults only: other counters do not interrupt when they overflow";
	else if (!machine->counters_interrupt)
		text = "of page faults only: these counters do not interrupt when they overflow";
	print_row("ticks by events", text);
}

/* Prints the names of a type's events that count, and of those that do not. */
static void print_events(const char *key, uint32_t type)
{
	char good[512] = "", bad[512] = "";

	for (const struct ep_perf_name *row = ep_perf_names; row->name; row++) {
		if (row->type != type || !strcmp(row->name, "dummy"))
			continue;
		char *list = ep_machine_counts(row->name) ? good : bad;
		size_t used = strlen(list);

		snprintf(list + used, sizeof(good) - used, "%s%s", used ? " " : "", row->name);
	}
	print_row(key, good[0] ? good : "none");
	if (good[0] && bad[0])
		print_row("not these", bad);
}

static int is_core_here(const pfm_pmu_info_t *pmu, void *data)
{
	char *text = data;
	size_t used = strlen(text);

	if (pmu->is_present && pmu->type == PFM_PMU_TYPE_CORE)
		snprintf(text + used, 200 - used, "%s%s (%s)", used ? ", " : "", pmu->name,
			pmu->desc);
	return 0;
}

static void print_libraries(void)
{
	const struct ep_pfm *pfm = ep_pfm_load();
	char cpu[200] = "", path[PATH_MAX];

	if (pfm) {
		ep_pfm_walk(pfm, is_core_here, NULL, cpu);
		print_row("libpfm4", cpu[0] ? cpu : "installed, without a table for this CPU");
	} else {
		print_row("libpfm4", "not installed (apt-get install libpfm4)");
	}
	print_row("PAPI", ep_papi_state());
	print_row("valgrind", ep_reach_find("valgrind", path)
				      ? "not installed (apt-get install valgrind; optional)"
				      : path);
}

static void print_stacks(void)
{
	char text[320];

	ep_second_opinion(text, sizeof(text));
	print_row("call stacks", text);
}

static void print_descriptors(const struct ep_machine *machine)
{
	struct rlimit limit;
	char text[96];

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	snprintf(text, sizeof(text), "%llu, at most %llu%s", (unsigned long long)limit.rlim_cur,
		(unsigned long long)limit.rlim_max,
		machine->is_short_of_fds ? ": they are left to the program" : "");
	print_row("open files", text);
}

static void print_works(const struct ep_machine *machine, const struct ep_diagnosis *diagnosis)
{
	printf("\nworks now\n");
	print_row("evprof run", "wall and CPU time, call stacks, threads and processes");
	if (diagnosis->verdict == EP_VERDICT_NO_PERF || machine->is_short_of_fds) {
		print_row("", "page faults and context switches as getrusage(2) tells them");
		return;
	}
	print_events("software events", 1);
	if (!ep_machine_counts("context-switches"))
		print_row("by getrusage", "page faults and context switches");
	print_events("hardware events", 0);
}

int ep_cmd_doctor(int argc, char **argv)
{
	static const struct ep_option no_options[] = { { NULL } };
	const struct ep_options options = { "evprof doctor", usage, .rows = no_options };
	int status = ep_options_read(&options, argc, argv);
	struct ep_machine machine;
	struct ep_diagnosis diagnosis;

	if (status != EP_OPTIONS_READ)
		return status;
	if (optind < argc)
		return ep_options_refuse(&options, "takes no arguments");
	ep_machine_settle();
	ep_machine_probe(&machine);
	ep_machine_diagnose(&machine, &diagnosis);
	printf("%s\n", verdicts[diagnosis.verdict].title);
	print_lines(diagnosis.reason);
	putchar('\n');
	print_machine();
	print_counters(&machine);
	print_permission(&machine);
	print_clock(&machine);
	print_event_ticks(&machine, diagnosis.verdict);
	print_libraries();
	print_stacks();
	print_descriptors(&machine);
	print_works(&machine, &diagnosis);
	if (diagnosis.remedy[0]) {
		printf("\nto enable more\n");
		print_lines(diagnosis.remedy);
	}
	return verdicts[diagnosis.verdict].exit_status;
}
