// SPDX-License-Identifier: BSD-3-Clause
/* Weights files: what is read, what is refused, and files cut at every byte. */
#include "reporter/estimate/safetensors.h"

#include "tests/unit/test.h"

#include <errno.h>
#include <stdint.h>

#include "common/cleanup.h"

/* A file of a header and n_values floats 1, 2, 3... */
static size_t build(char *out, const char *header, size_t n_values)
{
	uint64_t length = strlen(header);

	memcpy(out, &length, 8);
	memcpy(out + 8, header, length);
	for (size_t i = 0; i < n_values; i++) {
		float value = (float)(i + 1);
		memcpy(out + 8 + length + 4 * i, &value, 4);
	}
	return 8 + length + 4 * n_values;
}

#define A "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}"

struct bad_case {
	const char *header, *message;
};

static const struct bad_case bad_cases[] = {
	{ "[]", "no JSON object" },
	{ "{\"a\":", "no JSON object" },
	{ "{}", "belong to no tensor" },
	{ "{\"a\":7}", "not described" },
	{ "{\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}", "dtype F64" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}",
		"do not hold its shape" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}",
		"shape out of range" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,8]}}",
		"shape out of range" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1],\"data_offsets\":[0,4]}}", "no shape" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", "is cut" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", "bytes 8-0" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[2,6]}}",
		"it begins at byte 2, which is no multiple of 4" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", "no data_offsets" },
	{ "{" A ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", "overlaps" },
	{ "{\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", "hole" },
};

TEST(faults_are_named)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(bad_cases); i++) {
		char bytes[512];
		size_t size = build(bytes, bad_cases[i].header, 2);
		struct ep_safetensors *file = NULL;
		struct ep_error err = { 0 };
		CHECK_INT(ep_safetensors_parse("w", bytes, size, &file, &err), -EINVAL);
		CHECK_MSG(strstr(err.message, bad_cases[i].message),
			"case %zu: \"%s\" lacks \"%s\"", i, err.message, bad_cases[i].message);
	}
}

TEST(what_is_not_finite_is_refused)
{
	char bytes[256];
	size_t size = build(bytes, "{" A "}", 2);
	struct ep_safetensors *file = NULL;
	struct ep_error err;
	float bad = NAN;

	memcpy(bytes + size - 4, &bad, 4);
	CHECK_INT(ep_safetensors_parse("w", bytes, size, &file, &err), -EINVAL);
	CHECK(strstr(err.message, "value 1 is not finite"));
}

TEST(tensors_and_metadata_are_found)
{
	char bytes[256];
	size_t size = build(bytes, "{" A ",\"__metadata__\":{\"k\":\"v\",\"n\":1}}", 2);
	struct ep_safetensors *file = NULL;
	const struct ep_tensor *t;

	CHECK_INT(ep_safetensors_parse("w", bytes, size, &file, NULL), 0);
	t = ep_safetensors_find(file, "a");
	CHECK(t && t->rank == 1 && t->shape[0] == 2 && t->values[1] == 2);
	CHECK(!ep_safetensors_find(file, "b"));
	CHECK_STR(ep_safetensors_metadata(file, "k"), "v");
	CHECK(!ep_safetensors_metadata(file, "n"));
	CHECK(!ep_safetensors_metadata(file, "absent"));
	ep_safetensors_destroy(file);
}

TEST(every_cut_is_refused)
{
	char bytes[256];
	size_t size = build(bytes, "{" A "}", 2);

	for (size_t cut = 0; cut < size; cut++) {
		struct ep_safetensors *file = NULL;
		char *exact = malloc(cut + 1); /* so that a checker sees a read past the end */
		memcpy(exact, bytes, cut);
		CHECK_INT(ep_safetensors_parse("w", exact, cut, &file, NULL), -EINVAL);
		free(exact);
	}
}

/* Any byte changed: an error or a file, never a crash. Sizes stay what they are. */
TEST(changed_bytes_do_not_crash)
{
	char bytes[256];
	size_t size = build(bytes, "{" A ",\"__metadata__\":{\"k\":\"v\"}}", 2), n_read = 0;

	srand(7);
	for (int round = 0; round < 20000; round++) {
		struct ep_safetensors *file = NULL;
		size_t at = (size_t)rand() % size;
		char kept = bytes[at];
		bytes[at] = (char)rand();
		if (!ep_safetensors_parse("w", bytes, size, &file, NULL))
			n_read += ep_safetensors_find(file, "a") != NULL;
		ep_safetensors_destroy(file);
		bytes[at] = kept;
	}
	CHECK(n_read > 0);
}
