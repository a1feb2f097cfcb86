// SPDX-License-Identifier: BSD-3-Clause
/*
 * libFuzzer target for callgrind's files. The first byte is the size of the pieces in which the rest
 * is read a second time: the sums must be those of the whole. tests/fuzz/run.sh builds and runs it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/load/costs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct reading {
	struct ep_costs costs;
	struct ep_strings strings;
	struct ep_counts total;
	int rc;
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void read_pieces(struct reading *r, const char *text, size_t size, size_t piece)
{
	struct ep_costs_reader *reader = ep_costs_reader_create(&r->costs, &r->strings);

	for (size_t at = 0; !r->rc && at < size; at += piece)
		r->rc = ep_costs_reader_take(
			reader, text + at, size - at < piece ? size - at : piece);
	if (!r->rc)
		ep_costs_reader_finish(reader, &r->total, &(struct ep_floating_counts){ { 0 } });
	ep_costs_reader_destroy(reader);
}

static void check_indices(const struct ep_costs *costs)
{
	for (uint32_t i = 0; i < costs->n_lines; i++)
		must(costs->lines[i].procedure_idx < costs->n_procedures);
	for (uint32_t i = 0; i < costs->n_calls; i++)
		must(costs->calls[i].caller_idx < costs->n_procedures &&
			costs->calls[i].callee_idx < costs->n_procedures);
}

static void check_same(const struct reading *a, const struct reading *b)
{
	must(a->rc == b->rc);
	must(a->costs.n_procedures == b->costs.n_procedures);
	must(a->costs.n_lines == b->costs.n_lines);
	must(a->costs.n_calls == b->costs.n_calls);
	must(!memcmp(&a->total, &b->total, sizeof(a->total)));
}

static void finish(struct reading *r)
{
	ep_costs_finish(&r->costs);
	ep_strings_finish(&r->strings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reading whole = { .rc = 0 }, pieces = { .rc = 0 };

	if (size < 2)
		return 0;
	const char *text = (const char *)data + 1;
	read_pieces(&whole, text, size - 1, size - 1);
	read_pieces(&pieces, text, size - 1, data[0] ? data[0] : 256);
	check_indices(&whole.costs);
	check_same(&whole, &pieces);
	finish(&whole);
	finish(&pieces);
	return 0;
}
