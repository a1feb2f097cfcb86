// SPDX-License-Identifier: BSD-3-Clause
/*
 * libFuzzer target for what evcal derive reads. The first byte picks a reader: measurement tables,
 * matrices with names, thresholds. tests/fuzz/run.sh builds and runs it.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/derive/events.h"
#include "kernels/derive/labelled.h"
#include "kernels/derive/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Takes the text over. */
static void read_events(char *text)
{
	struct ep_events events = { 0 };
	struct ep_error err;

	if (ep_events_parse(&events, "events.csv", text, NULL, &err))
		return;
	must(events.names.n && events.first_row[events.names.n] == events.n_rows);
	for (size_t i = 0; i < events.n_rows * events.n_points; i++)
		must(isfinite(events.values[i]));
	ep_events_finish(&events);
}

static void read_labelled(const char *text)
{
	struct ep_labelled matrix = { 0 };
	struct ep_error err;

	if (ep_labelled_parse(&matrix, "basis.csv", text, "point", &err))
		return;
	must(matrix.rows.n);
	for (size_t i = 0; i < matrix.rows.n * matrix.columns.n; i++)
		must(isfinite(matrix.values[i]));
	ep_labelled_finish(&matrix);
}

static void read_params(const char *text)
{
	struct ep_params params = ep_params_default;
	struct ep_error err;

	if (!ep_params_parse(&params, "params.json", text, &err))
		must(isfinite(params.tau) && isfinite(params.alpha));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	char *text = strndup((const char *)data + 1, size - 1);

	if (data[0] % 3 == 0) {
		read_events(text);
		return 0;
	}
	if (data[0] % 3 == 1)
		read_labelled(text);
	else
		read_params(text);
	free(text);
	return 0;
}
