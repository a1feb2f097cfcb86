/* SPDX-License-Identifier: BSD-3-Clause */
/* Synthetic event sets of any size from a counter-based generator, for the benchmark and the tests.
 */
#ifndef EVPROF_BENCH_CAT_LARGE_H
#define EVPROF_BENCH_CAT_LARGE_H

#include "kernels/derive/set.h"

/* basis is "flops" (48 points x 16) or "gpu" (45 x 15). 30% of the events are zero, 40% noisy, 14%
 * unrepresentable, 16% kept. Free with cat_large_finish(). */
int cat_large_init(struct ep_set *set, const char *basis, size_t n_events, uint64_t seed,
	size_t n_reps, struct ep_error *err) EP_MUST_CHECK;
void cat_large_finish(struct ep_set *set);

#endif
