// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes pprof's profile: the message Profile of github.com/google/pprof, proto/profile.proto, which defines the
 * numbers of fields below. The file is packed by gzip. A sample is a call path of a thread. All of this runs on one
 * thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/cleanup.h"
#include "common/hex.h"
#include "reporter/export/cells.h"
#include "reporter/export/export.h"
#include "reporter/export/notes.h"
#include "reporter/export/proto.h"
#include "reporter/export/text_ids.h"
#include "reporter/export/tree_walk.h"

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};
enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3 };
enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_START = 2,
	MAPPING_LIMIT = 3,
	MAPPING_FILENAME = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILENAMES = 8,
	MAPPING_HAS_LINE_NUMBERS = 9,
	MAPPING_HAS_INLINE_FRAMES = 10,
};
enum location_field {
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4
};
enum line_field { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };
enum function_field {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
	FUNCTION_START_LINE = 5
};

/* Addresses in a trace are relative to a module's file. Each module gets a range of addresses of its own in the file,
 * as if the module were loaded there. */
#define FIRST_START 0x100000000000ull
#define ALIGNMENT 0x100000ull
#define MOST_BYTES (1ull << 40) /* a module with a higher address, which is wrong, gets no range */

struct location_place {
	uint32_t module_idx;
	uint64_t address;
};

struct pprof {
	const struct ep_export *export;
	FILE *out;
	z_stream gzip;
	struct ep_proto top, inner, innermost, numbers;
	struct ep_tree_walk walk;
	struct ep_cells cells;
	struct ep_text_ids texts;
	uint32_t *mapping_ids; /* (n_modules) id of the mapping; 0: none */
	uint64_t *starts;      /* (n_modules) first address of each module */
	bool *is_function;     /* (n_symbols) the function was written */
	/* (n_places) places of the locations; a location's id is its index here plus one */
	struct location_place *places;
	uint32_t n_places, place_capacity;
	struct ep_index place_index;
};

/* ---- gzip ---- */

static int deflate_some(struct pprof *p, int flush)
{
	uint8_t packed[16384];
	int rc;

	do {
		p->gzip.next_out = packed;
		p->gzip.avail_out = sizeof(packed);
		rc = deflate(&p->gzip, flush);
		if (rc == Z_STREAM_ERROR)
			return -ENOMEM;
		fwrite(packed, sizeof(packed) - p->gzip.avail_out, 1, p->out);
	} while (!p->gzip.avail_out);
	return 0;
}

#define ENOUGH_BYTES (1 << 16)

/* Compresses and writes the bytes of the message that are in p->top, if they are many enough or the last ones. */
static int flush_top(struct pprof *p, bool is_end)
{
	if (p->top.out_of_memory)
		return -ENOMEM;
	if (p->top.size < ENOUGH_BYTES && !is_end)
		return 0;
	p->gzip.next_in = p->top.bytes;
	p->gzip.avail_in = (uInt)p->top.size;
	p->top.size = 0;
	return deflate_some(p, is_end ? Z_FINISH : Z_NO_FLUSH);
}

/* ---- metadata ---- */

static uint64_t text_id(struct pprof *p, const char *text)
{
	return ep_text_ids_add(&p->texts, text);
}

static void put_value_type(struct pprof *p, uint32_t field, const char *type, const char *unit)
{
	ep_proto_number(&p->inner, VALUE_TYPE_TYPE, text_id(p, type));
	ep_proto_number(&p->inner, VALUE_TYPE_UNIT, text_id(p, unit));
	ep_proto_inner(&p->top, field, &p->inner);
}

/* Returns a column's unit. pprof knows the unit "nanoseconds", but not "ns". */
static const char *unit_of(const struct ep_column *column)
{
	return strcmp(column->unit, "ns") ? column->unit : "nanoseconds";
}

static void put_comment(void *context, const char *sentence)
{
	struct pprof *p = context;

	ep_proto_varint(&p->numbers, text_id(p, sentence));
}

