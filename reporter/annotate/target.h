/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the procedure or loop to annotate by its name. */
#ifndef EVPROF_REPORTER_ANNOTATE_TARGET_H
#define EVPROF_REPORTER_ANNOTATE_TARGET_H

#include "reporter/facts/report.h"

struct ep_annotate_target {
	const char *name;
	bool is_loop;
	uint32_t symbol_idx; /* the procedure, or the one whose source has the loop */
	/* (n_loops) whether the loop of each index is annotated; several are if the compiler copied the loop
	 * to several places */
	bool *is_wanted;
	uint32_t n_loops;
	uint32_t n_others; /* procedures of the same name that are left out */
};

/* Finds the place by the text what, which may be "solve", "Mesh::solve(int)", a part of a name that only one
 * procedure has, "loop at fem.c:212 in assemble", "fem.c:212" (the loop there, else the procedure), or
 * "fem.c:208 > 212" as in a table of loops. NULL means the procedure with the most time. Returns 0, -ENOENT,
 * -EINVAL if the text fits several procedures, or -ENOMEM; the message of an error says what to do. */
int ep_annotate_target_find(const struct ep_report *report, struct ep_symbols *symbols,
	const struct ep_trace *trace, const char *what, struct ep_annotate_target *out,
	struct ep_error *err) EP_MUST_CHECK;
void ep_annotate_target_finish(struct ep_annotate_target *target);

#endif
