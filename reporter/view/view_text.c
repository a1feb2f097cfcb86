// SPDX-License-Identifier: BSD-3-Clause
/* Prints the report as text. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "reporter/view/page.h"

#define LABEL_WIDTH 12

static void put_label(const struct ep_page *page, const char *label)
{
	fputs("  ", page->layout.out);
	ep_put_dim(&page->layout, label);
	fprintf(page->layout.out, "%*s", (int)(LABEL_WIDTH - 2 - strlen(label)), "");
}

static void put_line(const struct ep_page *page, const char *label, const char *text)
{
	put_label(page, label);
	ep_put_wrapped(&page->layout, text[0] ? text : "not in the trace", LABEL_WIDTH);
}

/* ---- header ---- */

static void put_machine(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	char text[1024], cpus[32] = "", hosts[512];

	if (r->n_cpus)
		snprintf(
			cpus, sizeof(cpus), ", %u CPU%s", r->n_cpus, ep_plural(r->n_cpus, "", "s"));
	snprintf(hosts, sizeof(hosts), "%s", r->hosts);
	if (r->n_hosts > 1)
		snprintf(hosts, sizeof(hosts), "%u machines (%s)", r->n_hosts, r->hosts);
	snprintf(text, sizeof(text), "%s%s%s%s%s%s", hosts, r->cpu[0] ? ", " : "", r->cpu, cpus,
		r->kernel[0] ? ", Linux " : "", r->kernel);
	put_line(page, "Machine", text);
}

