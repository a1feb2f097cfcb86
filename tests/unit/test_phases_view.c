// SPDX-License-Identifier: BSD-3-Clause
/* Turns of a program that repeats itself, and one that takes longer. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/phases/phases_view.h"

enum { MOST_TURNS = 12 };

/* Turns of two phases, of which the first takes as many windows as said and the second ten. */
struct fixture {
	struct ep_phases phases;
	struct ep_stretch_of_windows stretches[2 * MOST_TURNS];
	struct ep_phase_kind kinds[2];
	struct ep_repeat repeat;
	double edges_us[1000];
};

static void start(struct fixture *f, const uint32_t *windows, uint32_t n_turns)
{
	uint32_t at = 0;

	*f = (struct fixture){ .repeat = { 0, 2, n_turns } };
	for (uint32_t i = 0; i < n_turns; i++) {
		f->stretches[2 * i] = (struct ep_stretch_of_windows){ at, at + windows[i], 0 };
		at += windows[i];
		f->stretches[2 * i + 1] = (struct ep_stretch_of_windows){ at, at + 10, 1 };
		at += 10;
	}
	for (uint32_t i = 0; i <= at; i++)
		f->edges_us[i] = 1000.0 * i;
	f->kinds[0] = f->kinds[1] = (struct ep_phase_kind){ .n_stretches = n_turns, .time_s = 1 };
	f->phases = (struct ep_phases){ 0.001, at / 1e3, false, NULL, f->edges_us,
		{ f->stretches, 2 * n_turns, 2 }, f->kinds, &f->repeat, 1 };
}

TEST(a_slow_turn_is_one_beside_the_others)
{
	static const struct {
		uint32_t n_turns, windows[MOST_TURNS];
		const char *said; /* NULL: nothing */
	} cases[] = {
		{ 3, { 10, 40, 10 }, "; the slowest took 50.0 ms, from phase 3 on" },
		{ 10, { 10, 10, 10, 11, 10, 10, 9, 60, 10, 10 },
			"; the slowest took 70.0 ms, from phase 15 on" },
		{ 10, { 10, 11, 10, 9, 10, 10, 9, 12, 10, 10 }, NULL },
		/* as different as they are among each other, the longest is nothing special */
		{ 6, { 10, 50, 12, 45, 30, 60 }, NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		EP_AUTOFREE char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		const struct ep_layout layout = { out, 200, false, false };
		struct fixture f;

		start(&f, cases[i].windows, cases[i].n_turns);
		ep_phases_print_text(&f.phases, "trace.gz", &layout);
		fclose(out);
		CHECK_MSG(cases[i].said ? strstr(text, cases[i].said) != NULL
					: strstr(text, "slowest") == NULL,
			"%s", text);
	}
}

/* JSON keeps them all. */
TEST(a_procedure_of_nearly_no_share_is_not_named)
{
	static const uint32_t windows[] = { 10, 10, 10 };
	EP_AUTOFREE char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct ep_layout layout = { out, 200, false, false };
	struct fixture f;

	start(&f, windows, 3);
	f.kinds[0].names[0] = "build", f.kinds[0].shares[0] = 0.991;
	f.kinds[0].names[1] = "relax", f.kinds[0].shares[1] = 0.006;
	f.kinds[0].names[2] = "read", f.kinds[0].shares[2] = 0.004;
	f.kinds[1].names[0] = "spread", f.kinds[1].shares[0] = 0.001;
	ep_phases_print_text(&f.phases, "trace.gz", &layout);
	fclose(out);
	CHECK_MSG(strstr(text, "build 99 %, relax 1 %\n"), "%s", text);
	CHECK_MSG(strstr(text, "spread 0 %\n"), "%s", text); /* the first of its kind */
}

TEST(the_others_have_their_own_mean)
{
	static const uint32_t windows[] = { 10, 40, 14 };
	struct ep_turn_times turns;
	struct fixture f;

	start(&f, windows, 3);
	turns = ep_repeat_times(&f.phases, &f.repeat);
	CHECK_INT(turns.longest, 1);
	CHECK_CLOSE(turns.longest_s, 0.050, 1e-12);
	CHECK_CLOSE(turns.others_mean_s, 0.022, 1e-12);
	CHECK_CLOSE(turns.others_deviation_s, 0.002, 1e-12);
}
