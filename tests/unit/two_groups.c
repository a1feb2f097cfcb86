// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/two_groups.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"

static char path[64];
static uint8_t holds[] = { 1, 2, 0, 1, 0, 2 };

const struct ep_groups groups = {
	.n_events = 3,
	.n_groups = 2,
	.period_us = 1000,
	.holds = holds,
};
const char meta[] =
	"host\tn\nperiod_ns\t1000000\nclock\ttask-clock:u\n"
	"event\t0\tcycles\talways\tcount\nevent\t1\ta\t-\tcount\nevent\t2\tb\t-\tcount\n"
	"group\t0\t0,1\ngroup\t1\t0,2\n";

struct trace_writer writer;

void start_trace(void)
{
	snprintf(path, sizeof(path), "/tmp/evprof-load-XXXXXX");
	trace_writer_init(&writer, fdopen(mkstemp(path), "wb"));
	writer.key = (struct ep_process_key){ 100, 5000000000 };
}

struct ep_trace *finish_trace_as(const struct ep_load_options *options)
{
	struct ep_trace *trace = NULL;
	struct ep_error err;
	int rc;

	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
	rc = ep_trace_load(path, options, &trace, &err);
	unlink(path);
	if (rc) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
	return trace;
}

struct ep_trace *finish_trace_with(const struct ep_filler_ops *filler)
{
	return finish_trace_as(&(struct ep_load_options){ .filler = filler });
}

struct ep_trace *finish_trace(void)
{
	return finish_trace_with(&ep_filler_fixed);
}

void put_slices(uint32_t n, uint32_t node, uint64_t first, uint64_t cpu_us)
{
	EP_AUTOFREE struct ep_sample *rows = calloc(n, sizeof(*rows));
	EP_AUTOFREE uint64_t *values = calloc(3 * n, sizeof(*values));
	struct ep_samples samples = { 0, 1, n, first, rows, values };

	for (uint32_t i = 0; i < n; i++) {
		rows[i] = (struct ep_sample){ .cpu_us = cpu_us,
			.wall_us = cpu_us,
			.node_idx = node,
			.group = (first + i) % 2 };
		for (uint32_t e = 0; e < 3; e++)
			values[3 * i + e] = 10 * (e + 1);
	}
	trace_put_samples(&writer, &groups, &samples, first * cpu_us);
}

void put_nodes(uint32_t first, struct ep_stack_node *nodes, uint32_t n)
{
	struct ep_stacks stacks = { 0, 1, first, n, nodes };

	trace_put_stacks(&writer, &stacks);
}
