// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/reduced_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/unfinished.h"

#define PLAIN_BYTES (EP_MEMBER_MAX_BYTES - 512)

int ep_reduced_out_open(struct ep_reduced_out *out, const char *path, struct ep_error *err)
{
	int rc = ep_file_may_replace(path, err);

	*out = (struct ep_reduced_out){ .file = NULL };
	if (rc)
		return rc;
	if (!strcmp(path, "-"))
		return ep_fail(err, -EINVAL,
			"a file of sums cannot go to standard output, since it is not written in order: name a file with -o");
	*out = (struct ep_reduced_out){ .packer = ep_packer_create(),
		.path = strdup(path),
		.plain = malloc(EP_MEMBER_MAX_BYTES),
		.packed = malloc(EP_MEMBER_MAX_BYTES) };
	if (asprintf(&out->path_now, "%s.%d.part", path, (int)getpid()) < 0)
		out->path_now = NULL;
	if (!out->packer || !out->path || !out->path_now || !out->plain || !out->packed)
		return ep_fail(err, -ENOMEM, "out of memory");
	out->wire = (struct ep_wire){ .data = out->plain, .capacity_bytes = PLAIN_BYTES };
	out->unfinished = ep_unfinished_begin(out->path_now);
	out->file = fopen(out->path_now, "wxe");
	if (!out->file && errno == EEXIST &&
		!unlink(out->path_now)) /* a killed writer left the file */
		out->file = fopen(out->path_now, "wxe");
	if (!out->file)
		return ep_fail_at(err, -errno, (struct ep_place){ .file = path },
			"cannot write: %s", strerror(errno));
	return 0;
}

static void finish_block(struct ep_reduced_out *out)
{
	if (out->has_block)
		ep_block_finish(&out->wire, out->block_at);
	out->has_block = false;
}

void ep_reduced_out_flush(struct ep_reduced_out *out, bool is_stored)
{
	size_t size;

	finish_block(out);
	if (out->wire.overflow && !out->error)
		out->error = -EOVERFLOW;
	if (!out->wire.size_bytes || out->error)
		return;
	size = ep_packer_pack(
		is_stored ? NULL : out->packer, out->plain, out->wire.size_bytes, out->packed);
	if (fwrite(out->packed, 1, size, out->file) != size)
		out->error = -errno;
	out->wire.size_bytes = 0;
}

struct ep_fields ep_reduced_out_record(struct ep_reduced_out *out, enum ep_reduced_kind kind,
	struct ep_process_key key, size_t room)
{
	bool is_same = out->has_block && out->kind == kind && out->key.pid == key.pid &&
		       out->key.birth_ns == key.birth_ns;

	if (out->wire.size_bytes + room + EP_BLOCK_HEADER_BYTES + 1 > PLAIN_BYTES) {
		ep_reduced_out_flush(out, false);
		is_same = false;
	}
	if (!is_same) {
		finish_block(out);
		out->block_at = ep_block_start(&out->wire, EP_BLOCK_REDUCED, key);
		out->has_block = true;
		out->kind = kind;
		out->key = key;
		ep_wire_u(&out->wire, kind);
	}
	return (struct ep_fields){ .out = &out->wire };
}

void ep_reduced_out_copy(struct ep_reduced_out *out, const struct ep_block *block)
{
	finish_block(out);
	if (out->wire.size_bytes + EP_BLOCK_HEADER_BYTES + block->size_bytes > PLAIN_BYTES)
		ep_reduced_out_flush(out, false);
	out->block_at = ep_block_start(&out->wire, block->type, block->key);
	out->has_block = true;
	out->kind = EP_N_REDUCED_KINDS;
	ep_wire_bytes(&out->wire, block->body, block->size_bytes);
	finish_block(out);
}

static void forget_unfinished(struct ep_reduced_out *out)
{
	ep_unfinished_end(out->unfinished);
	out->unfinished = 0;
	free(out->path_now);
	out->path_now = NULL;
}

int ep_reduced_out_close(struct ep_reduced_out *out, struct ep_error *err)
{
	bool has_failed;

	ep_reduced_out_flush(out, false);
	if (!out->error && fwrite(ep_bgzf_eof, sizeof(ep_bgzf_eof), 1, out->file) != 1)
		out->error = -errno;
	has_failed = fclose(out->file);
	out->file = NULL;
	if (has_failed && !out->error)
		out->error = -errno;
	if (!out->error && rename(out->path_now, out->path))
		out->error = -errno;
	if (out->error)
		return ep_fail_at(err, out->error, (struct ep_place){ .file = out->path },
			"cannot write: %s", strerror(-out->error));
	forget_unfinished(out);
	return 0;
}

void ep_reduced_out_finish(struct ep_reduced_out *out)
{
	if (out->file)
		fclose(out->file);
	if (out->path_now)
		unlink(out->path_now);
	forget_unfinished(out);
	free(out->path);
	free(out->plain);
	free(out->packed);
	ep_packer_destroy(out->packer);
}
