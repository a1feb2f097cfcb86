/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose nests are known, compiled at each level of optimization: what they call is not to be
 * seen through, so that no compiler can unroll, split or remove them. */
#ifndef EVPROF_TESTS_UNIT_LOOP_NESTS_H
#define EVPROF_TESTS_UNIT_LOOP_NESTS_H

/* What each of them calls where it is: at a place of that number. The depth there is known by the
 * test. */
typedef int (*loop_nests_here_fn)(int place);

struct loop_nest {
	const char *name;
	void (*run)(int n, loop_nests_here_fn here);
};

/* Ends with a row without a name; one list for each level. */
extern const struct loop_nest loop_nests_O0[], loop_nests_O1[], loop_nests_O2[], loop_nests_O3[];

#endif
