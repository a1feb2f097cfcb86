// SPDX-License-Identifier: BSD-3-Clause
/* Implements block_sums.h. One thread runs it. */
#include "reporter/load/block_sums.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/load/loader.h"

/* The most slices or sums of a thread that are kept until its next block, which a damaged trace may lack. */
#define MOST_KEPT (1u << 16)

/* A sum is spread over at most MOST_PIECES pieces of time. In a block with many sums, as only a damaged trace
 * has, a sum is spread over fewer pieces, but at least LEAST_PIECES: so the pieces of all sums together are
 * about MOST_OF_BLOCK. */
#define MOST_PIECES 1000
#define LEAST_PIECES 16
#define MOST_OF_BLOCK (1u << 18)

/* At most this many pieces are outside of the block's slices. */
#define MOST_REST 4

/* A piece of time in which a part of a sum may have passed. That part is the piece's weight divided by the
 * weight of all pieces. */
struct time_piece {
	uint64_t start_us, end_us;
	double weight;
};

struct time_pieces {
	struct time_piece *rows; /* (n) pieces of time */
	uint32_t n;
	double weight; /* the weight of all pieces */
	/* the first and the last moment of the slices that the pieces are parts of */
	uint64_t first_us, last_us;
};

bool ep_block_sums_are_wanted(const struct loader *loader)
{
	return !loader->options->skip_samples &&
	       (loader->trace->part.is_set || loader->options->see_sum);
}

void ep_block_sums_finish(struct ep_block_sums *sums)
{
	free(sums->slices);
	free(sums->sums);
	*sums = (struct ep_block_sums){ 0 };
}

static struct ep_block_slice slice_of(const struct ep_sample *s, uint32_t region_idx)
{
	return (struct ep_block_slice){
		.start_us = s->time_us > s->wall_us ? s->time_us - s->wall_us : 0,
		.end_us = s->time_us,
		.off_us = s->wall_us > s->cpu_us ? s->wall_us - s->cpu_us : 0,
		.region_idx = region_idx,
	};
}

