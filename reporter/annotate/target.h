/* SPDX-License-Identifier: BSD-3-Clause */
/* The procedure or the loop that is to be annotated, by its name. */
#ifndef EVPROF_REPORTER_ANNOTATE_TARGET_H
#define EVPROF_REPORTER_ANNOTATE_TARGET_H

#include "reporter/facts/report.h"

struct ep_annotate_target {
	const char *name;
	bool is_loop;
	uint32_t symbol_idx; /* the procedure, or the one whose source the loop is in */
	/* (n_loops) by index: the loop, which the compiler may have put into several places */
	bool *is_wanted;
	uint32_t n_loops;
	uint32_t n_others; /* procedures of the same name that are left out */
};

/* what: "solve", "Mesh::solve(int)", a part of a name that one procedure has, "loop at fem.c:212 in
 * assemble", "fem.c:212" (the loop there, else the procedure), "fem.c:208 > 212" as a table of loops
 * has it; NULL: the procedure with most time. -ENOENT, or -EINVAL where it fits several, with what to
 * do; -ENOMEM. */
int ep_annotate_target_find(const struct ep_report *report, struct ep_symbols *symbols,
	const struct ep_trace *trace, const char *what, struct ep_annotate_target *out,
	struct ep_error *err) EP_MUST_CHECK;
void ep_annotate_target_finish(struct ep_annotate_target *target);

#endif
