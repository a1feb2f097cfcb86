// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the report in a few sentences, for readers who never saw a profile: where the time went, how the CPUs were
 * used, and where to look first. There is one function per sentence; each adds a sentence or nothing.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/cleanup.h"
#include "reporter/facts/runtimes.h"
#include "reporter/text/short_names.h"
#include "words.h"

void ep_say(struct ep_words *b, const char *sentence)
{
	struct ep_report_said *said = b->said;

	if (said->n_in_short < EP_ARRAY_SIZE(said->in_short))
		said->in_short[said->n_in_short++] = sentence;
}

/* ---- where the time went ---- */

static bool is_kernel(const struct ep_report_row *row)
{
	return row->kind == EP_SYMBOL_KERNEL;
}

static bool is_run_time_code(const struct ep_report_row *row)
{
	return row->kind == EP_SYMBOL_RUN_TIME;
}

static const char *plain_name(struct ep_words *b, const struct ep_report_row *row)
{
	if (is_kernel(row))
		return "the kernel";
	return is_run_time_code(row) ? "code made at run time" : ep_name_say(b, row->short_name);
}

#define MUCH_KERNEL 0.2

static double kernel_share(const struct ep_report *r)
{
	for (uint32_t i = 0; i < r->procedures.n_rows; i++)
		if (is_kernel(&r->procedures.rows[i]))
			return r->procedures.rows[i].self_share;
	return 0;
}

#define MIN_NAMED_SHARE 0.05

/* ---- procedures ---- */

#define MAX_NAMED 3
#define NEARLY_ALL 0.8
#define MOST 0.5 /* least share that a few procedures need; else the time is spread */

struct first_rows {
	const struct ep_report_row *rows[MAX_NAMED];
	double shares[MAX_NAMED];
	uint32_t n;
	double share;
	bool is_rest; /* some rows are left out, since a sentence on an activity has named them */
};

/* Returns the share of a row's time that no sentence on an activity has named. A sentence on MPI, for example, has
 * named the kernel's time below MPI. */
static double share_of_rest(const struct ep_report *r, const struct ep_report_row *row)
{
	if (!is_kernel(row))
		return row->self_share;
	for (uint32_t i = 0; i < r->n_activities; i++)
		if (r->activities[i].activity == EP_ACTIVITY_KERNEL)
			return r->activities[i].share;
	return 0;
}

/* Tells whether a sentence on an activity has named one of the rows that have most of the time. */
static bool is_any_told(const struct ep_report *r, const struct ep_report_table *table)
{
	double share = 0;

	for (uint32_t i = 0, n = 0; i < table->n_rows && n < MAX_NAMED && share < MOST; i++) {
		if (ep_activities_tell_of(r, &table->rows[i]))
			return true;
		n += table->rows[i].kind != EP_SYMBOL_TAIL;
		share += table->rows[i].self_share;
	}
	return false;
}

/* Inserts a row by its share. The table's order would not do, since the part of the kernel's time that is
 * left may be less than the share of rows after it. */
static void add_first(struct first_rows *first, const struct ep_report_row *row, double share)
{
	uint32_t at = first->n++;

	for (; at && first->shares[at - 1] < share; at--) {
		first->rows[at] = first->rows[at - 1];
		first->shares[at] = first->shares[at - 1];
	}
	first->rows[at] = row;
	first->shares[at] = share;
	first->share += share;
}

/* Finds the rows that together have most of the time. Rows that an activity's sentence has named are left
 * out, and so is the time after a thread's last sample. Small rows count only where no row is large. */
static struct first_rows find_first(const struct ep_report *r, const struct ep_report_table *table)
{
	struct first_rows first = { .is_rest = is_any_told(r, table) };

	for (uint32_t i = 0; i < table->n_rows && first.n < MAX_NAMED && first.share < MOST; i++) {
		const struct ep_report_row *row = &table->rows[i];

		double share = first.is_rest ? share_of_rest(r, row) : row->self_share;

		if (row->kind == EP_SYMBOL_TAIL || ep_activities_tell_of(r, row))
			continue;
		if ((first.n || first.is_rest) && share < MIN_NAMED_SHARE)
			continue;
		add_first(&first, row, share);
	}
	return first;
}

