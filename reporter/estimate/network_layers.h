/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of networks: their weights and how each architecture runs. */
#ifndef EVPROF_REPORTER_ESTIMATE_NETWORK_LAYERS_H
#define EVPROF_REPORTER_ESTIMATE_NETWORK_LAYERS_H

#include "reporter/estimate/safetensors.h"

#include <stdbool.h>
#include <stddef.h>

struct ep_dense {
	size_t n_in, n_out;
	const float *weight; /* (n_out, n_in) */
	const float *bias;   /* (n_out) */
};

/* Rows of each weight are the gates r, z, n of n_hidden units each; PyTorch's two biases:
 * n = tanh(W x + b_in + r * (U h + b_hn)). */
struct ep_gru_direction {
	size_t n_in, n_hidden;
	const float *input_weight;             /* (3 H, n_in) */
	const float *hidden_weight;            /* (3 H, H) */
	const float *input_bias, *hidden_bias; /* (3 H) */
};

enum { EP_MAX_LAYERS = 64 };

struct ep_network {
	struct ep_safetensors *file;
	const struct ep_architecture *architecture;
	size_t n_inputs, n_outputs;
	bool has_baseline;
	const float *mean, *deviation; /* (F) */
	float clip;
	size_t n_dense, n_recurrent, n_directions;
	struct ep_dense dense[EP_MAX_LAYERS];
	struct ep_gru_direction recurrent[EP_MAX_LAYERS][2];
};

struct ep_architecture {
	const char *name;
	int (*load)(struct ep_network *network, const char *file_name, struct ep_error *err);
	int (*run)(const struct ep_network *network, const float *x, size_t n_sequences,
		size_t n_steps, float *out);
};
extern const struct ep_architecture ep_architecture_mlp, ep_architecture_gru;

/* Finds a dense layer NAME.weight and NAME.bias; -ENOENT without an error where it has no weight,
 * -EINVAL for other shapes than (any, n_in) and its bias. */
int ep_dense_load(const struct ep_network *network, const char *file_name, const char *layer,
	size_t n_in, struct ep_dense *out, struct ep_error *err);

/* out (n_rows, n_out) = x (n_rows, n_in) weight^T + bias. */
void ep_dense_run(const struct ep_dense *layer, const float *x, size_t n_rows, float *out);

/* The tensor called name, or -EINVAL where its shape is not (rows, columns), columns 0: (rows). */
int ep_tensor_load(const struct ep_network *network, const char *file_name, const char *name,
	const size_t shape[2], const float **out, struct ep_error *err);

#endif