static void put_when(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	char text[256], when[64] = "unknown time", duration[EP_NUMBER_BYTES],
			shown[EP_NUMBER_BYTES];
	time_t seconds = (time_t)(r->started_ns / 1000000000);
	struct tm tm;

	if (r->started_ns && localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %Z", &tm);
	ep_format_seconds(duration, r->duration_s);
	ep_format_seconds(shown, ep_shown_s(r));
	if (!r->is_of_region)
		snprintf(text, sizeof(text), "%s, for %s", when, duration);
	else if (isnan(r->region_s))
		snprintf(text, sizeof(text), "%s, within %s", when, duration);
	else
		snprintf(text, sizeof(text), "%s, for %s of the %s that the run lasted", when,
			shown, duration);
	put_line(page, "When", text);
}

static void put_used(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	char text[512], cpu[EP_NUMBER_BYTES], all[EP_NUMBER_BYTES], ranks[48] = "";
	char untold[EP_NUMBER_BYTES + 32] = "", average[48] = "";

	ep_format_seconds(cpu, (double)r->cpu_ns / 1e9);
	ep_format_seconds(all, (double)r->cpu_ns / 1e9 + r->untold_s);
	if (r->untold_s > 0)
		snprintf(untold, sizeof(untold), "; %s of it is in the tables below", cpu);
	if (r->n_ranks)
		snprintf(ranks, sizeof(ranks), ", %u MPI rank%s", r->n_ranks,
			ep_plural(r->n_ranks, "", "s"));
	if (!isnan(r->cpus_used))
		snprintf(average, sizeof(average), " (%.2f CPUs on average)", ep_all_cpus_used(r));
	snprintf(text, sizeof(text), "%s of CPU time%s in %u process%s, %u thread%s%s%s", all,
		average, r->n_processes, ep_plural(r->n_processes, "", "es"), r->n_threads,
		ep_plural(r->n_threads, "", "s"), ranks, untold);
	put_line(page, "Used", text);
}

#define READ_THROUGHOUT 0.95 /* share of the run; if less was read, its length is printed */

/* Puts the energy as "53.2 J by the packages (22.4 W), 4.10 J by the memory; of the whole machine". */
static void put_energy(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	const struct ep_report_amount *package = &r->amounts[EP_MACHINE_PACKAGE_UJ];
	const struct ep_report_amount *memory = &r->amounts[EP_MACHINE_MEMORY_UJ];
	char text[280], of_memory[60] = "", read[100] = "", span[EP_NUMBER_BYTES];

	if (!package->is_known || !(package->span_s > 0))
		return;
	if (memory->is_known)
		snprintf(of_memory, sizeof(of_memory), ", %.3g J by the memory", memory->total);
	ep_format_seconds(span, package->span_s);
	if (package->span_s < READ_THROUGHOUT * r->duration_s)
		snprintf(read, sizeof(read), ", which was read for %s of the run", span);
	snprintf(text, sizeof(text), "%.*f J by the packages (%.3g W)%s; of the whole machine%s",
		package->total < 100 ? 2 : 0, package->total, package->total / package->span_s,
		of_memory, read);
	put_line(page, "Energy", text);
}

#define TELLING_KERNEL                                                                             \
	0.1 /* share of hidden kernel time in CPU time; above it, the header mentions the kernel */

/* Names the clock of the samples. If the clock ticks in user mode only, it does not count a thread's time in the
 * kernel. */
static const char *clock_words(const struct ep_report *r)
{
	return (double)r->hidden_ns > TELLING_KERNEL * (double)r->cpu_ns
		       ? "a thread's CPU time outside of the kernel"
		       : "a thread's CPU time";
}

/* Says which share of samples came with the scheduler's ticks. Such ticks come at regular times. If the program repeats
 * something in the same rhythm, they always meet the same part of it. */
static void put_schedulers_share(const struct ep_report *r, char *out, size_t size)
{
	double percent = 100 * r->schedulers_share;

	if (percent >= 99.5)
		snprintf(out, size, ", at the scheduler's ticks");
	else if (percent >= 0.5)
		snprintf(out, size, ", %.0f %% at the scheduler's ticks", percent);
}

/* Formats the period of the clock. Samples in system calls, and ticks by events, come in addition. */
static void put_period(const struct ep_report *r, char *out, size_t size)
{
	char period[EP_NUMBER_BYTES], n_calls[EP_NUMBER_BYTES];

	if (!(r->period_ms > 0))
		return;
	ep_format_seconds(period, r->period_ms / 1e3);
	ep_format_count(n_calls, r->n_call_samples);
	if (r->n_call_samples)
		snprintf(out, size,
			", %.40s of them by looks for system calls%s, the others one every %.40s of %s",
			n_calls, r->has_faults ? " and page faults" : "", period, clock_words(r));
	else
		snprintf(out, size, ", one every %.40s of %s", period, clock_words(r));
}

static void put_samples(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	char text[640], n[EP_NUMBER_BYTES], n_lost[EP_NUMBER_BYTES], n_events[EP_NUMBER_BYTES];
	char every[240] = "", ticks[60] = "", events[120] = "",
	     lost[EP_NUMBER_BYTES + 32] = "none lost";

	ep_format_count(n, r->n_samples);
	ep_format_count(n_lost, r->n_lost);
	put_period(r, every, sizeof(every));
	put_schedulers_share(r, ticks, sizeof(ticks));
	if (r->n_lost)
		snprintf(lost, sizeof(lost), "%.40s lost (%.1f %%)", n_lost, 100 * r->lost_share);
	if (r->n_event_ticks) {
		ep_format_count(n_events, r->n_event_ticks);
		snprintf(events, sizeof(events),
			"; %.40s more tick%s where a counted event occurred", n_events,
			ep_plural(r->n_event_ticks, "", "s"));
	}
	snprintf(text, sizeof(text), "%s%s%s; %s%s%s", n, every, ticks, lost, events,
		r->is_exact ? "; for what is shown over time" : "");
	put_line(page, "Samples", text);
}

#define MAX_MISSING 8

static void put_missing(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	char text[96];

	for (uint32_t i = 0; i < r->said.n_missing && i < MAX_MISSING; i++)
		put_line(page, i ? "" : "Missing", r->said.missing[i]);
	if (r->said.n_missing <= MAX_MISSING)
		return;
	snprintf(text, sizeof(text), "and %u more: --format json has them",
		r->said.n_missing - MAX_MISSING);
	put_line(page, "", text);
}

static void put_header(const struct ep_page *page)
{
	const struct ep_report *r = page->report;

	ep_put_bold(&page->layout, "evprof report");
	fprintf(page->layout.out, "  %s\n", r->trace_path);
	put_line(page, "Command", r->command);
	put_machine(page);
	put_when(page);
	put_used(page);
	put_energy(page);
	if (r->is_exact)
		put_line(page, "Counts",
			"exact: simulated by callgrind; times in the tables are its estimate of cycles, a cycle for a nanosecond");
	put_samples(page);
	if (r->selection)
		put_line(page, "Shown", r->selection);
	put_missing(page);
}

void ep_page_put_percent(const struct ep_page *page, double share)
{
	fprintf(page->layout.out, "%6.1f %%", 100 * share);
}

void ep_page_put_error(const struct ep_page *page, double error)
{
	char bar[EP_NUMBER_BYTES], text[EP_NUMBER_BYTES + 1];

	ep_format_bar(bar, page->layout.utf8, 196 * error, 1);
	snprintf(text, sizeof(text), "%s ", bar);
	ep_put_right(&page->layout, text, 7);
}

void ep_page_put_time(const struct ep_page *page, double seconds)
{
	char text[EP_NUMBER_BYTES];

	ep_format_seconds(text, seconds);
	ep_put_right(&page->layout, text, 9);
}

/* what names a row, for example "procedure". If it ends in "s", its plural ends in "es". */
void ep_page_put_hidden(
	const struct ep_page *page, uint32_t n_hidden, double share, const char *what)
{
	char text[160],
		percent[32] = "less than 0.1"; /* "0.0 %" would say that these rows have no time */
	const char *s = n_hidden == 1 ? "" : what[strlen(what) - 1] == 's' ? "es" : "s";

	if (!n_hidden)
		return;
	if (share >= 0.0005)
		snprintf(percent, sizeof(percent), "%.1f", 100 * share);
	snprintf(text, sizeof(text), "%u more %s%s with %s %% of the time: --top 0 shows all",
		n_hidden, what, s, percent);
	ep_put_remark(&page->layout, text);
}

/* ---- findings ---- */

static void put_findings_of(const struct ep_page *page, enum ep_finding_kind kind, const char *mark)
{
	const struct ep_report *r = page->report;

	for (uint32_t i = 0; i < r->said.n_findings; i++) {
		if (r->said.findings[i].kind != kind)
			continue;
		fputs(mark, page->layout.out);
		ep_put_wrapped(&page->layout, r->said.findings[i].text, 4);
	}
}

static void put_findings(const struct ep_page *page)
{
	if (!page->report->said.n_findings)
		return;
	ep_put_heading(&page->layout, "Good to know", NULL);
	put_findings_of(page, EP_FINDING_WARNING, "  ! ");
	put_findings_of(page, EP_FINDING_NOTE, "  - ");
}

static void put_in_short(const struct ep_page *page)
{
	const struct ep_report *r = page->report;

	if (!r->said.n_in_short)
		return;
	ep_put_heading(&page->layout, "In short", NULL);
	for (uint32_t i = 0; i < r->said.n_in_short; i++) {
		fputs("  - ", page->layout.out);
		ep_put_wrapped(&page->layout, r->said.in_short[i], 4);
	}
}

/* Tells whether the table of threads is shown. If each process has one thread, the table of processes has the same
 * numbers. */
static bool has_threads(const struct ep_report *r)
{
	return r->n_processes == 1 || r->n_threads > r->n_processes;
}

static void put_all(const struct ep_page *page)
{
	const struct ep_report *r = page->report;

	put_in_short(page);
	ep_page_put_procedures(page);
	ep_page_put_activities(page);
	ep_page_put_regions(page);
	ep_page_put_calls(page);
	ep_page_put_serial_parts(page);
	ep_page_put_waits(page);
	ep_page_put_modules(page);
	if (has_threads(r))
		ep_page_put_threads(page);
	ep_page_put_programs(page);
	if (r->n_processes > 1)
		ep_page_put_processes(page);
	ep_page_put_metrics(page);
	ep_page_put_events(page);
	ep_page_put_ratios(page);
	ep_page_put_counts(page);
	ep_page_put_timeline(page);
}

static void put_procedures_and_counts(const struct ep_page *page)
{
	ep_page_put_procedures(page);
	ep_page_put_ratios(page);
	ep_page_put_counts(page);
}

static void (*const sections[])(const struct ep_page *page) = {
	[EP_BY_ALL] = put_all,
	[EP_BY_PROCEDURES] = put_procedures_and_counts,
	[EP_BY_LINES] = ep_page_put_lines,
	[EP_BY_MODULES] = ep_page_put_modules,
	[EP_BY_THREADS] = ep_page_put_threads,
	[EP_BY_PROCESSES] = ep_page_put_processes,
	[EP_BY_WAITS] = ep_page_put_waits,
	[EP_BY_LOOPS] = ep_page_put_loops,
	[EP_BY_LANGUAGES] = ep_page_put_languages,
	[EP_BY_RANKS] = ep_page_put_ranks,
	[EP_BY_HOSTS] = ep_page_put_hosts,
	[EP_BY_REGIONS] = ep_page_put_regions,
};

static int print_text(
	FILE *out, const struct ep_report *report, const struct ep_view_options *options)
{
	struct ep_page page = {
		.layout = { out, options->width, options->utf8, options->colour },
		.report = report,
		.options = options,
	};

	put_header(&page);
	sections[options->by](&page);
	put_findings(&page);
	return 0;
}

const struct ep_report_view ep_report_view_text = { "text", print_text };
