// SPDX-License-Identifier: BSD-3-Clause
/*
 * libFuzzer target for gap filling. The first byte picks: weights (a changed file is refused or
 * runs), or a table, which is filled by the estimator that the second byte picks; what was measured
 * must come back as it was, and nothing negative. tests/fuzz/run.sh builds and runs it.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/estimate/network.h"
#include "reporter/estimate/network_layers.h"
#include "reporter/estimate/series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void weights(const uint8_t *data, size_t size)
{
	struct ep_network *n = NULL;
	struct ep_error err;

	if (ep_network_parse("weights", data, size, &n, &err))
		return;
	float *x = calloc(3 * n->n_inputs, sizeof(*x));
	float out[3 * EP_N_NETWORK_OUTPUTS];
	ep_network_scale(n, x, 3);
	must(!ep_network_run(n, x, 1, 3, out));
	free(x);
	ep_network_destroy(n);
}

static void check(const struct ep_series *s, const double *values, const double *errors)
{
	for (size_t i = 0; i < s->n_slices * s->n_events; i++) {
		if (s->measured[i])
			must(values[i] == s->values[i] && errors[i] == 0);
		else
			must(isnan(values[i]) ||
				(values[i] >= 0 && isfinite(values[i]) && errors[i] >= 0));
	}
}

static const char *estimator_of(uint8_t pick)
{
	const char *const *names = ep_estimator_names();
	size_t n = 0;

	while (names[n])
		n++;
	return names[pick % n];
}

static void fill(struct ep_table *t, uint8_t pick)
{
	struct ep_fit_options options = { .estimator = estimator_of(pick) };
	struct ep_table_series ts;
	struct ep_fit *fit;
	size_t n_cells = t->n_rows * t->n_columns;

	ep_table_drop_bad(t);
	if (ep_table_series_init(&ts, t, "table", NULL, NULL))
		return;
	double *values = malloc(n_cells * sizeof(*values));
	double *errors = malloc(n_cells * sizeof(*errors));
	must(!ep_fit(&ts.series, &options, &fit, NULL));
	ep_fit_fill(fit, values, errors);
	check(&ts.series, values, errors);
	ep_fit_destroy(fit);
	ep_table_series_finish(&ts);
	free(values);
	free(errors);
}

static void table(const uint8_t *data, size_t size)
{
	struct ep_table t;
	char *text = malloc(size + 1);

	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (strlen(text) == size - 1 && !ep_table_parse("table", text, size - 1, &t, NULL)) {
		if (t.n_rows * t.n_columns < 4096)
			fill(&t, data[0]);
		ep_table_finish(&t);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	if (data[0] % 2)
		weights(data + 1, size - 1);
	else
		table(data + 1, size - 1);
	return 0;
}
