// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs stacks of GRU layers. The products with the input are computed for all steps in one matrix product;
 * only the products with the hidden state depend on the step before. B sequences, T steps, H hidden units in
 * each direction.
 */
#include <cblas.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/fast_math.h"
#include "reporter/estimate/network_layers.h"

static int load_direction(struct ep_network *n, const char *file_name, size_t layer,
	size_t direction, struct ep_error *err)
{
	struct ep_gru_direction *d = &n->recurrent[layer][direction];
	const char *suffix = direction ? "_reverse" : "";
	size_t n_gates = 3 * d->n_hidden;
	const struct {
		const char *part;
		size_t n_columns;
		const float **to;
	} parts[] = {
		{ "weight_ih", d->n_in, &d->input_weight },
		{ "weight_hh", d->n_hidden, &d->hidden_weight },
		{ "bias_ih", 0, &d->input_bias },
		{ "bias_hh", 0, &d->hidden_bias },
	};
	int rc = 0;

	for (size_t i = 0; i < EP_ARRAY_SIZE(parts) && !rc; i++) {
		char name[64];
		snprintf(name, sizeof(name), "gru.%s_l%zu%s", parts[i].part, layer, suffix);
		rc = ep_tensor_load(n, file_name, name, (size_t[]){ n_gates, parts[i].n_columns },
			parts[i].to, err);
	}
	return rc;
}

static int load_layer(struct ep_network *n, const char *file_name, size_t layer, size_t n_in,
	struct ep_error *err)
{
	char name[64];
	const struct ep_tensor *t;
	size_t n_hidden;
	int rc = 0;

	snprintf(name, sizeof(name), "gru.weight_hh_l%zu", layer);
	t = ep_safetensors_find(n->file, name);
	if (!t)
		return -ENOENT;
	n_hidden = t->rank == 2 ? t->shape[1] : 0;
	if (!n_hidden || n_hidden > 1 << 14)
		return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = file_name },
			"tensor \"%s\" should have the shape (3 H, H)", name);
	for (size_t k = 0; k < n->n_directions && !rc; k++) {
		n->recurrent[layer][k].n_in = n_in;
		n->recurrent[layer][k].n_hidden = n_hidden;
		rc = load_direction(n, file_name, layer, k, err);
	}
	return rc;
}

/* Checks the metadata that describe how PyTorch's GRU computes: other libraries compute differently with
 * weights of the same shapes. */
static int check_gru_metadata(struct ep_network *n, const char *file_name, struct ep_error *err)
{
	struct ep_place place = { .file = file_name };
	const char *order = ep_safetensors_metadata(n->file, "gate_order");
	const char *biases = ep_safetensors_metadata(n->file, "gate_biases");
	const char *directions = ep_safetensors_metadata(n->file, "directions");

	if (!order || strcmp(order, "r,z,n"))
		return ep_fail_at(err, -EINVAL, place,
			"its gate_order is \"%.40s\", only r,z,n is supported", order ? order : "");
	if (!biases || strcmp(biases, "two"))
		return ep_fail_at(err, -EINVAL, place,
			"its gate_biases is \"%.40s\", only two is supported",
			biases ? biases : "");
	n->n_directions = !directions                ? 0
			  : !strcmp(directions, "1") ? 1
			  : !strcmp(directions, "2") ? 2
						     : 0;
	if (!n->n_directions)
		return ep_fail_at(err, -EINVAL, place,
			"directions \"%.40s\", only 1 and 2 are known",
			directions ? directions : "");
	return 0;
}

static int load_gru(struct ep_network *n, const char *file_name, struct ep_error *err)
{
	struct ep_place place = { .file = file_name };
	size_t n_in = n->n_inputs;
	int rc = check_gru_metadata(n, file_name, err);

	while (!rc && n->n_recurrent < EP_MAX_LAYERS) {
		rc = load_layer(n, file_name, n->n_recurrent, n_in, err);
		if (!rc)
			n_in = n->recurrent[n->n_recurrent++][0].n_hidden * n->n_directions;
	}
	if (rc && rc != -ENOENT)
		return rc;
	if (!n->n_recurrent)
		return ep_fail_at(err, -EINVAL, place, "has no tensor \"gru.weight_hh_l0\"");
	rc = ep_dense_load(n, file_name, "dense", n_in, &n->dense[0], err);
	if (rc == -ENOENT)
		return ep_fail_at(err, -EINVAL, place, "has no tensor \"dense.weight\"");
	n->n_dense = 1;
	n->n_outputs = n->dense[0].n_out;
	return rc;
}

/* Computes the new state of one sequence. input, hidden: (3 H) products, before biases and activations;
 * state: (H). */
static inline __attribute__((always_inline)) void update(const struct ep_gru_direction *d,
	const float *restrict input, const float *restrict hidden, float *restrict state)
{
	const float *restrict bi = d->input_bias, *restrict bh = d->hidden_bias;
	size_t h = d->n_hidden;

	for (size_t i = 0; i < h; i++) {
		float r = ep_sigmoid(input[i] + hidden[i] + bi[i] + bh[i]);
		float z = ep_sigmoid(input[h + i] + hidden[h + i] + bi[h + i] + bh[h + i]);
		float n = ep_tanh(
			input[2 * h + i] + bi[2 * h + i] + r * (hidden[2 * h + i] + bh[2 * h + i]));
		state[i] = n + z * (state[i] - n);
	}
}

/* Updates all B sequences for one step; the states are also written to out, whose rows are n_stride floats
 * apart. */