/* Returns " of libb.so" where another of the rows has the same name, else "". */
static const char *of_what(struct ep_words *b, const struct first_rows *first, uint32_t i)
{
	const struct ep_report_row *row = first->rows[i];

	for (uint32_t k = 0; k < first->n && row->module_name; k++)
		if (k != i && !strcmp(first->rows[k]->short_name, row->short_name))
			return ep_text(b, " of %s", row->module_name);
	return "";
}

/* Returns words such as ", mostly for m::count" for library code that is compiled into the program; else "". */
static const char *for_whom(struct ep_words *b, const struct ep_report_row *row)
{
	const char *user = ep_user_of_header(b, row);

	return user ? ep_text(b, ", mostly for %s", user) : "";
}

/* Makes a list such as "a (23 %), b (20 %, mostly for f) and c (11 %)". */
static const char *list_rows(struct ep_words *b, const struct first_rows *first)
{
	const char *list = "";

	for (uint32_t i = 0; i < first->n; i++)
		list = ep_text(b, "%s%s%s%s (%.0f %%%s)", list,
			!i                 ? ""
			: i + 1 < first->n ? ", "
					   : " and ",
			plain_name(b, first->rows[i]), of_what(b, first, i), 100 * first->shares[i],
			for_whom(b, first->rows[i]));
	return list;
}

/* Returns words such as ", nearly all of it in the loop at fem.c:212, which goes through memory in strides"; ""
 * where no loop has most of the time. */
static const char *in_its_loop(struct ep_words *b, const struct ep_report_row *row)
{
	static const char *const ways[EP_N_ACCESSES] = {
		[EP_ACCESS_UNKNOWN] = "",
		[EP_ACCESS_CONTIGUOUS] = ", which goes through memory one element after the other",
		[EP_ACCESS_VARIABLE] =
			", which goes through memory by a step that is a variable: in strides, unless the step is one element",
		[EP_ACCESS_STRIDED] = ", which goes through memory in strides",
		[EP_ACCESS_GATHER] = ", which loads from addresses that other data give (a gather)",
		[EP_ACCESS_LINKED] =
			", which needs each loaded value to know where the next one is",
	};

	if (!row->loop || row->loop_share < 0.5)
		return "";
	return ep_text(b, ", %s of it in the loop at %s%s",
		row->loop_share > NEARLY_ALL ? "nearly all" : "most", row->loop, ways[row->access]);
}

static void say_procedures(struct ep_words *b, const struct first_rows *first)
{
	if (!first->n || (first->n == 1 && is_kernel(first->rows[0]) &&
				 kernel_share(b->report) >= MUCH_KERNEL))
		return;
	if (first->is_rest)
		ep_say(b, ep_text(b, "Of the rest most went to %s.", list_rows(b, first)));
	else if (first->share >= MOST && first->n == 1)
		ep_say(b, ep_text(b, "%.0f %% of the CPU time went to %s%s%s.", 100 * first->share,
				  plain_name(b, first->rows[0]), for_whom(b, first->rows[0]),
				  in_its_loop(b, first->rows[0])));
	else if (first->share >= MOST)
		ep_say(b, ep_text(b, "%.0f %% of the CPU time went to %s.", 100 * first->share,
				  list_rows(b, first)));
	else
		ep_say(b,
			ep_text(b,
				"The CPU time is spread over %u procedures: the largest %s %s. See the table 'How it got there' for their callers.",
				b->report->procedures.n_rows, first->n == 1 ? "is" : "are",
				list_rows(b, first)));
}

/* Says where the time went. The procedures are in the order of their time, most first. */
static void say_where_it_went(struct ep_words *b)
{
	struct first_rows first = find_first(b->report, &b->report->procedures);

	if (first.is_rest)
		ep_say_activities(b);
	say_procedures(b, &first);
	if (!first.is_rest)
		ep_say_activities(b);
	ep_say_with_headers(b);
}

#define MIN_LIBRARY_SHARE 0.6

/* Says which library has most of the time. An interpreter often is a library that a small program only starts. In the
 * tables, the C library has the kernel's time in system calls. A library that has mostly such time is not named. */
