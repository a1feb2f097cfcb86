// SPDX-License-Identifier: BSD-3-Clause
/* Reads safetensors; every number in the file is checked before it is used. */
#include "reporter/estimate/safetensors.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

enum { MAX_HEADER_BYTES = 100 << 20, MAX_TENSORS = 4096 };

struct tensor_entry {
	const char *name; /* points into the header */
	uint64_t begin, end;
	struct ep_tensor tensor;
};

struct ep_safetensors {
	json_object *header;
	float *data;
	size_t data_bytes;
	size_t n_entries;
	struct tensor_entry *entries; /* (n_entries), sorted by begin */
};

struct parsing {
	const char *name;
	struct ep_error *err;
	struct ep_safetensors *file;
};

#define REFUSE(p, ...)                                                                             \
	ep_fail_at((p)->err, -EINVAL, (struct ep_place){ .file = (p)->name }, __VA_ARGS__)

void ep_safetensors_destroy(struct ep_safetensors *file)
{
	if (!file)
		return;
	json_object_put(file->header);
	free(file->data);
	free(file->entries);
	free(file);
}

static void cleanup_file(struct ep_safetensors **file)
{
	ep_safetensors_destroy(*file);
}

static void cleanup_tokener(json_tokener **tokener)
{
	if (*tokener)
		json_tokener_free(*tokener);
}

static int parse_header(const struct parsing *p, const char *text, size_t length)
{
	__attribute__((cleanup(cleanup_tokener))) json_tokener *tokener = json_tokener_new();

	if (!tokener)
		return ep_fail(p->err, -ENOMEM, "out of memory");
	p->file->header = json_tokener_parse_ex(tokener, text, (int)length);
	if (!json_object_is_type(p->file->header, json_type_object))
		return REFUSE(p, "the header is no JSON object");
	return 0;
}

static bool unsigned_of(json_object *number, uint64_t *out)
{
	if (!json_object_is_type(number, json_type_int) || json_object_get_int64(number) < 0)
		return false;
	*out = (uint64_t)json_object_get_int64(number);
	return true;
}

static int parse_shape(const struct parsing *p, json_object *shape, struct tensor_entry *e)
{
	size_t rank = json_object_is_type(shape, json_type_array) ? json_object_array_length(shape)
								  : SIZE_MAX;
	uint64_t n_values = 1;

	if (rank > EP_TENSOR_MAX_RANK)
		return REFUSE(p, "tensor \"%.80s\": no shape of at most %d numbers", e->name,
			EP_TENSOR_MAX_RANK);
	for (size_t i = 0; i < rank; i++) {
		uint64_t n;
		if (!unsigned_of(json_object_array_get_idx(shape, i), &n) || n > UINT32_MAX ||
			(n_values *= n) > UINT32_MAX)
			return REFUSE(p, "tensor \"%.80s\": shape out of range", e->name);
		e->tensor.shape[i] = n;
	}
	e->tensor.rank = rank;
	e->tensor.n_values = n_values;
	return 0;
}

static int parse_offsets(const struct parsing *p, json_object *offsets, struct tensor_entry *e)
{
	if (!json_object_is_type(offsets, json_type_array) ||
		json_object_array_length(offsets) != 2 ||
		!unsigned_of(json_object_array_get_idx(offsets, 0), &e->begin) ||
		!unsigned_of(json_object_array_get_idx(offsets, 1), &e->end))
		return REFUSE(p, "tensor \"%.80s\": no data_offsets", e->name);
	if (e->begin > e->end || e->end > p->file->data_bytes)
		return REFUSE(p,
			"tensor \"%.80s\": bytes %" PRIu64 "-%" PRIu64
			" of %zu; the file is cut or the header wrong",
			e->name, e->begin, e->end, p->file->data_bytes);
	if (e->begin % sizeof(float))
		return REFUSE(p,
			"tensor \"%.80s\": it begins at byte %" PRIu64
			", which is no multiple of 4",
			e->name, e->begin);
	if (e->end - e->begin != e->tensor.n_values * sizeof(float))
		return REFUSE(p, "tensor \"%.80s\": %" PRIu64 " bytes do not hold its shape",
			e->name, e->end - e->begin);
	return 0;
}

