/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose nests are known, compiled at each level of optimization: what they call is not to be
 * seen through, so that no compiler can unroll, split or remove them. */
#ifndef EVPROF_TESTS_UNIT_LOOP_NESTS_H
#define EVPROF_TESTS_UNIT_LOOP_NESTS_H

/* A function that each nest calls with the number of the place. The test knows the depth there. */
typedef int (*loop_nests_here_fn)(int place);

enum { LOOP_NESTS_MAX_PLACES = 16 };

struct loop_nest {
	const char *name;
	void (*run)(int n, loop_nests_here_fn here);
	/* The line where each place's innermost loop begins: the first that has code; 0: the place
	 * is in no loop. */
	int lines[LOOP_NESTS_MAX_PLACES];
};

/* Ends with a row without a name; one list for each level. */
extern const struct loop_nest loop_nests_O0[], loop_nests_O1[], loop_nests_O2[], loop_nests_O3[];

#endif