static void say_library(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	const struct ep_report_row *row = r->modules.rows;
	const char *runtime;

	if (!r->modules.n_rows || row->self_share < MIN_LIBRARY_SHARE ||
		2 * row->system_ns > row->self_ns || !row->module[0] || is_kernel(row) ||
		ep_activities_tell_of(r, row) || !strstr(row->module_name, ".so"))
		return;
	runtime = ep_runtime_of_file(b->trace, row->module);
	ep_say(b,
		runtime ? ep_text(b,
				  "%.0f %% of the CPU time was spent in %s, %s, which carries out the program's own code.",
				  100 * row->self_share, runtime, row->module_name)
			: ep_text(b,
				  "%.0f %% of the CPU time was spent in a library, %s, not in the program's own code.",
				  100 * row->self_share, row->module_name));
}

/* Names the programs that have most of the time, as "od (48 % in 6 processes)". */
static void say_programs(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	const char *list = "";
	double share = 0;

	if (r->n_programs < 2)
		return;
	for (uint32_t i = 0; i < r->n_programs && i < MAX_NAMED && share < NEARLY_ALL; i++) {
		const struct ep_report_program *p = &r->programs[i];

		share += p->share;
		list = ep_text(b, "%s%s%s (%.0f %% in %u process%s)", list, i ? ", " : "", p->name,
			100 * p->share, p->n_processes, p->n_processes == 1 ? "" : "es");
	}
	if (r->programs[0].share >= NEARLY_ALL)
		ep_say(b, ep_text(b, "%s took %.0f %% of the CPU time, in %u of %u processes.",
				  r->programs[0].name, 100 * r->programs[0].share,
				  r->programs[0].n_processes, r->n_processes));
	else
		ep_say(b, ep_text(b, "The programs that took most of the CPU time: %s.", list));
}

/* ---- what to do ---- */

#define WORTH_A_LOOK 0.1

static double total_of(const struct ep_report *r, const struct ep_report_row *row)
{
	return r->parallel.is_telling ? row->total_latency_share : row->total_share;
}

/* Returns the procedure with most time, calls included. It is chosen among those with much time of their own that
 * no sentence on an activity has named. */
static const struct ep_report_row *first_place(const struct ep_report *r)
{
	const struct ep_report_table *table = &r->procedures;
	const struct ep_report_row *best = NULL;
	double least = 0;

	for (uint32_t i = 0; i < table->n_rows; i++) {
		const struct ep_report_row *row = &table->rows[i];

		double share = ep_latency_or_share(r, row);

		if (!ep_report_row_is_place(row) || share < fmax(WORTH_A_LOOK, least) ||
			ep_activities_tell_of(r, row))
			continue;
		least = fmax(least, share / 2);
		if (!best || total_of(r, row) > total_of(r, best))
			best = row;
	}
	return best;
}

static bool is_of_program(const struct ep_report *r, const struct ep_report_row *row)
{
	return ep_report_is_programs(r, row->module);
}

/* Makes the words for a row's share. If threads run at the same time, the words do not promise that this
 * share can be saved, since the remaining work may take as long by itself. */
static const char *share_words(struct ep_words *b, const struct ep_report_row *row)
{
	double self = ep_latency_or_share(b->report, row);

	if (!b->report->parallel.is_telling)
		return ep_text(b, "at most %.0f %% can be saved there", 100 * self);
	return ep_text(b,
		"%.0f %% of the time in which threads ran is there (%.0f %% of the CPU time)",
		100 * self, 100 * row->self_share);
}

/* Points to a procedure of the program's own code, which the reader can change, and names the share of what
 * it calls. */
static void say_first_look(struct ep_words *b, const struct ep_report_row *row)
{
	const char *place = "", *callees = "", *user = ep_user_of_header(b, row);
	double total = total_of(b->report, row);

	if (user)
		place = ep_text(b, ", which works mostly for %s", user);
	else if (row->hot_file)
		place = ep_text(b, ", line %s:%u", ep_base_name(row->hot_file), row->hot_line);
	if (total > 1.2 * ep_latency_or_share(b->report, row))
		callees = ep_text(b, ", %.0f %% with what it calls", 100 * total);
	ep_say(b, ep_text(b, "Look first at %s%s: %s%s.", ep_name_say(b, row->short_name), place,
			  share_words(b, row), callees));
}

