/* SPDX-License-Identifier: BSD-3-Clause */
/* The call trees of several runs as one, for the page that compares them. One thread. */
#ifndef EVPROF_REPORTER_PAGE_COMPARE_PRIVATE_H
#define EVPROF_REPORTER_PAGE_COMPARE_PRIVATE_H

#include "reporter/export/text_ids.h"
#include "reporter/page/compare_page.h"

/* Procedures of one name and library, called by the same ones, are one node; node 0 is the root. */
struct ep_compared_node {
	uint32_t parent, name, module; /* texts */
};

/* Samples' time, and the sum of its squares, by which chance moves it. */
struct ep_compared_time {
	double ns, squares_ns2;
};

struct ep_compared_tree {
	uint32_t n_runs;
	struct ep_compared_node *nodes;  /* (n_nodes) children come after their parents */
	struct ep_compared_time *selves; /* (n_nodes, n_runs) */
	uint32_t n_nodes, node_capacity, self_capacity;
	struct ep_index index;
	struct ep_text_ids texts;
};

/* Adds the run's call tree. 0 or -ENOMEM. */
int ep_compared_tree_add(struct ep_compared_tree *tree, const struct ep_compared_trace *run,
	uint32_t run_idx) EP_MUST_CHECK;
/* Writes "tree":{...}. 0 or -ENOMEM. */
int ep_compared_tree_put(FILE *out, const struct ep_compared_tree *tree,
	const struct ep_compare_page_source *source) EP_MUST_CHECK;
void ep_compared_tree_finish(struct ep_compared_tree *tree);

#endif
