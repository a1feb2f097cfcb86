// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/phases/phases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/export/tree_walk.h"
#include "reporter/phases/borders.h"
#include "reporter/phases/pace.h"
#include "reporter/phases/stalls.h"

/* most windows; searching their borders takes about a second */
#define MOST_WINDOWS 2000
#define DEFAULT_PERIOD_US 10000

enum rate { RATE_CPUS, RATE_INSTRUCTIONS, N_RATES };
enum { N_SHARES = 12, OTHERS = N_SHARES - 1 };

/* The largest share of waits for a CPU in the threads' time that does not matter. If the share is larger, other
 * programs decide how many CPUs the run has at a time, and windows are pieces of the run's CPU time. */
static const double most_ready = 0.02;

/* The least standard deviations of the rates' logarithms. A thread may lose its CPU for some windows even if that
 * share is small. A change in the number of CPUs therefore counts only if it is large, or lasts. */
static const double least_scatters[N_RATES] = { [RATE_CPUS] = 0.5, [RATE_INSTRUCTIONS] = 0.05 };

/* The time of one sample, or a part of it. */
struct piece {
	uint64_t end_us; /* since the run began */
	double cpu_us;
	uint32_t symbol;
};

struct phase_finder {
	const struct ep_trace *trace;
	const struct ep_time_log *times;
	struct ep_tree_walk walk;
	/* (n_paths) the symbol of the path's innermost frame, plus one; 0: not asked yet; UINT32_MAX: no frame */
	uint32_t *symbol_of_path;
	double *us_of_symbol; /* (n_symbols + 1) CPU time; the last is for paths without a frame */
	uint32_t *column_of_symbol;
	uint32_t symbols[OTHERS]; /* the symbols of the columns, most time first */
	uint32_t n_symbols, n_columns;
	struct piece *pieces; /* (n_pieces) sorted by time */
	uint32_t n_pieces;
	bool is_of_cpu_time; /* windows are pieces of CPU time; false: of wall time */
	uint64_t birth_ns;
	double period_us, width_us;
	uint32_t n_windows;
	/* (n_windows + 1) times of the windows' borders since the run began */
	double *edges_us;
	double *shares, *rates; /* (T, S) time in periods of the ticks; rates: (T, R) */
	/* (T, S) shares, as numbers of independent samples */
	double *samples;
	double *instructions, *cycles; /* (T) counts in each window */
};

static void finish(struct phase_finder *f)
{
	ep_tree_walk_finish(&f->walk);
	free(f->symbol_of_path);
	free(f->us_of_symbol);
	free(f->column_of_symbol);
	free(f->pieces);
	free(f->edges_us);
	free(f->shares);
	free(f->samples);
	free(f->rates);
	free(f->instructions);
	free(f->cycles);
}

/* ---- where and when ---- */

/* Finds the symbols of the procedures in which the entries' paths end. Looking them up adds symbols, so that the
 * number of symbols is known only afterwards. */
static int find_symbols(struct phase_finder *f)
{
	const struct ep_walk_frame *frames;
	uint32_t n;

	for (uint32_t t = 0; t < f->times->n_threads; t++)
		for (uint32_t i = 0; i < f->times->threads[t].n_entries; i++) {
			uint32_t path_idx = f->times->threads[t].entries[i].path_idx;

			if (f->symbol_of_path[path_idx])
				continue;
			if (ep_tree_walk_frames(&f->walk, path_idx, &frames, &n))
				return -ENOMEM;
			f->symbol_of_path[path_idx] =
				n ? frames[0].frame.symbol_idx + 1 : UINT32_MAX;
		}
	return 0;
}

/* Returns the symbol of the entry's path; n_symbols if the path has none. */
static uint32_t symbol_of(const struct phase_finder *f, const struct ep_time_entry *entry)
{
	uint32_t number = f->symbol_of_path[entry->path_idx];

	return number == UINT32_MAX ? f->n_symbols : number - 1;
}