static void say_library_place(struct ep_words *b, const struct ep_report_row *row)
{
	double share = 0;
	const char *caller = ep_find_own_caller(b, row, &share);
	const char *language = ep_interpreted_language(b->report);
	const char *name = ep_name_say(b, row->short_name);

	if (language)
		ep_say(b, ep_text(b, "%s is code of %s, called by a script in %s.", name,
				  row->module_name, language));
	else if (caller && share >= MOST)
		ep_say(b,
			ep_text(b,
				"%s is code of %s; %.0f %% of its time is spent for %s: look there first.",
				name, row->module_name, 100 * share, ep_name_say(b, caller)));
	else
		ep_say(b,
			ep_text(b,
				"%s is code of %s. See the table 'How it got there' for its callers; evreport --callers shows the share of each.",
				name, row->module_name));
}

/* Returns the procedure with most time of its own among those that a sentence on an activity has named; NULL: none
 * has much. */
static const struct ep_report_row *first_told(const struct ep_report *r)
{
	const struct ep_report_table *table = &r->procedures;
	const struct ep_report_row *best = NULL;

	for (uint32_t i = 0; i < table->n_rows; i++) {
		const struct ep_report_row *row = &table->rows[i];

		if (row->self_share >= WORTH_A_LOOK && !is_kernel(row) &&
			ep_activities_tell_of(r, row) &&
			(!best || row->self_share > best->self_share))
			best = row;
	}
	return best;
}

/* Names the script's function that calls the largest procedure of an activity with a sentence, such as linear
 * algebra. The reader can change that function. */
static void say_script_of_activity(struct ep_words *b)
{
	const struct ep_report_row *row = first_told(b->report);
	double share = 0;
	const char *caller = row ? ep_find_own_caller(b, row, &share) : NULL;

	if (caller && share >= MOST && strstr(caller, ".py:"))
		ep_say(b, ep_text(b, "%.0f %% of the time of %s is spent for %s: look there first.",
				  100 * share, ep_name_say(b, row->short_name),
				  ep_name_say(b, caller)));
}

static void say_where_to_look(struct ep_words *b)
{
	const struct ep_report_row *row = first_place(b->report);

	if (row && (is_of_program(b->report, row) || row->is_script || !row->module[0]))
		say_first_look(b, row);
	else if (row)
		say_library_place(b, row);
	else
		say_script_of_activity(b);
}

static void say_kernel(struct ep_words *b)
{
	double share = kernel_share(b->report);

	if (share >= MUCH_KERNEL)
		ep_say(b,
			ep_text(b,
				"%.0f %% of the CPU time was spent in the kernel, for the program (system calls, page faults).%s",
				100 * share,
				b->report->hidden_ns
					? " evprof run --kernel shows which procedures cause it."
					: ""));
}

static void say_run_time_code(struct ep_words *b)
{
	for (uint32_t i = 0; i < b->report->procedures.n_rows; i++) {
		const struct ep_report_row *row = &b->report->procedures.rows[i];

		if (is_run_time_code(row) && row->self_share >= WORTH_A_LOOK)
			ep_say(b,
				"Code made at run time has no names here: Good to know says how it gets them.");
	}
}

#define MUCH_OUTSIDE 0.2

/* Says how much time went to programs that are not in the trace. The sentence stands first, since all other
 * sentences leave that time out. */
static void say_outside(struct ep_words *b)
{
	double inside_s = (double)b->report->cpu_ns / 1e9, outside_s = b->report->outside_s;
	double share = outside_s > 0 ? outside_s / (inside_s + outside_s) : 0;

	if (share >= MUCH_OUTSIDE)
		ep_say(b,
			ep_text(b,
				"%.0f %% of the CPU time went to programs that are not in this trace: Good to know says which those can be. What follows is about the rest.",
				100 * share));
}

#define MIN_SAMPLES 20 /* with fewer samples, no share is worth a sentence */

void ep_build_in_short(struct ep_words *builder)
{
	say_outside(builder);
	ep_say_waits(builder);
	if (builder->report->n_samples < MIN_SAMPLES && !builder->report->is_exact)
		return;
	say_programs(builder);
	say_where_it_went(builder);
	if (!ep_say_scripts(builder))
		say_library(builder);
	ep_say_cpus(builder);
	ep_say_parallel(builder);
	say_where_to_look(builder);
	say_kernel(builder);
	ep_say_faults(builder);
	say_run_time_code(builder);
}
