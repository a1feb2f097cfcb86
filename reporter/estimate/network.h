/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs networks that a weights file describes: multilayer perceptrons of any depth and width, and stacks of
 * (bidirectional) GRU layers followed by one dense layer. B sequences, T steps, F inputs, O outputs.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_NETWORK_H
#define EVPROF_REPORTER_ESTIMATE_NETWORK_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ep_network;

/* The outputs for a cell: the estimate and the expected count, as differences of logs from the base
 * (cell_features.h), and the log of the size that 95 % of the errors do not exceed. */
enum { EP_OUT_VALUE, EP_OUT_MEAN, EP_OUT_WIDTH, EP_N_NETWORK_OUTPUTS };

/* Create a network. -EINVAL, with a message, for unknown architectures, activations, gate orders, features
 * and shapes. */
int ep_network_parse(const char *name, const void *bytes, size_t size_bytes,
	struct ep_network **out_network, struct ep_error *err) EP_MUST_CHECK;
int ep_network_read(
	const char *path, struct ep_network **out_network, struct ep_error *err) EP_MUST_CHECK;
void ep_network_destroy(struct ep_network *network);

const char *ep_network_architecture(const struct ep_network *network); /* "mlp" or "gru" */
/* Tells whether the network corrects the mlp: its inputs end with the mlp's outputs, and its own outputs are
 * added to the mlp's. */
bool ep_network_has_baseline(const struct ep_network *network);

/* Converts features to inputs, in place: x (n_rows, F) minus the means of training, divided by the
 * deviations, then clipped. */
void ep_network_scale(const struct ep_network *network, float *x, size_t n_rows);

/* Runs the network: x (B, T, F) scaled inputs -> out (B, T, O). An mlp computes each step by itself, so that
 * only B times T matters. 0 or -ENOMEM. */
int ep_network_run(const struct ep_network *network, const float *x, size_t n_sequences,
	size_t n_steps, float *out) EP_MUST_CHECK;

#endif
