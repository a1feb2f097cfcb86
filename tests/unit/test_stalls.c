// SPDX-License-Identifier: BSD-3-Clause
/* A short time without a CPU is a part of the phase around it; a program's own waiting is not. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/phases/stalls.h"

#define MAX_STRETCHES 16

/* Lengths of stretches in ms, which are windows; in each of their windows the CPU worked for a part of it. */
struct piece {
	uint32_t ms, kind;
	double cpu_part;
};

/* How many stretches are left. Kinds number them as ep_segment does. */
static uint32_t n_left(const struct piece *pieces, uint32_t n_pieces, uint32_t n_kinds)
{
	struct ep_segmentation in = { .n_stretches = n_pieces, .n_kinds = n_kinds };
	double edges_us[2001], cpu_us[2000];
	uint32_t n = 0, left;

	in.stretches = calloc(MAX_STRETCHES, sizeof(*in.stretches));
	edges_us[0] = 0;
	for (uint32_t i = 0; in.stretches && i < n_pieces; i++) {
		in.stretches[i].from = n;
		for (uint32_t k = 0; k < pieces[i].ms; k++, n++) {
			edges_us[n + 1] = edges_us[n] + 1000;
			cpu_us[n] = 1000 * pieces[i].cpu_part;
		}
		in.stretches[i].to = n;
		in.stretches[i].kind = pieces[i].kind;
	}
	CHECK(in.stretches);
	CHECK_INT(
		ep_stalls_join(&(struct ep_stall_series){ .edges_us = edges_us, .cpu_us = cpu_us },
			n, &in),
		0);
	left = in.n_stretches;
	ep_segmentation_finish(&in);
	return left;
}

TEST(a_stall_is_a_part_of_the_phase_around_it)
{
	CHECK_INT(n_left((struct piece[]){ { 500, 0, 1 }, { 17, 1, 0 }, { 483, 0, 1 } }, 3, 2), 1);
}

TEST(long_waiting_may_be_the_program_s_own)
{
	CHECK_INT(n_left((struct piece[]){ { 900, 0, 1 }, { 19, 1, 0 }, { 1000, 0, 1 } }, 3, 2), 1);
	CHECK_INT(n_left((struct piece[]){ { 900, 0, 1 }, { 50, 1, 0 }, { 1000, 0, 1 } }, 3, 2), 3);
}

TEST(work_is_no_stall)
{
	CHECK_INT(
		n_left((struct piece[]){ { 500, 0, 1 }, { 17, 1, 0.2 }, { 483, 0, 1 } }, 3, 2), 3);
}

TEST(between_two_phases_it_stays_alone)
{
	CHECK_INT(n_left((struct piece[]){ { 500, 0, 1 }, { 17, 1, 0 }, { 483, 2, 1 } }, 3, 3), 3);
}

/* In a short run 15 ms are much, but before the first work they are the start's. */
TEST(a_large_part_of_the_run_is_one_at_its_begin_only)
{
	CHECK_INT(n_left((struct piece[]){ { 15, 0, 0 }, { 85, 1, 1 } }, 2, 2), 1);
	CHECK_INT(n_left((struct piece[]){ { 40, 0, 1 }, { 15, 1, 0 }, { 45, 0, 1 } }, 3, 2), 3);
}

TEST(waiting_in_each_turn_is_the_program_s_own)
{
	struct piece pieces[10];

	for (int i = 0; i < 10; i += 2) {
		pieces[i] = (struct piece){ 100, 0, 1 };
		pieces[i + 1] = (struct piece){ 15, 1, 0 };
	}
	CHECK_INT(n_left(pieces, 10, 2), 10);
	for (int i = 0; i < 8; i += 2)
		pieces[i].ms = 200;
	CHECK_INT(n_left(pieces, 8, 2), 1); /* four are too few to tell */
}
