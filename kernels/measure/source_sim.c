// SPDX-License-Identifier: BSD-3-Clause
/*
 * Gives ideal counts from a table "event,<expectations...>": at each point of a kernel an event counts its
 * responses times the point's expectations. The kernels run as usual; only the counts are computed.
 * Expectations that a kernel's basis does not have count as 0.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "kernels/measure/source.h"

static struct ep_labelled responses;
/* identifier of the CPU whose events the table has; NULL: not given */
static const char *played_cpuid;

static int list_sim(struct ep_candidates *candidates, const char *argument, struct ep_error *err)
{
	static const char option[] = ",cpuid=";
	const char *cpuid = argument ? strstr(argument, option) : NULL;
	EP_AUTOFREE char *path = NULL;
	int rc;

	if (!argument)
		return ep_fail(
			err, -EINVAL, "--source sim needs a table: sim:FILE or sim:FILE,cpuid=CPU");
	path = strndup(argument, cpuid ? (size_t)(cpuid - argument) : strlen(argument));
	if (!path)
		return ep_fail(err, -ENOMEM, "out of memory");
	played_cpuid = cpuid ? cpuid + strlen(option) : NULL;
	rc = ep_labelled_read(&responses, path, "event", err);
	for (size_t i = 0; !rc && i < responses.rows.n; i++) {
		struct ep_event event = { .column = (uint32_t)i };

		snprintf(event.name, sizeof(event.name), "%s", responses.rows.items[i]);
		rc = ep_candidates_add(candidates, &event, NULL);
	}
	return rc;
}

static int open_sim(struct ep_count_group *group, size_t *out_n_fit, struct ep_error *err)
{
	*out_n_fit = group->n;
	return 0;
}

static void start_sim(struct ep_count_group *group)
{
}

static int stop_sim(struct ep_count_group *group, double *values)
{
	const struct ep_labelled *basis = group->item.basis;
	size_t n_dims = basis->columns.n;

	for (size_t i = 0; i < group->n; i++) {
		const double *row =
			responses.values + group->events[i].column * responses.columns.n;

		values[i] = 0;
		for (size_t d = 0; d < n_dims; d++) {
			long column = ep_labels_find(&responses.columns, basis->columns.items[d]);

			if (column >= 0)
				values[i] +=
					row[column] * basis->values[group->item.point * n_dims + d];
		}
		values[i] *= group->item.divisor;
	}
	return 0;
}

static void close_sim(struct ep_count_group *group)
{
}

static const char *sim_cpuid(void)
{
	return played_cpuid;
}

const struct ep_count_source ep_count_source_sim = {
	.name = "sim",
	.list = list_sim,
	.open = open_sim,
	.start = start_sim,
	.stop = stop_sim,
	.close = close_sim,
	.cpuid = sim_cpuid,
};
