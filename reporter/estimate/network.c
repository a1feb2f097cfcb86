// SPDX-License-Identifier: BSD-3-Clause
/* Makes networks from weights files; runs dense layers and perceptrons. */
#include "reporter/estimate/network.h"

#include <cblas.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "reporter/estimate/cell_features.h"
#include "reporter/estimate/fast_math.h"
#include "reporter/estimate/network_layers.h"

static const struct ep_architecture *const architectures[] = {
	&ep_architecture_mlp,
	&ep_architecture_gru,
};

void ep_network_destroy(struct ep_network *network)
{
	if (!network)
		return;
	ep_safetensors_destroy(network->file);
	free(network);
}

static void cleanup_network(struct ep_network **network)
{
	ep_network_destroy(*network);
}

int ep_tensor_load(const struct ep_network *network, const char *file_name, const char *name,
	const size_t shape[2], const float **out, struct ep_error *err)
{
	struct ep_place place = { .file = file_name };
	const struct ep_tensor *t = ep_safetensors_find(network->file, name);
	size_t rank = shape[1] ? 2 : 1;

	if (!t)
		return ep_fail_at(err, -EINVAL, place, "has no tensor \"%s\"", name);
	if (t->rank != rank || t->shape[0] != shape[0] || (rank == 2 && t->shape[1] != shape[1]))
		return ep_fail_at(err, -EINVAL, place,
			"tensor \"%s\" should have the shape (%zu, %zu)", name, shape[0], shape[1]);
	*out = t->values;
	return 0;
}

int ep_dense_load(const struct ep_network *network, const char *file_name, const char *layer,
	size_t n_in, struct ep_dense *out, struct ep_error *err)
{
	char weight[64], bias[64];
	const struct ep_tensor *t;
	int rc;

	snprintf(weight, sizeof(weight), "%s.weight", layer);
	snprintf(bias, sizeof(bias), "%s.bias", layer);
	t = ep_safetensors_find(network->file, weight);
	if (!t)
		return -ENOENT;
	out->n_in = n_in;
	out->n_out = t->rank ? t->shape[0] : 0;
	if (!out->n_out || out->n_out > 1 << 16)
		return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = file_name },
			"tensor \"%s\" has no rows, or too many", weight);
	rc = ep_tensor_load(
		network, file_name, weight, (size_t[]){ out->n_out, n_in }, &out->weight, err);
	if (rc)
		return rc;
	return ep_tensor_load(
		network, file_name, bias, (size_t[]){ out->n_out, 0 }, &out->bias, err);
}

void ep_dense_run(const struct ep_dense *l, const float *x, size_t n_rows, float *out)
{
	for (size_t i = 0; i < n_rows; i++)
		memcpy(out + i * l->n_out, l->bias, l->n_out * sizeof(*out));
	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n_rows, (int)l->n_out,
		(int)l->n_in, 1, x, (int)l->n_in, l->weight, (int)l->n_in, 1, out, (int)l->n_out);
}

static int load_mlp(struct ep_network *n, const char *file_name, struct ep_error *err)
{
	struct ep_place place = { .file = file_name };
	const char *activation = ep_safetensors_metadata(n->file, "activation");
	size_t n_in = n->n_inputs;
	int rc = 0;

	if (!activation || strcmp(activation, "relu"))
		return ep_fail_at(err, -EINVAL, place, "activation \"%.40s\", only relu is known",
			activation ? activation : "");
	while (n->n_dense < EP_MAX_LAYERS) {
		char layer[32];
		snprintf(layer, sizeof(layer), "layers.%zu", n->n_dense);
		rc = ep_dense_load(n, file_name, layer, n_in, &n->dense[n->n_dense], err);
		if (rc)
			break;
		n_in = n->dense[n->n_dense++].n_out;
	}
	if (rc && rc != -ENOENT)
		return rc;
	if (!n->n_dense)
		return ep_fail_at(err, -EINVAL, place, "has no tensor \"layers.0.weight\"");
	n->n_outputs = n_in;
	return 0;
}

static EP_HOT void relu(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = x[i] > 0 ? x[i] : 0;
}

static size_t widest(const struct ep_network *n)
{
	size_t width = 1;

	for (size_t i = 0; i < n->n_dense; i++)
		width = n->dense[i].n_out > width ? n->dense[i].n_out : width;
	return width;
}

/* This many rows go through all layers at a time, so that the rows stay in the CPU's cache. */
enum { ROWS_AT_ONCE = 256 };

static int run_mlp(
	const struct ep_network *n, const float *x, size_t n_sequences, size_t n_steps, float *out)
{
	size_t n_rows = n_sequences * n_steps, width = widest(n);
	EP_AUTOFREE float *buffers = malloc(2 * ROWS_AT_ONCE * width * sizeof(*buffers));

	if (!buffers)
		return -ENOMEM;
	for (size_t row = 0; row < n_rows; row += ROWS_AT_ONCE) {
		size_t n_here = n_rows - row < ROWS_AT_ONCE ? n_rows - row : ROWS_AT_ONCE;
		const float *from = x + row * n->n_inputs;
		for (size_t i = 0; i < n->n_dense; i++) {
			int last = i + 1 == n->n_dense;
			float *to = last ? out + row * n->n_outputs
					 : buffers + i % 2 * ROWS_AT_ONCE * width;
			ep_dense_run(&n->dense[i], from, n_here, to);
			if (!last)
				relu(to, n_here * n->dense[i].n_out);
			from = to;
		}
	}
	return 0;
}

const struct ep_architecture ep_architecture_mlp = { "mlp", load_mlp, run_mlp };

