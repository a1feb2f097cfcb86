// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/filled_stretch.h"

#include <string.h>

#include "reporter/fill/fill_path.h"

struct stretch_data data;
struct ep_stretch stretch;

const char *const names[MAX_EVENTS] = { "cycles", "instructions", "b", "c", "d", "e", "f", "g", "h",
	"i", "j", "k" };
uint8_t always[MAX_EVENTS] = { 1 };

void begin(uint32_t n_slices, uint32_t n_events)
{
	memset(&data, 0, sizeof(data));
	stretch = (struct ep_stretch){ n_slices, n_events, data.cpu_us, data.values, data.state,
		data.variances, data.quality, data.places, data.sites, data.changes, false };
	for (uint32_t i = 0; i < n_slices; i++)
		data.cpu_us[i] = 1000;
}

void put(uint32_t slice, uint32_t event, double truth, bool is_measured)
{
	size_t at = (size_t)slice * stretch.n_events + event;

	data.truth[at] = truth;
	data.values[at] = is_measured ? truth : 0;
	data.state[at] = is_measured ? EP_VALUE_MEASURED : EP_VALUE_MISSING;
}

void fill(void)
{
	struct ep_fill_events events = {
		.n_events = stretch.n_events, .names = (const char **)names, .always = always
	};

	void *process = ep_filler_path.process_create(&events);

	ep_filler_path.fill(process, &stretch);
	ep_filler_path.process_destroy(process);
}

double sum_of(uint64_t place, uint32_t e, double *truth, float *changes)
{
	double sum = 0;

	*truth = 0;
	memset(changes, 0, EP_N_REPLICAS * sizeof(*changes));
	for (uint32_t i = 0; i < stretch.n_slices; i++) {
		size_t at = (size_t)i * stretch.n_events + e;

		if (place && data.places[i] != place)
			continue;
		sum += data.values[at];
		*truth += data.truth[at];
		for (int k = 0; k < 3; k++)
			changes[data.changes[at].replica[k]] += data.changes[at].by[k];
	}
	return sum;
}
