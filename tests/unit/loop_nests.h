/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose nests are known, compiled at each level of optimization: what they call is not to be
 * seen through, so that no compiler can unroll, split or remove them. */
#ifndef EVPROF_TESTS_UNIT_LOOP_NESTS_H
#define EVPROF_TESTS_UNIT_LOOP_NESTS_H

/* What each of them calls where it is: at a place of that number. The depth there is known by the
 * test. */
typedef int (*loop_nests_here_fn)(int place);

enum { LOOP_NESTS_MAX_PLACES = 16 };

struct loop_nest {
	const char *name;
	void (*run)(int n, loop_nests_here_fn here);
	/* Of each place's innermost loop, the line where that begins: the first that has code; 0: the place
	 * is in none. */
	int lines[LOOP_NESTS_MAX_PLACES];
};

/* Ends with a row without a name; one list for each level. */
extern const struct loop_nest loop_nests_O0[], loop_nests_O1[], loop_nests_O2[], loop_nests_O3[];

#endif
