/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds the built-in networks, one of which a network of the user may replace. */
#ifndef EVPROF_REPORTER_ESTIMATE_MODELS_H
#define EVPROF_REPORTER_ESTIMATE_MODELS_H

#include "reporter/estimate/network.h"

struct ep_models {
	struct ep_network *mlp, *gru;
};

/* Parses the built-in weights; the network in weights_path (NULL: none) replaces the built-in one of the same
 * architecture. */
int ep_models_init(
	struct ep_models *out, const char *weights_path, struct ep_error *err) EP_MUST_CHECK;
void ep_models_finish(struct ep_models *models);

#endif