static int parse_entry(const struct parsing *p, json_object *from, struct tensor_entry *e)
{
	json_object *dtype = json_object_object_get(from, "dtype");
	const char *type = json_object_is_type(dtype, json_type_string)
				   ? json_object_get_string(dtype)
				   : "none";
	int rc;

	if (strcmp(type, "F32"))
		return REFUSE(p, "tensor \"%.80s\": dtype %.20s, only F32 is read", e->name, type);
	rc = parse_shape(p, json_object_object_get(from, "shape"), e);
	return rc ? rc : parse_offsets(p, json_object_object_get(from, "data_offsets"), e);
}

static int parse_entries(const struct parsing *p)
{
	struct ep_safetensors *f = p->file;
	size_t n = (size_t)json_object_object_length(f->header);
	int rc = 0;

	if (n > MAX_TENSORS)
		return REFUSE(p, "%zu tensors, at most %d are read", n, MAX_TENSORS);
	f->entries = calloc(n + 1, sizeof(*f->entries));
	if (!f->entries)
		return ep_fail(p->err, -ENOMEM, "out of memory");
	json_object_object_foreach(f->header, name, value)
	{
		struct tensor_entry *e = &f->entries[f->n_entries];
		if (!strcmp(name, "__metadata__"))
			continue;
		e->name = name;
		if (!json_object_is_type(value, json_type_object))
			return REFUSE(p, "tensor \"%.80s\" is not described", name);
		rc = parse_entry(p, value, e);
		if (rc)
			return rc;
		f->n_entries++;
	}
	return 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct tensor_entry *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

static int check_layout(const struct parsing *p)
{
	struct ep_safetensors *f = p->file;
	uint64_t at = 0;

	qsort(f->entries, f->n_entries, sizeof(*f->entries), by_begin);
	for (size_t i = 0; i < f->n_entries; i++) {
		struct tensor_entry *e = &f->entries[i];
		if (e->begin != at)
			return REFUSE(p, "tensor \"%.80s\" %s", e->name,
				e->begin < at ? "overlaps another" : "leaves a hole before it");
		e->tensor.values = f->data + e->begin / sizeof(float);
		at = e->end;
	}
	if (at != f->data_bytes)
		return REFUSE(p, "%" PRIu64 " bytes belong to no tensor", f->data_bytes - at);
	return 0;
}

static int check_finite(const struct parsing *p)
{
	for (size_t i = 0; i < p->file->n_entries; i++) {
		const struct tensor_entry *e = &p->file->entries[i];
		for (size_t k = 0; k < e->tensor.n_values; k++)
			if (!isfinite(e->tensor.values[k]))
				return REFUSE(
					p, "tensor \"%.80s\": value %zu is not finite", e->name, k);
	}
	return 0;
}

static int parse_file(const struct parsing *p, const char *bytes, size_t size_bytes)
{
	uint64_t length = 0;
	int rc;

	for (int i = 7; i >= 0 && size_bytes >= 8; i--)
		length = length << 8 | (unsigned char)bytes[i];
	if (size_bytes < 8 || length > MAX_HEADER_BYTES || length > size_bytes - 8)
		return REFUSE(p, "is cut, or no safetensors file");
	rc = parse_header(p, bytes + 8, length);
	if (rc)
		return rc;
	p->file->data_bytes = size_bytes - 8 - length;
	p->file->data = malloc(p->file->data_bytes + 1);
	if (!p->file->data)
		return ep_fail(p->err, -ENOMEM, "out of memory");
	memcpy(p->file->data, bytes + 8 + length, p->file->data_bytes);
	rc = parse_entries(p);
	if (!rc)
		rc = check_layout(p);
	return rc ? rc : check_finite(p);
}

int ep_safetensors_parse(const char *name, const void *bytes, size_t size_bytes,
	struct ep_safetensors **out_file, struct ep_error *err)
{
	__attribute__((cleanup(cleanup_file))) struct ep_safetensors *file =
		calloc(1, sizeof(*file));
	struct parsing p = { name, err, file };
	int rc;

	if (!file)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = parse_file(&p, bytes, size_bytes);
	if (rc)
		return rc;
	*out_file = file;
	file = NULL;
	return 0;
}

const struct ep_tensor *ep_safetensors_find(const struct ep_safetensors *file, const char *name)
{
	for (size_t i = 0; i < file->n_entries; i++)
		if (!strcmp(file->entries[i].name, name))
			return &file->entries[i].tensor;
	return NULL;
}

const char *ep_safetensors_metadata(const struct ep_safetensors *file, const char *key)
{
	json_object *metadata = json_object_object_get(file->header, "__metadata__");
	json_object *value = json_object_is_type(metadata, json_type_object)
				     ? json_object_object_get(metadata, key)
				     : NULL;

	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}