static EP_HOT void update_all(const struct ep_gru_direction *d, const float *input,
	const float *hidden, size_t n_sequences, float *state, float *out, size_t n_stride)
{
	size_t h = d->n_hidden;

	for (size_t b = 0; b < n_sequences; b++) {
		update(d, input + b * 3 * h, hidden + b * 3 * h, state + b * h);
		memcpy(out + b * n_stride, state + b * h, h * sizeof(*out));
	}
}

/* Computes hidden (B, 3 H) = state (B, H) weight^T. */
static void multiply_state(
	const struct ep_gru_direction *d, const float *state, size_t n_sequences, float *hidden)
{
	int h = (int)d->n_hidden;

	if (n_sequences == 1)
		cblas_sgemv(CblasRowMajor, CblasNoTrans, 3 * h, h, 1, d->hidden_weight, h, state, 1,
			0, hidden, 1);
	else
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n_sequences, 3 * h, h, 1,
			state, h, d->hidden_weight, h, 0, hidden, 3 * h);
}

struct gru_batch {
	size_t n_sequences, n_steps; /* B, T */
	float *input;                /* (T, B, 3 H) products with the input */
	float *hidden;               /* (B, 3 H) products with the state */
	float *state;                /* (B, H) hidden state */
};

/* Runs one direction: x (T, B, n_in) -> out (T, B, n_stride), of which H values of each row are written. */
static void run_direction(const struct ep_gru_direction *d, const struct gru_batch *b,
	const float *x, int backwards, float *out, size_t n_stride)
{
	size_t n_gates = 3 * d->n_hidden;

	/* biases are added in update(), which reads the sums anyway; adding them here would take another pass
	 * over the sums */
	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(b->n_steps * b->n_sequences),
		(int)n_gates, (int)d->n_in, 1, x, (int)d->n_in, d->input_weight, (int)d->n_in, 0,
		b->input, (int)n_gates);
	memset(b->state, 0, b->n_sequences * d->n_hidden * sizeof(*b->state));
	for (size_t i = 0; i < b->n_steps; i++) {
		size_t t = backwards ? b->n_steps - 1 - i : i;
		multiply_state(d, b->state, b->n_sequences, b->hidden);
		update_all(d, b->input + t * b->n_sequences * n_gates, b->hidden, b->n_sequences,
			b->state, out + t * b->n_sequences * n_stride, n_stride);
	}
}

/* Copies (B, T, F) to (T, B, F) with n_outer B and n_inner T; with T and B exchanged it copies back. */
static void transpose(const float *from, size_t n_outer, size_t n_inner, size_t n_values, float *to)
{
	for (size_t i = 0; i < n_outer; i++)
		for (size_t j = 0; j < n_inner; j++)
			memcpy(to + (j * n_outer + i) * n_values,
				from + (i * n_inner + j) * n_values, n_values * sizeof(*to));
}

/* The largest numbers of values per step over all layers. ends: of a layer's input or output; gates: of a
 * layer's gates. */
struct gru_widths {
	size_t ends, gates;
};

static struct gru_widths widths_of(const struct ep_network *n)
{
	struct gru_widths w = { n->n_inputs > n->n_outputs ? n->n_inputs : n->n_outputs, 1 };

	for (size_t i = 0; i < n->n_recurrent; i++) {
		size_t h = n->recurrent[i][0].n_hidden, out = h * n->n_directions;
		w.ends = out > w.ends ? out : w.ends;
		w.gates = 3 * h > w.gates ? 3 * h : w.gates;
	}
	return w;
}

static void run_layers(
	const struct ep_network *n, const struct gru_batch *b, float *from, float *to)
{
	for (size_t i = 0; i < n->n_recurrent; i++) {
		size_t h = n->recurrent[i][0].n_hidden, stride = h * n->n_directions;
		float *kept = from;
		for (size_t k = 0; k < n->n_directions; k++)
			run_direction(&n->recurrent[i][k], b, from, k == 1, to + k * h, stride);
		from = to;
		to = kept;
	}
	ep_dense_run(&n->dense[0], from, b->n_steps * b->n_sequences, to);
}

/* Sequences are run in batches of this size, so that the gates of all steps take only some megabytes. */
enum { SEQUENCES_AT_ONCE = 64 };

static int run_gru(
	const struct ep_network *n, const float *x, size_t n_sequences, size_t n_steps, float *out)
{
	struct gru_widths w = widths_of(n);
	size_t at_once = n_sequences < SEQUENCES_AT_ONCE ? n_sequences : SEQUENCES_AT_ONCE;
	size_t n_rows = n_steps * at_once;
	EP_AUTOFREE float *ends = malloc(2 * n_rows * w.ends * sizeof(*ends));
	EP_AUTOFREE float *gates = malloc(n_rows * w.gates * sizeof(*gates));
	EP_AUTOFREE float *step = malloc(2 * at_once * w.gates * sizeof(*step));
	float *from = ends, *to;

	if (!ends || !gates || !step)
		return -ENOMEM;
	to = ends + n_rows * w.ends;
	for (size_t begin = 0; begin < n_sequences; begin += at_once) {
		size_t n_here = n_sequences - begin < at_once ? n_sequences - begin : at_once;
		struct gru_batch b = { n_here, n_steps, gates, step, step + at_once * w.gates };
		transpose(x + begin * n_steps * n->n_inputs, n_here, n_steps, n->n_inputs, from);
		run_layers(n, &b, from, to);
		transpose(n->n_recurrent % 2 ? from : to, n_steps, n_here, n->n_outputs,
			out + begin * n_steps * n->n_outputs);
	}
	return 0;
}

const struct ep_architecture ep_architecture_gru = { "gru", load_gru, run_gru };