static bool may_have_sums(const struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	return trace->processes[thread->process_idx].meta[EP_META_WAITS] || thread->regions.n_known;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Joins two slices; the result has the region of the longer one. */
static void merge(struct ep_block_slice *to, const struct ep_block_slice *s)
{
	if (s->end_us - s->start_us > to->end_us - to->start_us)
		to->region_idx = s->region_idx;
	to->start_us = s->start_us < to->start_us ? s->start_us : to->start_us;
	to->end_us = most(to->end_us, s->end_us);
	to->off_us += s->off_us;
}

/* Keeps a slice. When the limit is reached, a further slice is joined with the last one: if it were dropped,
 * its time would be taken for time off the CPU. */
static int keep(struct ep_block_sums *sums, const struct ep_block_slice *s)
{
	if (sums->n_slices == MOST_KEPT) {
		merge(&sums->slices[MOST_KEPT - 1], s);
		return 0;
	}
	if (EP_ARRAY_RESERVE(sums->slices, sums->n_slices, sums->slice_capacity))
		return -ENOMEM;
	sums->slices[sums->n_slices++] = *s;
	return 0;
}

int ep_block_sums_see(
	struct loader *loader, struct ep_trace_thread *thread, const struct ep_samples *samples)
{
	struct ep_block_sums *sums = &thread->block_sums;
	int rc = 0;

	if (!ep_block_sums_are_wanted(loader) || !may_have_sums(loader->trace, thread))
		return 0;
	for (uint32_t i = 0; i < samples->n_samples && !rc; i++) {
		struct ep_block_slice slice =
			slice_of(&samples->samples[i], ep_region_of_slice(&thread->regions, i));

		if (!ep_sample_is_odd(&samples->samples[i]))
			rc = keep(sums, &slice);
	}
	return rc;
}

int ep_block_sums_add(
	struct loader *loader, struct ep_trace_thread *thread, const struct ep_block_sum *sum)
{
	struct ep_block_sums *sums = &thread->block_sums;

	if (!ep_block_sums_are_wanted(loader))
		return 0;
	if (sums->n_sums == MOST_KEPT) {
		int rc = ep_block_sums_lay(loader, thread, 0);

		if (rc)
			return rc;
	}
	if (EP_ARRAY_RESERVE(sums->sums, sums->n_sums, sums->sum_capacity))
		return -ENOMEM;
	sums->sums[sums->n_sums++] = *sum;
	return 0;
}

/* ---- finding the time of waits ---- */

static void put(struct time_pieces *pieces, uint64_t start_us, uint64_t end_us, double weight)
{
	pieces->rows[pieces->n++] = (struct time_piece){ start_us, end_us, weight };
	pieces->weight += weight;
	pieces->first_us = start_us < pieces->first_us ? start_us : pieces->first_us;
	pieces->last_us = most(pieces->last_us, end_us);
}

static void clear(struct time_pieces *pieces)
{
	pieces->n = 0;
	pieces->weight = 0;
	pieces->first_us = UINT64_MAX;
	pieces->last_us = 0;
}

/* Adds a piece for each slice whose time off the CPU is at least least_us, the shortest wait that is
 * recorded. Of a slice that began before the previous block was written, only the time since then is taken:
 * all of its time off the CPU may lie there, since it is not known when the thread was off the CPU. */
static void put_off_times(
	const struct ep_block_sums *sums, uint64_t least_us, struct time_pieces *pieces)
{
	for (uint32_t i = 0; i < sums->n_slices; i++) {
		const struct ep_block_slice *s = &sums->slices[i];
		uint64_t start_us = most(s->start_us, sums->from_us);
		uint64_t off_us = s->off_us;

		if (start_us >= s->end_us || off_us < least_us)
			continue;
		if (off_us > s->end_us - start_us)
			off_us = s->end_us - start_us;
		put(pieces, start_us, s->end_us, (double)off_us);
		pieces->first_us = s->start_us < pieces->first_us ? s->start_us : pieces->first_us;
	}
}

/* Adds a piece of time for up to room_us of the waits that are not placed yet (rest_us). Returns how much of
 * rest_us is still not placed. */
static double put_rest(struct time_pieces *pieces, uint64_t start_us, uint64_t end_us,
	double room_us, double rest_us)
{
	double weight = rest_us < room_us ? rest_us : room_us;

	if (start_us >= end_us || weight <= 0)
		return rest_us;
	put(pieces, start_us, end_us, weight);
	return rest_us - weight;
}

/* Places the waits that are not placed yet (rest_us) on the CPU time of the first n pieces, which are slices
 * with other waits, if that time is long enough for all of them. Returns how much is still not placed. */
static double put_on_cpu_times(struct time_pieces *pieces, uint32_t n, double rest_us)
{
	double room_us = 0;

	for (uint32_t i = 0; i < n; i++)
		room_us += (double)(pieces->rows[i].end_us - pieces->rows[i].start_us) -
			   pieces->rows[i].weight;
	if (rest_us <= 0 || rest_us > room_us)
		return rest_us;
	for (uint32_t i = 0; i < n; i++) {
		struct time_piece *piece = &pieces->rows[i];
		double long_us = (double)(piece->end_us - piece->start_us);

		piece->weight += (long_us - piece->weight) * rest_us / room_us;
	}
	pieces->weight += rest_us;
	return 0;
}

/* Returns the sum of the durations of all waits. */
static double add_up(const struct ep_block_sums *sums)
{
	double us = 0;

	for (uint32_t i = 0; i < sums->n_sums; i++)
		us += sums->sums[i].is_region ? 0 : (double)sums->sums[i].ns / 1e3;
	return us;
}

/* Returns when the last slice ended. No tick came from then until the block was written, at to_us; so this
 * time holds hardly any CPU time. */
static uint64_t tail_start(const struct ep_block_sums *sums, uint64_t to_us)
{
	uint64_t start_us = sums->from_us;

	for (uint32_t i = 0; i < sums->n_slices; i++)
		start_us = most(start_us, sums->slices[i].end_us);
	return start_us < to_us ? start_us : to_us;
}

#define LAST_US (1ull << 53) /* later times are those of a damaged trace */

/*
 * Finds pieces of time for the waits of a block. The waits of a piece are never longer than the piece. Waits
 * are placed first in slices of the block, in their time off the CPU; then after the last slice; then before
 * the block, in time that holds no other waits, since a block has the whole time of a wait that ends in it.
 * If waits are still not placed, the block was written later than its recorded time: *io_to_us becomes that
 * later time. Up to one microsecond for each slice comes from rounding and is placed in the slices. Returns
 * how many microseconds of waits lie after the last slice.
 */
static double find_waits(const struct ep_block_sums *sums, uint64_t least_us,
	struct time_pieces *pieces, uint64_t *io_to_us)
{
	uint64_t to_us = *io_to_us, tail_us = tail_start(sums, to_us);
	double waits_us = add_up(sums), rest_us, in_tail_us;
	uint32_t n;

	clear(pieces);
	put_off_times(sums, least_us, pieces);
	n = pieces->n;
	rest_us = waits_us - pieces->weight;
	if (rest_us <= n)
		rest_us = put_on_cpu_times(pieces, n, rest_us);
	in_tail_us = rest_us > 0 ? rest_us : 0;
	rest_us = put_rest(pieces, tail_us, to_us, (double)(to_us - tail_us), rest_us);
	in_tail_us -= rest_us > 0 ? rest_us : 0;
	rest_us = put_rest(pieces, sums->free_us, sums->from_us,
		(double)(sums->from_us - sums->free_us), rest_us);
	rest_us = put_rest(pieces, sums->tail_us, sums->free_us,
		(double)(sums->free_us - sums->tail_us) - sums->in_tail_us, rest_us);
	rest_us = put_on_cpu_times(pieces, n, rest_us);
	if (pieces->weight > 0 && rest_us <= 0)
		return in_tail_us;
	if (waits_us <= (double)(to_us - sums->from_us)) {
		clear(pieces);
		put(pieces, sums->from_us, to_us, 1);
		return (double)(to_us - tail_us);
	}
	*io_to_us = rest_us < (double)(LAST_US - to_us) ? to_us + (uint64_t)rest_us + 1 : LAST_US;
	put(pieces, to_us, *io_to_us, rest_us);
	return in_tail_us + rest_us;
}

/* Remembers the time before the next block in which waits of that block may be placed. */
static void keep_free_time(struct ep_block_sums *sums, uint64_t to_us, double in_tail_us)
{
	uint64_t tail_us = tail_start(sums, to_us);

	if (add_up(sums) > 0) {
		sums->tail_us = tail_us;
		sums->in_tail_us = in_tail_us;
		sums->free_us = to_us;
	} else if (sums->n_slices) {
		sums->tail_us = sums->free_us = tail_us;
		sums->in_tail_us = 0;
	}
}

/* ---- finding the time of a region ---- */

static bool is_below(const struct ep_region_table *table, uint32_t idx, uint32_t above_idx)
{
	/* a region's index is larger than that of the region around it */
	while (idx != EP_NONE && idx > above_idx)
		idx = table->rows[idx].parent_idx;
	return idx == above_idx;
}

static void find_region(const struct ep_trace *trace, const struct ep_block_sums *sums,
	uint32_t region_idx, uint64_t to_us, struct time_pieces *pieces)
{
	clear(pieces);
	for (uint32_t i = 0; i < sums->n_slices; i++) {
		const struct ep_block_slice *s = &sums->slices[i];
		uint64_t start_us = most(s->start_us, sums->from_us);

		if (start_us < s->end_us && is_below(&trace->regions, s->region_idx, region_idx))
			put(pieces, start_us, s->end_us, (double)(s->end_us - start_us));
	}
	if (!pieces->n)
		put(pieces, sums->from_us, to_us, 1);
}

/* ---- spreading sums over time ---- */

/* Returns which part of a piece lies in the part of the run that is shown, from 0 to 1. */
static double inside_of(
	const struct ep_trace *trace, uint64_t born_ns, const struct time_piece *piece)
{
	uint64_t start_ns = born_ns + piece->start_us * 1000,
		 end_ns = born_ns + piece->end_us * 1000;
	uint64_t low_ns = most(start_ns, trace->part.from_ns);
	uint64_t high_ns = end_ns < trace->part.to_ns ? end_ns : trace->part.to_ns;

	if (!trace->part.is_set)
		return 1;
	if (start_ns >= end_ns)
		return end_ns > trace->part.from_ns && end_ns <= trace->part.to_ns;
	return high_ns > low_ns ? (double)(high_ns - low_ns) / (double)(end_ns - start_ns) : 0;
}

/* Returns which part of all pieces, by weight, lies in the part of the run that is shown. */
static double share_of(const struct ep_trace *trace, uint64_t born_ns,
	const struct time_pieces *pieces, bool *out_is_cut)
{
	bool has_inside = false, has_outside = false;
	double share = 0;

	for (uint32_t i = 0; i < pieces->n; i++) {
		double inside = inside_of(trace, born_ns, &pieces->rows[i]);

		share += inside * pieces->rows[i].weight / pieces->weight;
		has_inside |= inside > 0;
		has_outside |= inside < 1;
	}
	has_outside |=
		trace->part.is_set && born_ns + pieces->first_us * 1000 < trace->part.from_ns;
	*out_is_cut = has_inside && has_outside;
	return has_outside ? share : 1;
}

static void add_share(
	struct ep_sum_share *to, const struct ep_block_sum *sum, double share, bool is_cut)
{
	if (share <= 0)
		return;
	to->n += share * (double)sum->n;
	to->ns += share * (double)sum->ns;
	to->longest_ns = most(to->longest_ns, sum->longest_ns);
	to->is_cut |= is_cut;
}

static int show(const struct loader *loader, uint32_t thread_idx, const struct ep_block_sum *sum,
	const struct time_pieces *pieces)
{
	const struct ep_load_options *options = loader->options;
	int rc = 0;

	for (uint32_t i = 0; options->see_sum && i < pieces->n && !rc; i++) {
		const struct time_piece *piece = &pieces->rows[i];
		double share = piece->weight / pieces->weight;
		const struct ep_seen_sum seen = { .thread_idx = thread_idx,
			.idx = sum->idx,
			.is_region = sum->is_region,
			.start_us = piece->start_us,
			.end_us = piece->end_us,
			.first_us = pieces->first_us,
			.last_us = pieces->last_us,
			.n = share * (double)sum->n,
			.ns = share * (double)sum->ns,
			.longest_ns = sum->longest_ns };

		rc = options->see_sum(options->seer, &seen);
	}
	return rc;
}

/* Spreads the waits over the pieces, which are the same for all waits of the block. */
static int lay_waits(
	struct loader *loader, struct ep_trace_thread *thread, const struct time_pieces *pieces)
{
	struct ep_trace *trace = loader->trace;
	const struct ep_block_sums *sums = &thread->block_sums;
	bool is_cut;
	double share =
		share_of(trace, trace->processes[thread->process_idx].born_ns, pieces, &is_cut);
	int rc = 0;

	if (share > 0)
		trace->n_lost_waits += sums->n_lost_waits;
	for (uint32_t i = 0; i < sums->n_sums && !rc; i++) {
		if (sums->sums[i].is_region)
			continue;
		add_share(&trace->waits[sums->sums[i].idx].shown, &sums->sums[i], share, is_cut);
		rc = show(loader, (uint32_t)(thread - trace->threads), &sums->sums[i], pieces);
	}
	return rc;
}

static int lay_regions(struct loader *loader, struct ep_trace_thread *thread, uint64_t to_us,
	struct time_pieces *pieces)
{
	struct ep_trace *trace = loader->trace;
	const struct ep_block_sums *sums = &thread->block_sums;
	uint64_t born_ns = trace->processes[thread->process_idx].born_ns;
	int rc = 0;

	for (uint32_t i = 0; i < sums->n_sums && !rc; i++) {
		const struct ep_block_sum *sum = &sums->sums[i];
		bool is_cut;
		double share;

		if (!sum->is_region)
			continue;
		find_region(trace, sums, sum->idx, to_us, pieces);
		share = share_of(trace, born_ns, pieces, &is_cut);
		add_share(&trace->regions.rows[sum->idx].shown, sum, share, is_cut);
		rc = show(loader, (uint32_t)(thread - trace->threads), sum, pieces);
	}
	return rc;
}

/* Joins neighbouring slices in groups of equal size, so that each sum can be spread over all slices without
 * exceeding the limits. */
static void thin(struct ep_block_sums *sums, uint64_t least_us)
{
	uint32_t n = MOST_OF_BLOCK / (sums->n_sums + 1), n_of_one, n_kept = 0;

	n = n > MOST_PIECES ? MOST_PIECES : n < LEAST_PIECES ? LEAST_PIECES : n;
	if (sums->n_slices <= n)
		return;
	n_of_one = (sums->n_slices + n - 1) / n;
	for (uint32_t i = 0; i < sums->n_slices; i++) {
		struct ep_block_slice *s = &sums->slices[i];

		if (s->off_us < least_us)
			s->off_us = 0;
		if (i % n_of_one)
			merge(&sums->slices[n_kept - 1], s);
		else
			sums->slices[n_kept++] = *s;
	}
	sums->n_slices = n_kept;
}

static int lay(struct loader *loader, struct ep_trace_thread *thread, uint64_t *io_to_us)
{
	const struct ep_trace_process *process = &loader->trace->processes[thread->process_idx];
	struct ep_block_sums *sums = &thread->block_sums;
	uint64_t least_us = most(ep_trace_process_number(process, EP_META_WAITS, 0) / 1000, 1);
	EP_AUTOFREE struct time_piece *rows =
		calloc((size_t)sums->n_slices + MOST_REST, sizeof(*rows));
	struct time_pieces pieces = { .rows = rows };
	double in_tail_us;
	int rc;

	if (!rows)
		return -ENOMEM;
	thin(sums, least_us);
	in_tail_us = find_waits(sums, least_us, &pieces, io_to_us);
	keep_free_time(sums, *io_to_us, in_tail_us);
	rc = lay_waits(loader, thread, &pieces);
	return rc ? rc : lay_regions(loader, thread, *io_to_us, &pieces);
}

/* Spreads the sums of a block. The time at which it was written is taken to be the latest time in any block
 * of the process so far (last_us): a thread's block is written by the thread itself, or by another thread
 * after that thread's own block. */
int ep_block_sums_lay(struct loader *loader, struct ep_trace_thread *thread, uint64_t start_us)
{
	struct ep_block_sums *sums = &thread->block_sums;
	uint64_t to_us = loader->trace->processes[thread->process_idx].last_us;
	int rc = 0;

	if (!sums->has_from)
		sums->from_us = sums->free_us = sums->tail_us =
			start_us < LAST_US ? start_us : LAST_US;
	if (to_us < sums->from_us)
		to_us = sums->from_us;
	if (to_us > LAST_US)
		to_us = LAST_US;
	if (sums->n_sums || sums->n_lost_waits)
		rc = lay(loader, thread, &to_us);
	else
		keep_free_time(sums, to_us, 0);
	sums->n_sums = sums->n_slices = 0;
	sums->n_lost_waits = 0;
	sums->from_us = to_us;
	sums->has_from = true;
	return rc;
}
