/* SPDX-License-Identifier: BSD-3-Clause */
/* A data set: measurements, the basis of their expectations, the signatures of the metrics, and
 * thresholds. */
#ifndef EVPROF_KERNELS_DERIVE_SET_H
#define EVPROF_KERNELS_DERIVE_SET_H

#include "kernels/derive/events.h"
#include "kernels/derive/labelled.h"
#include "kernels/derive/params.h"

#include <stdbool.h>
#include <stddef.h>

struct ep_set {
	char *name;                    /* name of the folder, or of the kernel */
	char *path;                    /* path or name of its origin */
	struct ep_labelled basis;      /* (P, D) expectations at each point */
	struct ep_labelled signatures; /* (M, D) columns in the order of the basis */
	struct ep_events events;
	struct ep_params params;
};

/* Files that replace those in the folder; NULL: the folder's own is used. */
struct ep_set_paths {
	const char *folder;
	const char *events, *basis, *signatures, *params;
};

/* Reads events.csv or events.csv.gz, basis.csv, signatures.csv and, where it exists, params.json.
 */
int ep_set_read(
	struct ep_set *set, const struct ep_set_paths *paths, struct ep_error *err) EP_MUST_CHECK;
/* Brings the columns of the signatures into the order of the basis. Returns -EINVAL if the names differ. */
int ep_set_match_signatures(struct ep_set *set, struct ep_error *err) EP_MUST_CHECK;
void ep_set_finish(struct ep_set *set);

/* Tells whether a folder is a data set: it has events.csv or events.csv.gz. */
bool ep_set_is_folder(const char *path);

/* The type of a function that is called with the path of a data set. It returns 0, or a negative errno with err. */
typedef int (*ep_set_visitor)(void *context, const char *path, struct ep_error *err);

/* Calls visit for each data set among the folders inside path, in the order of their names, until it fails.
 * out_n is the number of calls, the failed one included, and is written in any case. */
int ep_set_visit_inside(const char *path, ep_set_visitor visit, void *context, size_t *out_n,
	struct ep_error *err) EP_MUST_CHECK;

#endif
