/* SPDX-License-Identifier: BSD-3-Clause */
/* The internals of networks: their weights, and the functions of each architecture. */
#ifndef EVPROF_REPORTER_ESTIMATE_NETWORK_LAYERS_H
#define EVPROF_REPORTER_ESTIMATE_NETWORK_LAYERS_H

#include "reporter/estimate/safetensors.h"

#include <stdbool.h>
#include <stddef.h>

struct ep_dense {
	size_t n_in, n_out;
	const float *weight; /* (n_out, n_in) weights */
	const float *bias;   /* (n_out) biases */
};

/* The weights of a GRU layer in one direction. The rows of each weight are the gates r, z and n, of n_hidden
 * units each; there are two biases as in PyTorch: n = tanh(W x + b_in + r * (U h + b_hn)). */
struct ep_gru_direction {
	size_t n_in, n_hidden;
	const float *input_weight;             /* (3 H, n_in) weights of the input */
	const float *hidden_weight;            /* (3 H, H) weights of the hidden state */
	const float *input_bias, *hidden_bias; /* (3 H) biases */
};

enum { EP_MAX_LAYERS = 64 };

struct ep_network {
	struct ep_safetensors *file;
	const struct ep_architecture *architecture;
	size_t n_inputs, n_outputs;
	bool has_baseline;
	const float *mean, *deviation; /* (F) mean and deviation of the features in training */
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

/* Loads a dense layer from NAME.weight and NAME.bias. -ENOENT without a message if there is no weight;
 * -EINVAL if the shape of the weight is not (rows, n_in), or that of the bias is not (rows). */
int ep_dense_load(const struct ep_network *network, const char *file_name, const char *layer,
	size_t n_in, struct ep_dense *out, struct ep_error *err);

/* Computes out (n_rows, n_out) = x (n_rows, n_in) weight^T + bias. */
void ep_dense_run(const struct ep_dense *layer, const float *x, size_t n_rows, float *out);

/* Sets *out to the values of the tensor with a name. -EINVAL if there is none, or its shape is not the given
 * one; shape[1] 0: the tensor has one dimension. */
int ep_tensor_load(const struct ep_network *network, const char *file_name, const char *name,
	const size_t shape[2], const float **out, struct ep_error *err);

#endif