/* Converts a time since a thread's process was born to a time since the run began. */
static uint64_t moment_us(const struct phase_finder *f, uint32_t thread_idx, uint64_t at_us)
{
	uint64_t born_ns = f->trace->processes[f->trace->threads[thread_idx].process_idx].born_ns;

	return (born_ns > f->birth_ns ? (born_ns - f->birth_ns) / 1000 : 0) + at_us;
}

static int by_end(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return (x->end_us > y->end_us) - (x->end_us < y->end_us);
}

static int gather_pieces(struct phase_finder *f)
{
	size_t n = 0;

	for (uint32_t t = 0; t < f->times->n_threads; t++)
		n += f->times->threads[t].n_entries;
	f->pieces = calloc(n + 1, sizeof(*f->pieces));
	if (!f->pieces)
		return -ENOMEM;
	for (uint32_t t = 0; t < f->times->n_threads; t++) {
		const struct ep_thread_log *log = &f->times->threads[t];
		uint64_t behind_us = 0;

		for (uint32_t i = 0; i < log->n_entries; i++) {
			uint64_t end_us = moment_us(f, t, log->entries[i].end_us);

			ep_thread_log_step(log, i, &behind_us);
			f->pieces[f->n_pieces++] =
				(struct piece){ end_us > behind_us ? end_us - behind_us : 0,
					(double)log->entries[i].cpu_us,
					symbol_of(f, &log->entries[i]) };
		}
	}
	qsort(f->pieces, f->n_pieces, sizeof(*f->pieces), by_end);
	return 0;
}

static bool was_crowded(const struct phase_finder *f)
{
	double ready_us = 0, cpu_us = 0;

	for (uint32_t i = 0; i < f->trace->n_threads; i++) {
		const struct ep_trace_thread *thread = &f->trace->threads[i];

		cpu_us += (double)thread->cost.cpu_us;
		ready_us += thread->has_ready ? (double)thread->ready.ready_ns / 1e3 : 0;
	}
	return ready_us > most_ready * (ready_us + cpu_us);
}

/* Chooses the width of windows: a period of the ticks, which is about one sample of a thread. Long runs have wider
 * windows, so that there are at most MOST_WINDOWS. Wider ones would blur borders; narrower ones would often be
 * empty. */
static int choose_windows(struct phase_finder *f)
{
	double length_us = 0;

	f->period_us = INFINITY;
	for (uint32_t i = 0; i < f->trace->n_processes; i++)
		if (f->trace->processes[i].window_us)
			f->period_us = fmin(f->period_us, (double)f->trace->processes[i].window_us);
	f->period_us = isinf(f->period_us) ? DEFAULT_PERIOD_US : f->period_us;
	f->is_of_cpu_time = was_crowded(f) || f->trace->part.region;
	for (uint32_t i = 0; i < f->n_pieces; i++)
		length_us = f->is_of_cpu_time ? length_us + f->pieces[i].cpu_us
					      : (double)f->pieces[i].end_us;
	f->width_us = fmax(f->period_us, length_us / MOST_WINDOWS);
	f->n_windows = (uint32_t)ceil(length_us / f->width_us);
	f->edges_us = calloc((size_t)f->n_windows + 2, sizeof(*f->edges_us));
	if (!f->edges_us)
		return -ENOMEM;
	for (uint32_t i = 0; i <= f->n_windows && !f->is_of_cpu_time; i++)
		f->edges_us[i] = i * f->width_us;
	return 0;
}

/* ---- columns ---- */

/* Gives each of the procedures with most time a column, and all others one column together. */
static void choose_columns(struct phase_finder *f)
{
	for (uint32_t i = 0; i <= f->n_symbols; i++)
		f->column_of_symbol[i] = OTHERS;
	for (f->n_columns = 0; f->n_columns < OTHERS; f->n_columns++) {
		uint32_t most = f->n_symbols;

		for (uint32_t i = 0; i < f->n_symbols; i++)
			if (f->column_of_symbol[i] == OTHERS && f->us_of_symbol[i] > 0 &&
				(most == f->n_symbols ||
					f->us_of_symbol[i] > f->us_of_symbol[most]))
				most = i;
		if (most == f->n_symbols)
			return;
		f->column_of_symbol[most] = f->n_columns;
		f->symbols[f->n_columns] = most;
	}
}

