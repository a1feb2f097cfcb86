// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/made_codes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/trace_made_code.h"

/* limits for one process, which bound the memory that a damaged trace can take */
#define MAX_ROWS (1u << 20)
#define MAX_LINES (1u << 22)

/* V8 gives the lines' addresses as if an ELF header of this size stood before the code. */
#define ELF_HEADER_BYTES 64

void ep_made_codes_finish(struct ep_made_codes *codes)
{
	free(codes->rows);
	free(codes->lines);
	free(codes->starts);
	free(codes->bounds);
	free(codes->heads);
	free(codes->links);
	ep_index_finish(&codes->by_start);
	*codes = (struct ep_made_codes){ 0 };
}

static bool begins_with(const struct ep_made_code *code, const char *text)
{
	size_t size = strlen(text);

	return code->name_size >= size && !memcmp(code->name, text, size);
}

/* Tells whether a code's lines are usable. V8's bytecode (JS:~) and the code of V8's first compiler (JS:^)
 * have lines by offset in the bytecode, from which the address of an instruction cannot be found. */
static bool has_lines(const struct ep_made_code *code)
{
	return code->lines_size && !begins_with(code, "JS:^") && !begins_with(code, "JS:~");
}

static int append_line(
	struct ep_made_codes *codes, const struct ep_made_place *place, struct ep_made_row *row)
{
	if (codes->n_lines == MAX_LINES)
		return -EBADMSG;
	if (EP_ARRAY_RESERVE(codes->lines, codes->n_lines, codes->line_capacity))
		return -ENOMEM;
	codes->lines[codes->n_lines++] = *place;
	row->n_lines++;
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct ep_made_place *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int take_lines(struct ep_made_codes *codes, struct ep_strings *strings,
	const struct ep_made_code *code, struct ep_made_row *row)
{
	uint64_t shift = begins_with(code, "JS:") ? ELF_HEADER_BYTES : 0;
	struct ep_made_line line = { .address = code->start };
	struct ep_made_place place = { 0 };
	size_t at = 0;
	int rc = 0;

	row->first_line = codes->n_lines;
	while (!rc && ep_made_line_next(code, &at, &line)) {
		if (line.file_size)
			place.file = ep_strings_add(strings, line.file, line.file_size);
		if (line.file_size && !place.file)
			return -ENOMEM;
		place.line = line.line;
		place.offset = line.address - code->start - shift;
		if (place.offset < code->size_bytes)
			rc = append_line(codes, &place, row);
	}
	if (row->n_lines)
		qsort(codes->lines + row->first_line, row->n_lines, sizeof(*codes->lines),
			by_offset);
	return rc;
}

static bool starts_there(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_made_codes *codes = owner;
	const uint64_t *start = key;

	return codes->starts[idx].start == *start;
}

static struct ep_made_start *find_start(const struct ep_made_codes *codes, uint64_t start)
{
	uint32_t idx =
		ep_index_find(&codes->by_start, ep_hash_mix(0, start), starts_there, codes, &start);

	return idx == EP_NONE ? NULL : &codes->starts[idx];
}

/* Records the row with index order as the latest one that begins at the address. 0 or -ENOMEM. */
static int note_start(struct ep_made_codes *codes, uint64_t start, uint32_t order)
{
	struct ep_made_start *known = find_start(codes, start);

	if (known) {
		known->order = order;
		return 0;
	}
	if (EP_ARRAY_RESERVE(codes->starts, codes->n_starts, codes->start_capacity) ||
		ep_index_add(&codes->by_start, ep_hash_mix(0, start), codes->n_starts))
		return -ENOMEM;
	codes->starts[codes->n_starts++] = (struct ep_made_start){ start, order };
	return 0;
}

static int append_row(struct ep_made_codes *codes, struct ep_made_row row)
{
	if (codes->n_rows == MAX_ROWS)
		return -EBADMSG;
	if (EP_ARRAY_RESERVE(codes->rows, codes->n_rows, codes->row_capacity) ||
		note_start(codes, row.start, codes->n_rows))
		return -ENOMEM;
	codes->rows[codes->n_rows++] = row;
	codes->n_bounds = 0;
	return 0;
}

static int take_load(
	struct ep_made_codes *codes, struct ep_strings *strings, const struct ep_made_code *code)
{
	struct ep_made_row row = { .start = code->start,
		.size_bytes = code->size_bytes,
		.time_us = code->time_us,
		.name = ep_strings_add(strings, code->name, code->name_size) };
	int rc = 0;

