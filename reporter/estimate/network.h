/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Networks, inference only, as a weights file describes them: multilayer perceptrons of any depth
 * and width, stacks of (bidirectional) GRU layers with one dense layer. B sequences, T steps,
 * F inputs, O outputs.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_NETWORK_H
#define EVPROF_REPORTER_ESTIMATE_NETWORK_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ep_network;

/* Estimate and expected count as logs relative to the base, log of the error's 95 % point. */
enum { EP_OUT_VALUE, EP_OUT_MEAN, EP_OUT_WIDTH, EP_N_NETWORK_OUTPUTS };

/* -EINVAL, with the name of what is wrong, for architectures, activations, gate orders, features
 * and shapes that are not known. */
int ep_network_parse(const char *name, const void *bytes, size_t size_bytes,
	struct ep_network **out_network, struct ep_error *err) EP_MUST_CHECK;
int ep_network_read(
	const char *path, struct ep_network **out_network, struct ep_error *err) EP_MUST_CHECK;
void ep_network_destroy(struct ep_network *network);

const char *ep_network_architecture(const struct ep_network *network); /* "mlp" or "gru" */
/* Its inputs end with the mlp's outputs, and its outputs are to be added to them. */
bool ep_network_has_baseline(const struct ep_network *network);

/* Features to inputs, in place: x (n_rows, F) minus the training's means over its deviations, cut.
 */
void ep_network_scale(const struct ep_network *network, float *x, size_t n_rows);

/* x (B, T, F) scaled inputs -> out (B, T, O). To an mlp B and T are alike. -ENOMEM. */
int ep_network_run(const struct ep_network *network, const float *x, size_t n_sequences,
	size_t n_steps, float *out) EP_MUST_CHECK;

#endif