/* ---- windows ---- */

/* Adds a sample's time to the window in which it ends (on the windows' clock) and, if it is long, to windows before. A
 * sample of many periods (a host had the CPU, or ticks came late) fills many windows, but counts as one independent
 * sample in all. If it counted as one sample in each window, it would look like a phase. */
static void add_time(struct phase_finder *f, double end_us, double cpu_us, uint32_t column)
{
	double from_us = fmax(0, end_us - cpu_us), draw = fmin(1, f->period_us / fmax(1, cpu_us));

	/* If rounding puts end_us at or before this window's start, the window gets none of the time. */
	for (uint32_t t = (uint32_t)ceil(end_us / f->width_us); t && end_us > from_us; t--) {
		double start_us = fmin(end_us, fmax(from_us, (t - 1) * f->width_us));
		double n_periods = (end_us - start_us) / f->period_us;

		if (t <= f->n_windows) {
			size_t at = (size_t)(t - 1) * N_SHARES + column;

			f->shares[at] += n_periods;
			f->samples[at] += draw * n_periods;
			f->rates[(size_t)(t - 1) * N_RATES + RATE_CPUS] +=
				(end_us - start_us) / f->width_us;
		}
		end_us = start_us;
	}
}

/* Sets the edges of windows that end within this piece of CPU time; at_us is the CPU time before the piece. */
static void note_edges(struct phase_finder *f, const struct piece *piece, double at_us)
{
	uint32_t t = (uint32_t)ceil(at_us / f->width_us);

	for (; t <= f->n_windows && t * f->width_us <= at_us + piece->cpu_us; t++)
		f->edges_us[t] = fmax(t ? f->edges_us[t - 1] : 0,
			(double)piece->end_us - (at_us + piece->cpu_us - t * f->width_us));
}

static void add_pieces(struct phase_finder *f)
{
	double at_us = 0;

	for (uint32_t i = 0; i < f->n_pieces; i++) {
		const struct piece *piece = &f->pieces[i];

		if (f->is_of_cpu_time)
			note_edges(f, piece, at_us);
		at_us += piece->cpu_us;
		add_time(f, f->is_of_cpu_time ? at_us : (double)piece->end_us, piece->cpu_us,
			f->column_of_symbol[piece->symbol]);
	}
	if (f->n_pieces)
		f->edges_us[f->n_windows] = (double)f->pieces[f->n_pieces - 1].end_us;
	f->edges_us[0] = f->trace->part.region && f->n_pieces
				 ? fmax(0, (double)f->pieces[0].end_us - f->pieces[0].cpu_us)
				 : 0;
}