static int load_scaling(struct ep_network *n, const char *file_name, struct ep_error *err)
{
	const struct ep_tensor *t = ep_safetensors_find(n->file, "input.mean");
	const char *clip = ep_safetensors_metadata(n->file, "input_clip");
	int rc;

	n->n_inputs = t && t->rank == 1 ? t->shape[0] : 0;
	if (!n->n_inputs || n->n_inputs > 1 << 16)
		return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = file_name },
			"has no tensor \"input.mean\" of one dimension");
	rc = ep_tensor_load(
		n, file_name, "input.mean", (size_t[]){ n->n_inputs, 0 }, &n->mean, err);
	if (!rc)
		rc = ep_tensor_load(n, file_name, "input.deviation", (size_t[]){ n->n_inputs, 0 },
			&n->deviation, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < n->n_inputs; i++)
		if (n->deviation[i] < 1e-6f)
			return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = file_name },
				"\"input.deviation\" is not above zero at %zu", i);
	n->clip = clip ? strtof(clip, NULL) : 0;
	if (!(n->clip > 0 && n->clip < 1e6f))
		return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = file_name },
			"metadata \"input_clip\" is no number above zero");
	return 0;
}

/* Metadata for which this program accepts only one value. */
static const struct {
	const char *key, *value;
} fixed_metadata[] = {
	{ "format", "evprof-network-1" },
	{ "features", EP_FEATURES_NAME },
	{ "outputs", "value,mean,width" },
};

static int check_metadata(const struct ep_network *n, const char *file_name, struct ep_error *err)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(fixed_metadata); i++) {
		const char *value = ep_safetensors_metadata(n->file, fixed_metadata[i].key);
		if (!value || strcmp(value, fixed_metadata[i].value))
			return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = file_name },
				"metadata \"%s\" is \"%.60s\", expected \"%s\"",
				fixed_metadata[i].key, value ? value : "", fixed_metadata[i].value);
	}
	return 0;
}

static int find_architecture(struct ep_network *n, const char *file_name, struct ep_error *err)
{
	const char *name = ep_safetensors_metadata(n->file, "architecture");

	for (size_t i = 0; name && i < EP_ARRAY_SIZE(architectures); i++)
		if (!strcmp(architectures[i]->name, name))
			n->architecture = architectures[i];
	if (n->architecture)
		return 0;
	return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = file_name },
		"architecture \"%.40s\" is not known (mlp, gru)", name ? name : "");
}

/* Checks the numbers of inputs and outputs. Inputs are the features, and the outputs of the baseline network
 * if there is one. */
static int check_ends(struct ep_network *n, const char *file_name, struct ep_error *err)
{
	struct ep_place place = { .file = file_name };
	const char *baseline = ep_safetensors_metadata(n->file, "baseline");
	size_t n_expected = EP_N_FEATURES + (baseline ? EP_N_NETWORK_OUTPUTS : 0);

	if (baseline && strcmp(baseline, "mlp"))
		return ep_fail_at(
			err, -EINVAL, place, "baseline \"%.40s\", only mlp is known", baseline);
	if (baseline && !strcmp(n->architecture->name, "mlp"))
		return ep_fail_at(err, -EINVAL, place, "an mlp cannot have an mlp as its baseline");
	n->has_baseline = baseline != NULL;
	if (n->n_inputs == n_expected && n->n_outputs == EP_N_NETWORK_OUTPUTS)
		return 0;
	return ep_fail_at(err, -EINVAL, place, "%zu inputs and %zu outputs, expected %zu and %d",
		n->n_inputs, n->n_outputs, n_expected, EP_N_NETWORK_OUTPUTS);
}

int ep_network_parse(const char *name, const void *bytes, size_t size_bytes,
	struct ep_network **out_network, struct ep_error *err)
{
	__attribute__((cleanup(cleanup_network))) struct ep_network *n = calloc(1, sizeof(*n));
	int rc;

	if (!n)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = ep_safetensors_parse(name, bytes, size_bytes, &n->file, err);
	if (!rc)
		rc = find_architecture(n, name, err);
	if (!rc)
		rc = check_metadata(n, name, err);
	if (!rc)
		rc = load_scaling(n, name, err);
	if (!rc)
		rc = n->architecture->load(n, name, err);
	if (!rc)
		rc = check_ends(n, name, err);
	if (rc)
		return rc;
	*out_network = n;
	n = NULL;
	return 0;
}

int ep_network_read(const char *path, struct ep_network **out_network, struct ep_error *err)
{
	EP_AUTOFREE char *bytes = NULL;
	size_t size_bytes;
	int rc = ep_file_read(path, &bytes, &size_bytes, err);

	return rc ? rc : ep_network_parse(path, bytes, size_bytes, out_network, err);
}

const char *ep_network_architecture(const struct ep_network *n)
{
	return n->architecture->name;
}

bool ep_network_has_baseline(const struct ep_network *n)
{
	return n->has_baseline;
}

/* Scales and clips the features of a row. The outputs of a baseline network, which follow the features in the
 * row, are not changed. */
static EP_HOT void scale_row(float *x, const float *mean, const float *deviation, float clip)
{
	for (size_t i = 0; i < EP_N_FEATURES; i++) {
		float scaled = (x[i] - mean[i]) / deviation[i];
		scaled = scaled > clip ? clip : scaled;
		x[i] = scaled < -clip ? -clip : scaled;
	}
}

void ep_network_scale(const struct ep_network *n, float *x, size_t n_rows)
{
	for (size_t row = 0; row < n_rows; row++)
		scale_row(x + row * n->n_inputs, n->mean, n->deviation, n->clip);
}

int ep_network_run(
	const struct ep_network *n, const float *x, size_t n_sequences, size_t n_steps, float *out)
{
	if (!n_sequences || !n_steps)
		return 0;
	return n->architecture->run(n, x, n_sequences, n_steps, out);
}
