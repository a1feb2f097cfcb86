// SPDX-License-Identifier: BSD-3-Clause
/* The networks that are built in, and a file's in the place of one. */
#include "reporter/estimate/models.h"

#include <errno.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "reporter/estimate/cell_features.h"
#include "reporter/estimate/network_layers.h"
#include "tests/unit/test.h"

static const char *in_source(const char *name)
{
	static char path[4096];
	const char *root = getenv("EVPROF_SOURCE_ROOT");

	snprintf(path, sizeof(path), "%s/%s", root ? root : ".", name);
	return path;
}

TEST(both_are_built_in)
{
	struct ep_models m;

	CHECK_INT(ep_models_init(&m, NULL, NULL), 0);
	CHECK_STR(ep_network_architecture(m.mlp), "mlp");
	CHECK_STR(ep_network_architecture(m.gru), "gru");
	CHECK_INT(m.mlp->n_inputs, EP_N_FEATURES);
	CHECK_INT(m.gru->n_inputs, EP_N_FEATURES + EP_N_NETWORK_OUTPUTS);
	CHECK(!ep_network_has_baseline(m.mlp));
	CHECK(ep_network_has_baseline(m.gru));
	ep_models_finish(&m);
	CHECK(!m.mlp && !m.gru);
}

/* Writes a model of models/ with one added to each weight to a file of its own. */
static void write_other(const char *name, const char *path)
{
	EP_AUTOFREE char *bytes = NULL;
	size_t size;
	uint64_t header_bytes;
	EP_AUTOFCLOSE FILE *out = fopen(path, "w");

	CHECK_INT(ep_file_read(in_source(name), &bytes, &size, NULL), 0);
	memcpy(&header_bytes, bytes, sizeof(header_bytes));
	for (size_t at = 8 + header_bytes; at + 4 <= size; at += 4) {
		float weight;

		memcpy(&weight, bytes + at, sizeof(weight));
		weight += 1;
		memcpy(bytes + at, &weight, sizeof(weight));
	}
	CHECK_INT(fwrite(bytes, 1, size, out), size);
}

static float answer_of(const struct ep_network *network)
{
	float x[EP_N_FEATURES + EP_N_NETWORK_OUTPUTS] = { 0 }, y[EP_N_NETWORK_OUTPUTS];

	CHECK_INT(ep_network_run(network, x, 1, 1, y), 0);
	return y[EP_OUT_WIDTH];
}

TEST(a_file_takes_the_place_of_its_kind)
{
	static const char *const kinds[] = { "mlp", "gru" };
	char path[] = "/tmp/evprof-models-XXXXXX";

	close(mkstemp(path));
	for (size_t i = 0; i < EP_ARRAY_SIZE(kinds); i++) {
		struct ep_models own, plain;
		char name[64];

		snprintf(name, sizeof(name), "models/%s.safetensors", kinds[i]);
		write_other(name, path);
		CHECK_INT(ep_models_init(&plain, NULL, NULL), 0);
		CHECK_INT(ep_models_init(&own, path, NULL), 0);
		CHECK_STR(ep_network_architecture(own.mlp), "mlp");
		CHECK_STR(ep_network_architecture(own.gru), "gru");
		CHECK_INT(answer_of(own.mlp) != answer_of(plain.mlp), i == 0);
		CHECK_INT(answer_of(own.gru) != answer_of(plain.gru), i == 1);
		ep_models_finish(&own);
		ep_models_finish(&plain);
	}
	unlink(path);
}

TEST(a_file_that_is_none_is_refused)
{
	struct ep_models m = { 0 };
	struct ep_error err;

	CHECK_INT(ep_models_init(&m, in_source("no-such-file"), &err), -ENOENT);
	CHECK(strstr(err.where, "no-such-file"));
	CHECK(ep_models_init(&m, in_source("README.md"), &err) < 0);
	CHECK(!m.mlp && !m.gru);
}