/* Returns the window of a moment; n_windows if the moment is after all windows. */
static uint32_t window_at(const struct phase_finder *f, double at_us)
{
	uint32_t low = 0, high = f->n_windows;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (f->edges_us[middle + 1] <= at_us)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds a thread's counts. Each count is placed at the middle of its slice. */
static void add_counts(
	struct phase_finder *f, uint32_t t, enum ep_known_event what, double *windows)
{
	const struct ep_count_row *row = ep_pace_row(f->trace, f->times->counts, t, what);

	for (uint32_t i = 0; row && i < row->n_entries; i++) {
		double end_us = (double)moment_us(f, t, row->entries[i].end_us);
		uint32_t window = window_at(f, fmax(0, end_us - f->period_us / 2));

		if (window < f->n_windows)
			windows[window] += (double)row->entries[i].count;
	}
}

/* Adds instructions per cycle, or instructions per CPU time if cycles were not counted. */
static void add_rates(struct phase_finder *f)
{
	const struct ep_count_log *counts = f->times->counts;
	bool has_cycles = counts && ep_pace_has_cycles(f->trace, counts);

	for (uint32_t t = 0; t < f->times->n_threads && counts; t++) {
		add_counts(f, t, EP_KNOWN_INSTRUCTIONS, f->instructions);
		if (has_cycles)
			add_counts(f, t, EP_KNOWN_CYCLES, f->cycles);
	}
	for (uint32_t t = 0; t < f->n_windows; t++) {
		double *rates = f->rates + (size_t)t * N_RATES;
		double per = has_cycles ? f->cycles[t] : rates[RATE_CPUS];

		if (f->is_of_cpu_time)
			rates[RATE_CPUS] = NAN;
		rates[RATE_INSTRUCTIONS] =
			f->instructions[t] > 0 && per > 0 ? f->instructions[t] / per : NAN;
	}
}

static int make_windows(struct phase_finder *f)
{
	size_t n = (size_t)f->n_windows + 1;

	f->shares = calloc(n * N_SHARES, sizeof(*f->shares));
	f->samples = calloc(n * N_SHARES, sizeof(*f->samples));
	f->rates = calloc(n * N_RATES, sizeof(*f->rates));
	f->instructions = calloc(n, sizeof(*f->instructions));
	f->cycles = calloc(n, sizeof(*f->cycles));
	if (!f->shares || !f->samples || !f->rates || !f->instructions || !f->cycles)
		return -ENOMEM;
	add_pieces(f);
	add_rates(f);
	return 0;
}

/* ---- description of the phases ---- */

static void name_procedures(const struct phase_finder *f, const double *samples, double n_samples,
	struct ep_phase_kind *kind)
{
	bool is_taken[OTHERS] = { false };

	for (int k = 0; k < EP_PHASE_PROCEDURES; k++) {
		uint32_t most = OTHERS;

		for (uint32_t i = 0; i < f->n_columns; i++)
			if (!is_taken[i] && samples[i] > 0 &&
				(most == OTHERS || samples[i] > samples[most]))
				most = i;
		if (most == OTHERS)
			return;
		is_taken[most] = true;
		kind->names[k] = ep_symbols_get(f->walk.symbols, f->symbols[most])->name;
		kind->shares[k] = samples[most] / n_samples;
	}
}

static void describe_kind(const struct phase_finder *f, const struct ep_segmentation *found,
	uint32_t k, struct ep_phase_kind *kind)
{
	double samples[N_SHARES] = { 0 }, n_samples = 0, instructions = 0, cycles = 0;

	for (uint32_t i = 0; i < found->n_stretches; i++) {
		const struct ep_stretch_of_windows *stretch = &found->stretches[i];

		if (stretch->kind != k)
			continue;
		kind->n_stretches++;
		kind->time_s += (f->edges_us[stretch->to] - f->edges_us[stretch->from]) / 1e6;
		for (uint32_t t = stretch->from; t < stretch->to; t++) {
			for (int c = 0; c < N_SHARES; c++)
				samples[c] += f->shares[(size_t)t * N_SHARES + (size_t)c];
			instructions += f->instructions[t];
			cycles += f->cycles[t];
		}
	}
	for (int c = 0; c < N_SHARES; c++)
		n_samples += samples[c];
	kind->cpu_s = n_samples * f->period_us / 1e6;
	kind->instructions_per_cycle = cycles > 0 && instructions > 0 ? instructions / cycles : NAN;
	name_procedures(f, samples, n_samples, kind);
}

static int describe(struct phase_finder *f, struct ep_phases *out)
{
	const struct ep_segmentation *found = &out->segmentation;

	out->window_s = f->width_us / 1e6;
	out->duration_s = (f->edges_us[f->n_windows] - f->edges_us[0]) / 1e6;
	out->is_crowded = was_crowded(f);
	out->region = f->trace->part.region;
	out->kinds = calloc(found->n_kinds + 1, sizeof(*out->kinds));
	out->repeats = calloc(found->n_stretches + 1, sizeof(*out->repeats));
	if (!out->kinds || !out->repeats)
		return -ENOMEM;
	for (uint32_t k = 0; k < found->n_kinds; k++)
		describe_kind(f, found, k, &out->kinds[k]);
	out->n_repeats = ep_repeats_find(found, out->repeats);
	out->edges_us = f->edges_us;
	f->edges_us = NULL;
	return 0;
}

static int join_stalls(const struct phase_finder *f, struct ep_segmentation *found)
{
	EP_AUTOFREE double *cpu_us = calloc((size_t)f->n_windows + 1, sizeof(*cpu_us));
	const struct ep_stall_series series = { f->edges_us, cpu_us };

	if (!cpu_us)
		return -ENOMEM;
	for (size_t i = 0; i < (size_t)f->n_windows * N_SHARES; i++)
		cpu_us[i / N_SHARES] += f->shares[i] * f->period_us;
	return ep_stalls_join(&series, f->n_windows, found);
}

/* Moves borders to times between samples, as far as procedures distinguish the phases. */
static int refine_borders(const struct phase_finder *f, struct ep_segmentation *found)
{
	EP_AUTOFREE struct ep_border_sample *rows = calloc((size_t)f->n_pieces + 1, sizeof(*rows));
	const struct ep_border_samples samples = { rows, f->n_pieces, N_SHARES };

	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n_pieces; i++) {
		double end_us = (double)f->pieces[i].end_us;

		rows[i] = (struct ep_border_sample){ end_us - f->pieces[i].cpu_us, end_us,
			f->column_of_symbol[f->pieces[i].symbol] };
	}
	return ep_borders_refine(&samples, f->edges_us, found);
}

