/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Networks for inference, as described by a weights file: multilayer perceptrons of any depth and width, and
 * stacks of (bidirectional) GRU layers followed by one dense layer. B sequences, T steps, F inputs, O
 * outputs.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_NETWORK_H
#define EVPROF_REPORTER_ESTIMATE_NETWORK_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ep_network;

/* The outputs: estimate and expected count, as logs relative to the base, and log of the 95 % point of the
 * error. */
enum { EP_OUT_VALUE, EP_OUT_MEAN, EP_OUT_WIDTH, EP_N_NETWORK_OUTPUTS };

/* Create a network. -EINVAL, with a message, for unknown architectures, activations, gate orders, features
 * and shapes. */
int ep_network_parse(const char *name, const void *bytes, size_t size_bytes,
	struct ep_network **out_network, struct ep_error *err) EP_MUST_CHECK;
int ep_network_read(
	const char *path, struct ep_network **out_network, struct ep_error *err) EP_MUST_CHECK;
void ep_network_destroy(struct ep_network *network);

const char *ep_network_architecture(const struct ep_network *network); /* "mlp" or "gru" */
/* Tells whether the network's inputs end with the outputs of the mlp, and its own outputs are corrections to
 * be added to these. */
bool ep_network_has_baseline(const struct ep_network *network);

/* Converts features to inputs, in place: x (n_rows, F) minus the means of training, divided by the
 * deviations, then clipped. */
void ep_network_scale(const struct ep_network *network, float *x, size_t n_rows);

/* Runs the network: x (B, T, F) scaled inputs -> out (B, T, O). To an mlp each step is a row of its own,
 * whatever B and T. 0 or -ENOMEM. */
int ep_network_run(const struct ep_network *network, const float *x, size_t n_sequences,
	size_t n_steps, float *out) EP_MUST_CHECK;

#endif
