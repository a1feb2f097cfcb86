// SPDX-License-Identifier: BSD-3-Clause
/* Networks against PyTorch's answers (models/train.py --golden), and weights that are refused. */
#include "reporter/estimate/network.h"

#include "common/cleanup.h"
#include "common/file.h"
#include "reporter/estimate/network_layers.h"
#include "reporter/estimate/safetensors.h"
#include "tests/unit/test.h"

#include <errno.h>

static char *source_path(const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s", getenv("EVPROF_SOURCE_ROOT") ?: ".", name) < 0)
		abort();
	return path;
}

static struct ep_safetensors *read_golden(const char *name)
{
	EP_AUTOFREE char *path = source_path(name);
	EP_AUTOFREE char *bytes = NULL;
	struct ep_safetensors *file = NULL;
	size_t size;

	CHECK_INT(ep_file_read(path, &bytes, &size, NULL), 0);
	CHECK_INT(ep_safetensors_parse(path, bytes, size, &file, NULL), 0);
	return file;
}

/* The error relative to the largest output: PyTorch sums in another order, and 32-bit floats have 7
 * digits. */
static double worst_error(const float *out, const struct ep_tensor *expected)
{
	double worst = 0, largest = 0;

	for (size_t i = 0; i < expected->n_values; i++) {
		worst = fmax(worst, fabs((double)out[i] - expected->values[i]));
		largest = fmax(largest, fabs(expected->values[i]));
	}
	return worst / largest;
}

static void check_golden(const char *weights, const char *golden)
{
	EP_AUTOFREE char *path = source_path(weights);
	struct ep_safetensors *file = read_golden(golden);
	const struct ep_tensor *in = ep_safetensors_find(file, "input");
	const struct ep_tensor *expected = ep_safetensors_find(file, "output");
	struct ep_network *n = NULL;
	float out[3000];

	CHECK_INT(ep_network_read(path, &n, NULL), 0);
	CHECK_INT(in->shape[1], n->n_inputs);
	CHECK_INT(ep_network_run(n, in->values, 1, in->shape[0], out), 0);
	CHECK_MSG(worst_error(out, expected) < 1e-5, "%s is off by %g", weights,
		worst_error(out, expected));
	ep_network_destroy(n);
	ep_safetensors_destroy(file);
}

TEST(mlp_equals_pytorch)
{
	check_golden("models/mlp.safetensors", "tests/data/networks/mlp.golden.safetensors");
}

TEST(gru_equals_pytorch)
{
	check_golden("models/gru.safetensors", "tests/data/networks/gru.golden.safetensors");
}

/* A batch gives what its sequences give alone: more than one piece of 64, and 1. */
TEST(a_batch_is_its_sequences)
{
	enum { B = 70, T = 9 };
	EP_AUTOFREE char *path = source_path("models/gru.safetensors");
	static float x[B * T * 100], together[B * T * 3], alone[T * 3];
	struct ep_network *n = NULL;
	size_t f;
	double worst = 0;

	CHECK_INT(ep_network_read(path, &n, NULL), 0);
	f = n->n_inputs;
	srand(3);
	for (size_t i = 0; i < B * T * f; i++)
		x[i] = (float)rand() / (float)RAND_MAX - 0.5f;
	CHECK_INT(ep_network_run(n, x, B, T, together), 0);
	for (size_t b = 0; b < B; b++) {
		CHECK_INT(ep_network_run(n, x + b * T * f, 1, T, alone), 0);
		for (size_t i = 0; i < T * 3; i++)
			worst = fmax(worst, fabs((double)alone[i] - together[b * T * 3 + i]));
	}
	CHECK_MSG(worst < 1e-5, "off by %g", worst);
	ep_network_destroy(n);
}

/* Text in a weights file replaced by text of the same length. */
struct swap {
	const char *weights, *from, *to, *message;
};

static const struct swap swaps[] = {
	{ "gru", "\"r,z,n\"", "\"z,r,n\"", "gate_order is \"z,r,n\"" },
	{ "gru", "\"two\"", "\"one\"", "gate_biases is \"one\"" },
	{ "gru", "\"directions\": \"2\"", "\"directions\": \"3\"", "directions \"3\"" },
	{ "gru", "\"gru\"", "\"gnu\"", "architecture \"gnu\"" },
	{ "gru", "gru.weight_hh_l0\"", "gru.weight_xx_l0\"", "gru.weight_hh_l0" },
	{ "gru", "dense.bias", "dense.bibs", "dense.bias" },
	{ "mlp", "\"relu\"", "\"gelu\"", "activation \"gelu\"" },
	{ "mlp", "evprof-cells-2", "evprof-cells-1", "metadata \"features\"" },
	{ "mlp", "evprof-network-1", "evprof-network-9", "metadata \"format\"" },
	{ "mlp", "layers.1.bias", "layers.1.bibs", "layers.1.bias" },
	{ "mlp", "\"input_clip\": \"5.0\"", "\"input_clip\": \"-5.\"", "input_clip" },
};

static void check_swap(const struct swap *s)
{
	EP_AUTOFREE char *name = NULL;
	EP_AUTOFREE char *path = NULL;
	EP_AUTOFREE char *bytes = NULL;
	struct ep_network *n = NULL;
	struct ep_error err = { 0 };
	size_t size;
	char *at;

	if (asprintf(&name, "models/%s.safetensors", s->weights) < 0)
		abort();
	path = source_path(name);
	CHECK_INT(ep_file_read(path, &bytes, &size, NULL), 0);
	at = memmem(bytes, size, s->from, strlen(s->from));
	CHECK_MSG(at, "%s has no %s", s->weights, s->from);
	if (!at)
		return;
	memcpy(at, s->to, strlen(s->to));
	CHECK_INT(ep_network_parse(s->weights, bytes, size, &n, &err), -EINVAL);
	CHECK_MSG(strstr(err.message, s->message), "\"%s\" lacks \"%s\"", err.message, s->message);
	ep_network_destroy(n);
}

TEST(unknown_networks_are_refused_by_name)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(swaps); i++)
		check_swap(&swaps[i]);
}