static int prepare(struct phase_finder *f, struct ep_symbols *symbols)
{
	f->walk = (struct ep_tree_walk){ .trace = f->trace, .symbols = symbols };
	f->symbol_of_path = calloc(f->trace->n_paths + 1, sizeof(*f->symbol_of_path));
	if (!f->symbol_of_path || find_symbols(f))
		return -ENOMEM;
	f->n_symbols = ep_symbols_count(symbols);
	f->us_of_symbol = calloc(f->n_symbols + 1, sizeof(*f->us_of_symbol));
	f->column_of_symbol = calloc(f->n_symbols + 1, sizeof(*f->column_of_symbol));
	if (!f->us_of_symbol || !f->column_of_symbol)
		return -ENOMEM;
	if (gather_pieces(f) || choose_windows(f))
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n_pieces; i++)
		f->us_of_symbol[f->pieces[i].symbol] += f->pieces[i].cpu_us;
	return 0;
}

int ep_phases_find(const struct ep_trace *trace, struct ep_symbols *symbols,
	const struct ep_time_log *times, struct ep_phases *out)
{
	__attribute__((cleanup(finish))) struct phase_finder f = {
		.trace = trace, .times = times, .birth_ns = ep_trace_birth_ns(trace)
	};
	struct ep_phases made = { 0 };
	int rc = prepare(&f, symbols);

	if (rc)
		return rc;
	choose_columns(&f);
	rc = make_windows(&f);
	if (!rc) {
		const struct ep_window_series series = { f.n_windows, N_SHARES, N_RATES, f.samples,
			f.rates, least_scatters };

		rc = ep_segment(&series, &made.segmentation);
	}
	if (!rc)
		rc = join_stalls(&f, &made.segmentation);
	if (!rc)
		rc = refine_borders(&f, &made.segmentation);
	if (!rc)
		rc = describe(&f, &made);
	if (rc) {
		ep_phases_finish(&made);
		return rc;
	}
	*out = made;
	return 0;
}

void ep_phases_finish(struct ep_phases *phases)
{
	ep_segmentation_finish(&phases->segmentation);
	free(phases->edges_us);
	free(phases->kinds);
	free(phases->repeats);
	*phases = (struct ep_phases){ 0 };
}

double ep_phase_from_s(const struct ep_phases *phases, uint32_t stretch)
{
	return phases->edges_us[phases->segmentation.stretches[stretch].from] / 1e6;
}

double ep_phase_to_s(const struct ep_phases *phases, uint32_t stretch)
{
	return phases->edges_us[phases->segmentation.stretches[stretch].to] / 1e6;
}