	if (!row.name)
		return -ENOMEM;
	if (code->start + code->size_bytes < code->start)
		return -EBADMSG;
	if (has_lines(code))
		rc = take_lines(codes, strings, code, &row);
	return rc ? rc : append_row(codes, row);
}

/* Adds a row for code that was moved. Code whose load is not in the trace has no name, and is left out. */
static int take_move(struct ep_made_codes *codes, const struct ep_made_code *code)
{
	const struct ep_made_start *old = find_start(codes, code->old_start);
	struct ep_made_row row;

	if (!old)
		return 0;
	row = codes->rows[old->order];
	row.start = code->start;
	row.time_us = code->time_us;
	return row.start + row.size_bytes < row.start ? -EBADMSG : append_row(codes, row);
}

int ep_made_codes_take(
	struct ep_made_codes *codes, struct ep_strings *strings, const struct ep_block *block)
{
	struct ep_made_code code;
	size_t at = 0;
	int rc;

	while ((rc = ep_made_code_next(block, &at, &code)) == 1) {
		rc = code.kind == EP_MADE_MOVE ? take_move(codes, &code)
					       : take_load(codes, strings, &code);
		if (rc)
			return rc;
	}
	return rc;
}

/* ---- finding the codes that lay at an address ---- */

/*
 * A segment tree over the addresses at which codes begin or end, in bounds. Leaf i, which is node n_bounds +
 * i, covers the addresses from bounds[i] to the next bound; node i covers those of nodes 2 i and 2 i + 1. A
 * code is linked to the fewest nodes that cover its addresses: so the codes at an address are those of the
 * address's leaf and of the nodes above that leaf, which are few however many codes there are.
 */

/* A path's address can tell apart this many codes. */
#define MOST_CODES (EP_MADE_MOST_LATER + 1)
#define MOST_NODES 24 /* nodes from a leaf to the root: there are at most 2 MAX_ROWS leaves */

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns how many of the bounds are not above the address. */
static uint32_t count_before(const uint64_t *bounds, uint32_t n, uint64_t address)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (bounds[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t make_bounds(const struct ep_made_codes *codes, uint64_t *bounds)
{
	uint32_t n = 0, n_unique = 0;

	for (uint32_t i = 0; i < codes->n_rows; i++) {
		bounds[n++] = codes->rows[i].start;
		bounds[n++] = codes->rows[i].start + codes->rows[i].size_bytes;
	}
	qsort(bounds, n, sizeof(*bounds), by_address);
	for (uint32_t i = 0; i < n; i++)
		if (!i || bounds[i] != bounds[i - 1])
			bounds[n_unique++] = bounds[i];
	return n_unique;
}

/* Links a code to a node. Later codes are linked first, so that a node with MOST_CODES codes needs no earlier
 * codes. */
static int link_to(struct ep_made_codes *codes, uint32_t node, uint32_t order)
{
	struct ep_made_node *head = &codes->heads[node];

	if (head->n_codes == MOST_CODES)
		return 0;
	if (EP_ARRAY_RESERVE(codes->links, codes->n_links, codes->link_capacity))
		return -ENOMEM;
	codes->links[codes->n_links] = (struct ep_made_link){ order, head->link };
	head->link = codes->n_links++;
	head->n_codes++;
	return 0;
}

static int put_in_nodes(struct ep_made_codes *codes, uint32_t order)
{
	const struct ep_made_row *row = &codes->rows[order];
	uint32_t n = codes->n_bounds;
	uint32_t low = n - 1 + count_before(codes->bounds, n, row->start);
	uint32_t high = n - 1 + count_before(codes->bounds, n, row->start + row->size_bytes);
	int rc = 0;

	for (; low < high && !rc; low /= 2, high /= 2) {
		if (low & 1)
			rc = link_to(codes, low++, order);
		if (!rc && high & 1)
			rc = link_to(codes, --high, order);
	}
	return rc;
}

/* Makes the tree anew. 0 or -ENOMEM. */
static int make_tree(struct ep_made_codes *codes)
{
	int rc = 0;

	free(codes->bounds);
	free(codes->heads);
	codes->n_links = 0;
	codes->heads = NULL;
	codes->bounds = calloc(2 * (size_t)codes->n_rows, sizeof(*codes->bounds));
	if (!codes->bounds)
		return -ENOMEM;
	codes->n_bounds = make_bounds(codes, codes->bounds);
	codes->heads = calloc(2 * (size_t)codes->n_bounds, sizeof(*codes->heads));
	if (!codes->heads)
		rc = -ENOMEM;
	for (uint32_t i = codes->n_rows; i-- > 0 && !rc;)
		rc = put_in_nodes(codes, i);
	if (rc)
		codes->n_bounds = 0;
	return rc;
}

/* The codes that lay at an address, the latest one first. */
struct codes_there {
	uint32_t orders[MOST_NODES * MOST_CODES]; /* (n) indexes of rows */
	uint32_t n;
};

static int later_first(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* Finds the codes at an address; finds none where memory for the tree is lacking. */
static void find_there(struct ep_made_codes *codes, uint64_t address, struct codes_there *there)
{
	uint32_t node;

	there->n = 0;
	if (!codes->n_rows || (!codes->n_bounds && make_tree(codes)))
		return;
	node = count_before(codes->bounds, codes->n_bounds, address);
	if (!node)
		return;
	for (node += codes->n_bounds - 1; node; node /= 2)
		for (uint32_t n = codes->heads[node].n_codes, at = codes->heads[node].link; n;
			n--, at = codes->links[at].next)
			there->orders[there->n++] = codes->links[at].order;
	if (there->n > 1)
		qsort(there->orders, there->n, sizeof(*there->orders), later_first);
	if (there->n > MOST_CODES)
		there->n = MOST_CODES;
}

static const struct ep_made_row *row_there(
	const struct ep_made_codes *codes, const struct codes_there *there, uint32_t n_later)
{
	return &codes->rows[there->orders[n_later]];
}

uint32_t ep_made_codes_n_later(struct ep_made_codes *codes, uint64_t address, uint64_t time_us)
{
	struct codes_there there;
	uint32_t n = 0;

	find_there(codes, address, &there);
	while (n + 1 < there.n && row_there(codes, &there, n)->time_us > time_us)
		n++;
	return n;
}

bool ep_made_codes_are_replaced(struct ep_made_codes *codes, uint64_t address)
{
	struct codes_there there;

	find_there(codes, address, &there);
	for (uint32_t i = 0; i + 1 < there.n && row_there(codes, &there, i)->time_us; i++)
		if (row_there(codes, &there, i + 1)->name !=
			/* each name is stored once, so that pointers can be compared */
			row_there(codes, &there, i)->name)
			return true;
	return false;
}

const struct ep_made_row *ep_made_codes_find(struct ep_made_codes *codes, uint64_t path_address)
{
	uint32_t n_later = ep_made_later_of(path_address);
	struct codes_there there;

	find_there(codes, ep_made_address(path_address), &there);
	if (!there.n)
		return NULL;
	return row_there(codes, &there, n_later < there.n ? n_later : there.n - 1);
}

const struct ep_made_place *ep_made_codes_line(
	const struct ep_made_codes *codes, const struct ep_made_row *row, uint64_t path_address)
{
	const struct ep_made_place *found = NULL, *at = codes->lines + row->first_line;
	uint64_t offset = ep_made_address(path_address) - row->start;

	for (uint32_t i = 0; i < row->n_lines && at[i].offset <= offset; i++)
		found = &at[i];
	return found;
}