static void put_header(struct pprof *p)
{
	const struct ep_report *report = p->export->report;

	for (uint32_t c = 0; c < p->cells.n_columns; c++)
		put_value_type(p, PROFILE_SAMPLE_TYPE, p->cells.columns[c].name,
			unit_of(&p->cells.columns[c]));
	put_value_type(p, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
	ep_proto_number(&p->top, PROFILE_PERIOD, (uint64_t)(report->period_ms * 1e6));
	ep_proto_number(&p->top, PROFILE_TIME_NANOS, report->started_ns);
	ep_proto_number(&p->top, PROFILE_DURATION_NANOS, (uint64_t)(report->duration_s * 1e9));
	ep_proto_number(&p->top, PROFILE_DEFAULT_SAMPLE_TYPE, text_id(p, "cpu"));
	ep_export_notes(p->export, &p->cells, put_comment, p);
	ep_proto_inner(&p->top, PROFILE_COMMENT, &p->numbers);
}

/* ---- modules ---- */

static bool is_named(const struct pprof *p, uint32_t module_idx)
{
	enum ep_module_status status = ep_symbols_module_status(p->export->symbols, module_idx);

	return status == EP_MODULE_FOUND || status == EP_MODULE_KEPT || status == EP_MODULE_DEBUG ||
	       status == EP_MODULE_NO_FILE;
}

static void put_mapping(struct pprof *p, uint32_t module_idx, uint64_t size)
{
	const struct ep_module_info *module = &p->export->trace->modules[module_idx];
	char build_id[2 * EP_BUILD_ID_MAX_BYTES + 1];

	ep_hex_format(build_id, module->build_id, module->build_id_size);
	ep_proto_number(&p->inner, MAPPING_ID, p->mapping_ids[module_idx]);
	ep_proto_number(&p->inner, MAPPING_START, p->starts[module_idx]);
	ep_proto_number(&p->inner, MAPPING_LIMIT, p->starts[module_idx] + size);
	ep_proto_number(&p->inner, MAPPING_FILENAME, text_id(p, module->path));
	ep_proto_number(&p->inner, MAPPING_BUILD_ID, text_id(p, build_id));
	if (is_named(p, module_idx))
		for (uint32_t field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINE_FRAMES;
			field++)
			ep_proto_number(&p->inner, field, 1);
	ep_proto_inner(&p->top, PROFILE_MAPPING, &p->inner);
}

/* Returns (n_modules) sizes: the highest address of a path in each module plus one; NULL: there is no memory. */
static uint64_t *find_sizes(const struct ep_trace *trace)
{
	uint64_t *sizes = calloc(trace->n_modules + 1, sizeof(*sizes));

	for (uint32_t i = 0; sizes && i < trace->n_paths; i++) {
		const struct ep_path *path = &trace->paths[i];

		if (path->module_idx != EP_NONE && path->address >= sizes[path->module_idx])
			sizes[path->module_idx] = path->address + 1;
	}
	return sizes;
}

/* Finds the program's module, since pprof takes the first mapping for the program. Returns EP_NONE if the trace has no
 * such module. */
static uint32_t find_main(const struct ep_trace *trace)
{
	const char *exe = trace->n_processes ? trace->processes[0].meta[EP_META_EXE] : NULL;

	for (uint32_t i = 0; exe && i < trace->n_modules; i++)
		if (trace->modules[i].path == exe)
			return i;
	return EP_NONE;
}

/* Writes the mappings. Code without a file, for example of a JIT compiler, keeps its addresses and has no mapping. */
static int put_mappings(struct pprof *p)
{
	const struct ep_trace *trace = p->export->trace;
	EP_AUTOFREE uint64_t *sizes = find_sizes(trace);
	uint32_t first = find_main(trace), n_ids = 0;
	uint64_t next = FIRST_START;

	p->mapping_ids = calloc(trace->n_modules + 1, sizeof(*p->mapping_ids));
	p->starts = calloc(trace->n_modules + 1, sizeof(*p->starts));
	if (!sizes || !p->mapping_ids || !p->starts)
		return -ENOMEM;
	for (uint32_t turn = 0; turn <= trace->n_modules; turn++) {
		uint32_t i = turn ? turn - 1 : first;
		uint64_t size;

		if (i == EP_NONE || p->mapping_ids[i] || !sizes[i] || sizes[i] > MOST_BYTES ||
			!trace->modules[i].path[0])
			continue;
		size = (sizes[i] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
		p->mapping_ids[i] = ++n_ids;
		p->starts[i] = next;
		put_mapping(p, i, size);
		next += size + ALIGNMENT;
	}
	return 0;
}

/* ---- functions and locations ---- */

static void put_function(struct pprof *p, uint32_t symbol_idx)
{
	const struct ep_symbol *symbol = ep_symbols_get(p->export->symbols, symbol_idx);
	uint64_t name = text_id(p, symbol->name);

	if (p->is_function[symbol_idx])
		return;
	p->is_function[symbol_idx] = true;
	ep_proto_number(&p->inner, FUNCTION_ID, symbol_idx + 1);
	ep_proto_number(&p->inner, FUNCTION_NAME, name);
	ep_proto_number(&p->inner, FUNCTION_SYSTEM_NAME, name);
	ep_proto_number(&p->inner, FUNCTION_FILENAME, text_id(p, symbol->file));
	ep_proto_number(&p->inner, FUNCTION_START_LINE, symbol->line);
	ep_proto_inner(&p->top, PROFILE_FUNCTION, &p->inner);
}

static bool same_place(const void *owner, uint32_t idx, const void *key)
{
	const struct location_place *a = &((const struct pprof *)owner)->places[idx], *b = key;

	return a->module_idx == b->module_idx && a->address == b->address;
}

/* Writes a location. frames (n) were inlined into each other, innermost first, as Location.line needs them. */
static void put_location(struct pprof *p, const struct location_place *place,
	const struct ep_walk_frame *frames, uint32_t n)
{
	bool has_module = place->module_idx != EP_NONE;
	bool has_file = has_module && p->export->trace->modules[place->module_idx].path[0];

	for (uint32_t i = 0; i < n; i++)
		put_function(p, frames[i].frame.symbol_idx);
	ep_proto_number(&p->inner, LOCATION_ID, p->n_places);
	if (has_module) {
		ep_proto_number(&p->inner, LOCATION_MAPPING_ID, p->mapping_ids[place->module_idx]);
		ep_proto_number(&p->inner, LOCATION_ADDRESS,
			has_file ? p->starts[place->module_idx] + place->address
				 : ep_made_address(place->address));
	}
	for (uint32_t i = 0; i < n; i++) {
		ep_proto_number(&p->innermost, LINE_FUNCTION_ID, frames[i].frame.symbol_idx + 1);
		ep_proto_number(&p->innermost, LINE_LINE, frames[i].frame.line);
		ep_proto_inner(&p->inner, LOCATION_LINE, &p->innermost);
	}
	ep_proto_inner(&p->top, PROFILE_LOCATION, &p->inner);
}

/* Returns the id of the location for n frames of one path. For a return address it is the location of the byte before,
 * which belongs to the call. 0: there is no memory. */
static uint64_t location_of(struct pprof *p, const struct ep_walk_frame *frames, uint32_t n)
{
	const struct ep_path *path = &p->export->trace->paths[frames[0].path_idx];
	struct location_place place = { path->module_idx,
		path->address - (frames[0].is_return && path->address) };
	uint64_t hash = ep_hash_mix(place.module_idx, place.address);
	uint32_t idx = ep_index_find(&p->place_index, hash, same_place, p, &place);

	if (idx != EP_NONE)
		return idx + 1;
	if (EP_ARRAY_RESERVE(p->places, p->n_places, p->place_capacity) ||
		ep_index_add(&p->place_index, hash, p->n_places))
		return 0;
	p->places[p->n_places++] = place;
	put_location(p, &place, frames, n);
	return p->n_places;
}

/* ---- samples ---- */

static void put_text_label(struct pprof *p, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	ep_proto_number(&p->innermost, LABEL_KEY, text_id(p, key));
	ep_proto_number(&p->innermost, LABEL_STR, text_id(p, text));
	ep_proto_inner(&p->inner, SAMPLE_LABEL, &p->innermost);
}

static void put_number_label(struct pprof *p, const char *key, uint64_t number)
{
	if (!number)
		return;
	ep_proto_number(&p->innermost, LABEL_KEY, text_id(p, key));
	ep_proto_number(&p->innermost, LABEL_NUM, number);
	ep_proto_inner(&p->inner, SAMPLE_LABEL, &p->innermost);
}

static void put_labels(struct pprof *p, uint32_t thread_number)
{
	const struct ep_trace *trace = p->export->trace;
	const struct ep_trace_process *process;
	const struct ep_trace_thread *thread;

	if (!thread_number)
		return;
	thread = &trace->threads[thread_number - 1];
	process = &trace->processes[thread->process_idx];
	put_text_label(p, "thread", thread->name);
	put_number_label(p, "tid", thread->tid);
	put_number_label(p, "pid", process->key.pid);
	put_text_label(p, "rank", process->meta[EP_META_RANK]);
}

static int put_sample(struct pprof *p, uint32_t path_idx)
{
	const struct ep_walk_frame *frames;
	uint32_t n, end;

	if (ep_tree_walk_frames(&p->walk, path_idx, &frames, &n))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i = end) {
		uint64_t id;

		for (end = i + 1; end < n && frames[end].path_idx == frames[i].path_idx;)
			end++;
		id = location_of(p, frames + i, end - i);
		if (!id)
			return -ENOMEM;
		ep_proto_varint(&p->numbers, id);
	}
	ep_proto_inner(&p->inner, SAMPLE_LOCATION_ID, &p->numbers);
	for (uint32_t c = 0; c < p->cells.n_columns; c++)
		ep_proto_varint(&p->numbers, (uint64_t)ep_cells_row(&p->cells, path_idx)[c]);
	ep_proto_inner(&p->inner, SAMPLE_VALUE, &p->numbers);
	put_labels(p, p->export->trace->paths[path_idx].thread_number);
	ep_proto_inner(&p->top, PROFILE_SAMPLE, &p->inner);
	return flush_top(p, false);
}

static int put_samples(struct pprof *p)
{
	int rc = 0;

	for (uint32_t i = 0; i < p->export->trace->n_paths && !rc; i++)
		if (!ep_cells_row_is_empty(&p->cells, i))
			rc = put_sample(p, i);
	return rc;
}

/* ---- the file ---- */

static int put_all(struct pprof *p)
{
	struct ep_cells_source source = { .trace = p->export->trace,
		.symbols = p->export->symbols,
		.report = p->export->report,
		.n_rows = p->export->trace->n_paths };

	if (ep_cells_init(&p->cells, &source))
		return -ENOMEM;
	p->is_function = calloc(ep_symbols_count(p->export->symbols) + 1, sizeof(*p->is_function));
	if (!p->is_function)
		return -ENOMEM;
	put_header(p);
	if (put_mappings(p) || put_samples(p))
		return -ENOMEM;
	for (uint32_t i = 0; i < p->texts.names.n_names; i++)
		ep_proto_bytes(&p->top, PROFILE_STRING_TABLE, p->texts.names.texts[i],
			strlen(p->texts.names.texts[i]));
	return p->texts.out_of_memory ? -ENOMEM : flush_top(p, true);
}

static void finish(struct pprof *p)
{
	ep_proto_finish(&p->top);
	ep_proto_finish(&p->inner);
	ep_proto_finish(&p->innermost);
	ep_proto_finish(&p->numbers);
	ep_tree_walk_finish(&p->walk);
	ep_cells_finish(&p->cells);
	ep_text_ids_finish(&p->texts);
	free(p->mapping_ids);
	free(p->starts);
	free(p->is_function);
	free(p->places);
	ep_index_finish(&p->place_index);
	deflateEnd(&p->gzip);
}

#define GZIP_WINDOW_BITS (15 + 16) /* zlib.h: 16 is added for a gzip header */

static int write_pprof(FILE *out, const struct ep_export *export, struct ep_error *err)
{
	struct pprof p = { .export = export,
		.out = out,
		.walk = { .trace = export->trace, .symbols = export->symbols } };
	int rc = deflateInit2(&p.gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS, 8,
			 Z_DEFAULT_STRATEGY) == Z_OK
			 ? put_all(&p)
			 : -ENOMEM;

	finish(&p);
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

const struct ep_export_format ep_export_pprof = {
	.name = "pprof", .by_thread = true, .is_binary = true, .write = write_pprof
};
