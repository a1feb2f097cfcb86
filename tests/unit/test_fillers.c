// SPDX-License-Identifier: BSD-3-Clause
/* The slices of a process's threads that an estimator's states see, and how long the states live. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "tests/unit/pieces.h"

/* The slices that a filler which learns has seen. */
static struct {
	uint32_t n_calls, n_slices;
	uint32_t n_before_fill, n_filled;
} learnt;

static void learn(void *thread, const struct ep_stretch *s)
{
	learnt.n_calls++;
	learnt.n_slices += s->n_slices - s->n_learnt;
	CHECK(!s->changes || s->places);
}

static void fill_learnt(void *thread, struct ep_stretch *s)
{
	learnt.n_before_fill += s->n_learnt;
	learnt.n_filled += s->n_slices;
}

static struct ep_trace *load_learning(uint32_t n_wait, const struct piece *pieces, size_t n_pieces)
{
	struct ep_filler_ops filler = ep_filler_fixed;
	struct ep_trace *trace = NULL;

	filler.fill = fill_learnt;
	filler.uses_places = true;
	filler.learn = learn;
	filler.n_slices = n_wait;
	memset(&learnt, 0, sizeof(learnt));
	CHECK_INT(load_pieces(&filler, pieces, n_pieces, &trace), 0);
	return trace;
}

/* Two threads that wait until the end. */
TEST(what_other_threads_measured_is_shown_before_a_fill)
{
	const struct piece pieces[] = { { 100, 0, 3 }, { 100, 1, 3 } };
	struct ep_trace *trace;

	make(3);
	values[1] = 1ull << 63; /* no count: said once for each thread */
	trace = load_learning(100, pieces, EP_ARRAY_SIZE(pieces));
	CHECK_INT(learnt.n_calls, 1); /* the second's, before the first is filled */
	CHECK_INT(learnt.n_slices, 3);
	CHECK_INT(learnt.n_before_fill, 3); /* it is not to be learnt again */
	CHECK_INT(learnt.n_filled, 6);
	CHECK_INT(trace->loss.n_bad_counts, 2);
	ep_trace_destroy(trace);
}

/* Thread 0 is filled at every 20; thread 1 waits, and is looked through again only when half as
 * many slices more have come: the second time there are 3 to the 8, the third 4. */
TEST(who_waits_is_shown_again_when_half_as_much_came)
{
	const struct piece pieces[] = { { 100, 1, 8 }, { 100, 0, 20 }, { 100, 1, 3 },
		{ 100, 0, 20 }, { 100, 1, 1 }, { 100, 0, 20 } };

	make(20);
	ep_trace_destroy(load_learning(20, pieces, 4));
	CHECK_INT(learnt.n_calls, 1);
	CHECK_INT(learnt.n_slices, 8);
	CHECK_INT(learnt.n_before_fill, 8);
	CHECK_INT(learnt.n_filled, 51);
	ep_trace_destroy(load_learning(20, pieces, 6));
	CHECK_INT(learnt.n_calls, 2);
	CHECK_INT(learnt.n_slices, 12);
	CHECK_INT(learnt.n_before_fill, 12);
	CHECK_INT(learnt.n_filled, 72);
}

/* A slice in which another user had the PMU for a part is shown to the fill alone. */
TEST(slices_that_did_not_run_throughout_are_not_shown)
{
	const struct piece pieces[] = { { 100, 0, 3 }, { 100, 1, 3 } };

	make(3);
	rows[1].idle_us = 400;
	ep_trace_destroy(load_learning(100, pieces, EP_ARRAY_SIZE(pieces)));
	CHECK_INT(learnt.n_calls, 0);
	CHECK_INT(learnt.n_before_fill, 0);
	CHECK_INT(learnt.n_filled, 6);
}

/* A process of very many threads is not looked through; its neighbour of two is. */
TEST(how_many_threads_are_too_many_is_each_processs_own)
{
	enum { N_MANY = 1030 };
	static struct piece pieces[N_MANY + 2];

	make(3);
	for (uint32_t t = 0; t < N_MANY; t++)
		pieces[t] = (struct piece){ 200, t, 3 };
	pieces[N_MANY] = (struct piece){ 100, 0, 3 };
	pieces[N_MANY + 1] = (struct piece){ 100, 1, 3 };
	ep_trace_destroy(load_learning(100, pieces, N_MANY + 2));
	CHECK_INT(learnt.n_calls, 1);
	CHECK_INT(learnt.n_slices, 3);
	CHECK_INT(learnt.n_filled, 3 * (N_MANY + 2));
}

static int n_states, most_states;

static void *create_state(struct ep_fill_events *events)
{
	n_states++;
	most_states = n_states > most_states ? n_states : most_states;
	return malloc(1);
}

static void destroy_state(void *state)
{
	n_states--;
	free(state);
}

static void load_counting_states(const struct piece *pieces, size_t n_pieces)
{
	struct ep_filler_ops filler = ep_filler_fixed;
	struct ep_trace *trace = NULL;

	filler.fill = fill_learnt;
	filler.process_create = create_state;
	filler.process_destroy = destroy_state;
	filler.thread_create = NULL;
	filler.thread_destroy = NULL;
	most_states = 0;
	memset(&learnt, 0, sizeof(learnt));
	CHECK_INT(load_pieces(&filler, pieces, n_pieces, &trace), 0);
	ep_trace_destroy(trace);
	CHECK_INT(n_states, 0);
}

/* A process that lost its end keeps its state until all is read, as does one whose slices come
 * after its end: beside those that come and go. */
TEST(states_of_processes_go_when_they_end)
{
	const struct piece ended[] = { { 100, 0, 3, true }, { 200, 0, 3, true },
		{ 300, 0, 3, true } };
	const struct piece cut[] = { { 100, 0, 3, false }, { 200, 0, 3, true },
		{ 300, 0, 3, true } };
	const struct piece late[] = { { 100, 0, 3, true }, { 100, 0, 3, false },
		{ 200, 0, 3, true } };

	make(3);
	load_counting_states(ended, 3);
	CHECK_INT(most_states, 1);
	CHECK_INT(learnt.n_filled, 9);
	load_counting_states(cut, 3);
	CHECK_INT(most_states, 2);
	CHECK_INT(learnt.n_filled, 9);
	load_counting_states(late, 3);
	CHECK_INT(most_states, 2);
	CHECK_INT(learnt.n_filled, 9);
}
