/* SPDX-License-Identifier: BSD-3-Clause */
/* A data set: measurements, the basis they are expected in, the metrics wanted, thresholds. */
#ifndef EVPROF_KERNELS_DERIVE_SET_H
#define EVPROF_KERNELS_DERIVE_SET_H

#include "kernels/derive/events.h"
#include "kernels/derive/labelled.h"
#include "kernels/derive/params.h"

#include <stdbool.h>
#include <stddef.h>

struct ep_set {
	char *name;                    /* the folder's, or the kernel's */
	char *path;                    /* where it came from */
	struct ep_labelled basis;      /* (P, D) */
	struct ep_labelled signatures; /* (M, D), columns in the basis' order */
	struct ep_events events;
	struct ep_params params;
};

/* Files that replace a folder's own; NULL leaves the folder's. */
struct ep_set_paths {
	const char *folder;
	const char *events, *basis, *signatures, *params;
};

/* Reads events.csv or events.csv.gz, basis.csv, signatures.csv and, where it exists, params.json.
 */
int ep_set_read(
	struct ep_set *set, const struct ep_set_paths *paths, struct ep_error *err) EP_MUST_CHECK;
/* Brings the signatures' columns into the basis' order. -EINVAL when the names differ. */
int ep_set_match_signatures(struct ep_set *set, struct ep_error *err) EP_MUST_CHECK;
void ep_set_finish(struct ep_set *set);

/* A folder is a data set where it holds events.csv or events.csv.gz. */
bool ep_set_is_folder(const char *path);

/* A visitor gets the path of a data set; 0, or a negative errno with err. */
typedef int (*ep_set_visitor)(void *context, const char *path, struct ep_error *err);

/* Shows visit the data sets among the folders inside path, in the order of their names, until it fails.
 * out_n counts those shown, the failed one too, and is written in any case. */
int ep_set_visit_inside(const char *path, ep_set_visitor visit, void *context, size_t *out_n,
	struct ep_error *err) EP_MUST_CHECK;

#endif
