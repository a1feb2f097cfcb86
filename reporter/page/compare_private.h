/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the call trees of several runs into one tree, for the page that compares the runs. It runs on one thread. */
#ifndef EVPROF_REPORTER_PAGE_COMPARE_PRIVATE_H
#define EVPROF_REPORTER_PAGE_COMPARE_PRIVATE_H

#include "reporter/export/text_ids.h"
#include "reporter/page/compare_page.h"

/* A call in the merged tree: calls of one name and library with the same callers are one node. Node 0 is the root. */
struct ep_compared_node {
	uint32_t parent, name, module; /* name and module: numbers of texts */
};

/* The time of samples. The sum of the squares of each sample's time tells how far chance may move the whole time. */
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

/* Adds the run's call tree. Returns 0 or -ENOMEM. */
int ep_compared_tree_add(struct ep_compared_tree *tree, const struct ep_compared_trace *run,
	uint32_t run_idx) EP_MUST_CHECK;
/* Writes "tree":{...}. Returns 0 or -ENOMEM. */
int ep_compared_tree_put(FILE *out, const struct ep_compared_tree *tree,
	const struct ep_compare_page_source *source) EP_MUST_CHECK;
void ep_compared_tree_finish(struct ep_compared_tree *tree);

#endif
