// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/command/dump_callgrind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/containers/index.h"
#include "reporter/load/reader.h"

/* One file of callgrind that was written. Several processes may have had the same PID. */
struct dumped {
	struct ep_process_key key;
	uint32_t file;
	char *path;
};

struct dump {
	const char *folder;
	struct dumped *rows;
	uint32_t n_rows, capacity;
	const char *failed_path; /* the last file that was opened, which the error names */
};

static void finish(struct dump *dump)
{
	for (uint32_t i = 0; i < dump->n_rows; i++)
		free(dump->rows[i].path);
	free(dump->rows);
}

static const struct dumped *find(const struct dump *dump, struct ep_process_key key, uint32_t file)
{
	for (uint32_t i = 0; i < dump->n_rows; i++) {
		const struct dumped *row = &dump->rows[i];

		if (row->key.pid == key.pid && row->key.birth_ns == key.birth_ns &&
			row->file == file)
			return row;
	}
	return NULL;
}

static int make_path(const struct dump *dump, uint32_t pid, char **out_path)
{
	uint32_t n_before = 0;
	int n;

	for (uint32_t i = 0; i < dump->n_rows; i++)
		n_before += dump->rows[i].key.pid == pid;
	n = n_before ? asprintf(out_path, "%s/callgrind.out.%u.%u", dump->folder, pid, n_before)
		     : asprintf(out_path, "%s/callgrind.out.%u", dump->folder, pid);
	return n < 0 ? -ENOMEM : 0;
}

static int add(
	struct dump *dump, const struct ep_block *block, uint32_t file, const char **out_path)
{
	struct dumped row = { block->key, file, NULL };

	if (EP_ARRAY_RESERVE(dump->rows, dump->n_rows, dump->capacity) ||
		make_path(dump, row.key.pid, &row.path))
		return -ENOMEM;
	dump->rows[dump->n_rows++] = row;
	*out_path = row.path;
	return 0;
}

static int take_block(void *context, const struct ep_block *block, uint64_t member_at)
{
	struct dump *dump = context;
	struct ep_costs_piece piece;
	const struct dumped *row;
	const char *path;

	if (block->type != EP_BLOCK_COSTS || ep_costs_decode(block, &piece))
		return 0;
	row = find(dump, block->key, piece.file);
	path = row ? row->path : NULL;
	if (!row && add(dump, block, piece.file, &path))
		return -ENOMEM;
	EP_AUTOFCLOSE FILE *out = fopen(path, row ? "ae" : "we");

	dump->failed_path = path;
	if (!out || fwrite(piece.text, 1, piece.size, out) != piece.size || fflush(out))
		return -errno;
	return 0;
}

int ep_dump_callgrind(const char *folder, const char *trace_path)
{
	static const struct ep_reader_ops ops = { .block = take_block };
	__attribute__((cleanup(finish))) struct dump dump = { .folder = folder };
	struct ep_reader_stats stats;
	struct ep_error err = { .message = "" };
	int rc = mkdir(folder, 0777) && errno != EEXIST ? -errno : 0;

	if (!rc)
		rc = ep_reader_run(trace_path, &ops, &dump, &stats, &err);
	if (rc && !err.message[0])
		ep_fail(&err, rc, "%s: cannot be written: %s",
			dump.failed_path ? dump.failed_path : folder, strerror(-rc));
	if (!rc && !dump.n_rows)
		rc = ep_fail(&err, -ENODATA,
			"the trace has no costs of callgrind's; evprof run --source valgrind records them");
	if (rc)
		ep_error_print(&err, "evreport dump");
	return rc ? 1 : 0;
}
