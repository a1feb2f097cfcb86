// SPDX-License-Identifier: BSD-3-Clause
/*
 * Adds callgrind's files to the trace, when all processes have ended. The folder has, for each process image,
 * key.PID.BIRTH with the trace's path; exec.PID.BIRTH.N, written before the process tried to become another program;
 * and PID, which callgrind wrote when the last image with that number ended. Launcher only; one thread.
 */
#include "callgrind_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/file.h"
#include "common/trace.h"
#include "floating_code.h"
#include "floating_columns.h"

/* A file of costs and its process. birth_ns 0: the last image with that number. */
struct costs_file {
	struct ep_process_key key;
	uint32_t order; /* the file's place among those of its image */
	char name[96];
};

struct key_file {
	struct ep_process_key key;
	uint32_t n_files; /* files of this process that are in the trace so far */
};

struct folder {
	const char *path;
	struct key_file *keys;
	uint32_t n_keys, key_capacity;
	struct costs_file *files;
	uint32_t n_files, file_capacity;
	char trace_path[PATH_MAX]; /* the path of trace_fd */
	int trace_fd;
	struct ep_packer *packer;
	struct ep_floating_code *code; /* NULL: instructions are not read */
	uint8_t *raw, *packed;         /* (EP_MEMBER_MAX_BYTES) a block, and its member */
};

static void finish(struct folder *f)
{
	free(f->keys);
	free(f->files);
	free(f->raw);
	free(f->packed);
	ep_packer_destroy(f->packer);
	ep_floating_code_destroy(f->code);
	if (f->trace_fd >= 0)
		close(f->trace_fd);
}

/* ---- files in the folder ---- */

static int add_key(struct folder *f, struct ep_process_key key)
{
	if (EP_ARRAY_RESERVE(f->keys, f->n_keys, f->key_capacity))
		return -ENOMEM;
	f->keys[f->n_keys++] = (struct key_file){ key, 0 };
	return 0;
}

static int add_file(struct folder *f, const struct costs_file *file)
{
	if (EP_ARRAY_RESERVE(f->files, f->n_files, f->file_capacity))
		return -ENOMEM;
	f->files[f->n_files++] = *file;
	return 0;
}

static int take_name(struct folder *f, const char *name)
{
	struct costs_file file = { .order = UINT32_MAX };
	int end = 0;

	if (strlen(name) >= sizeof(file.name)) /* evprof wrote no file with such a name */
		return 0;
	strcpy(file.name, name);
	if (sscanf(name, "key.%" SCNu32 ".%" SCNu64 "%n", &file.key.pid, &file.key.birth_ns,
		    &end) == 2 &&
		!name[end])
		return add_key(f, file.key);
	if (sscanf(name, "exec.%" SCNu32 ".%" SCNu64 ".%" SCNu32 "%n", &file.key.pid,
		    &file.key.birth_ns, &file.order, &end) == 3 &&
		!name[end])
		return add_file(f, &file);
	file.key.birth_ns = 0;
	file.order = UINT32_MAX;
	if (sscanf(name, "%" SCNu32 "%n", &file.key.pid, &end) == 1 && !name[end])
		return add_file(f, &file);
	return 0;
}

static int list(struct folder *f)
{
	DIR *names = opendir(f->path);
	int rc = names ? 0 : -errno;

	for (struct dirent *entry; !rc && (entry = readdir(names));)
		rc = take_name(f, entry->d_name);
	if (names)
		closedir(names);
	return rc;
}

static int by_order(const void *a, const void *b)
{
	const struct costs_file *x = a, *y = b;

	if (x->key.pid != y->key.pid)
		return x->key.pid < y->key.pid ? -1 : 1;
	if (x->key.birth_ns != y->key.birth_ns)
		return x->key.birth_ns < y->key.birth_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static struct key_file *key_of(struct folder *f, const struct costs_file *file)
{
	struct key_file *found = NULL;

	for (size_t i = 0; i < f->n_keys; i++) {
		struct key_file *key = &f->keys[i];

		if (key->key.pid != file->key.pid ||
			(file->key.birth_ns && file->key.birth_ns != key->key.birth_ns))
			continue;
		if (!found || key->key.birth_ns > found->key.birth_ns)
			found = key;
	}
	return found;
}

/* ---- the trace ---- */

/* Opens the trace. "evprof stop" may have made it read-only to end the recording. The recording is over, so the trace
 * is made writable for the moment of opening it. */
static int open_trace(const char *path)
{
	int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY;
	struct stat st;
	int fd;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = open(path, flags);
	if (fd < 0 && errno == EACCES && !chmod(path, st.st_mode | S_IWUSR)) {
		fd = open(path, flags);
		chmod(path, st.st_mode);
	}
	return fd < 0 ? -errno : fd;
}

static int close_trace(struct folder *f)
{
	ssize_t n = f->trace_fd < 0 ? (ssize_t)sizeof(ep_bgzf_eof)
				    : write(f->trace_fd, ep_bgzf_eof, sizeof(ep_bgzf_eof));

	if (f->trace_fd >= 0)
		close(f->trace_fd);
	f->trace_fd = -1;
	return n == (ssize_t)sizeof(ep_bgzf_eof) ? 0 : -EIO;
}

static int use_trace_of(struct folder *f, struct ep_process_key key)
{
	EP_AUTOFREE char *path = NULL, *name = NULL;
	size_t size;
	int rc;

	if (asprintf(&name, "%s/key.%" PRIu32 ".%" PRIu64, f->path, key.pid, key.birth_ns) < 0)
		return -ENOMEM;
	rc = ep_file_read(name, &path, &size, NULL);
	if (rc || (f->trace_fd >= 0 && !strcmp(path, f->trace_path)))
		return rc;
	rc = close_trace(f);
	snprintf(f->trace_path, sizeof(f->trace_path), "%s", path);
	f->trace_fd = open_trace(path);
	return f->trace_fd < 0 ? f->trace_fd : rc;
}

static int append_piece(
	struct folder *f, struct ep_process_key key, const struct ep_costs_piece *piece)
{
	struct ep_wire wire = { .data = f->raw, .capacity_bytes = EP_MEMBER_MAX_BYTES - 512 };
	size_t size;
	ssize_t n;

	ep_costs_encode(&wire, key, piece);
	size = ep_packer_pack(f->packer, wire.data, wire.size_bytes, f->packed);
	n = write(f->trace_fd, f->packed, size);
	return n == (ssize_t)size ? 0 : n < 0 ? -errno : -ENOSPC;
}

static int append_text(struct folder *f, struct key_file *key, const char *text, size_t size)
{
	int rc = 0;

	for (size_t at = 0; !rc && at < size; at += EP_COSTS_PIECE_BYTES) {
		size_t n = size - at < EP_COSTS_PIECE_BYTES ? size - at : EP_COSTS_PIECE_BYTES;
		struct ep_costs_piece piece = { key->n_files, at + n == size, at, text + at, n };

		rc = append_piece(f, key->key, &piece);
	}
	key->n_files++;
	return rc;
}

/* Tells whether a file has costs. A process that wrote its costs before it tried an exec may have no further costs at
 * its end. */
static bool has_costs(const char *text)
{
	return strstr(text, "\nfn=") != NULL;
}

/* Adds floating-point columns to callgrind's text. If the columns cannot be made, the text stays unchanged, since its
 * costs are more important. */
static void add_columns(struct folder *f, char **text, size_t *size)
{
	char *with_columns = NULL;
	size_t its_size;

	if (!f->code || ep_floating_columns_add(f->code, *text, &with_columns, &its_size) ||
		!with_columns)
		return;
	free(*text);
	*text = with_columns;
	*size = its_size;
}

static int append_file(struct folder *f, const struct costs_file *file)
{
	struct key_file *key = key_of(f, file);
	EP_AUTOFREE char *text = NULL, *path = NULL;
	size_t size;
	int rc;

	if (!key)
		return 0;
	if (asprintf(&path, "%s/%s", f->path, file->name) < 0)
		return -ENOMEM;
	rc = ep_file_read(path, &text, &size, NULL);
	if (rc || !has_costs(text))
		return rc;
	add_columns(f, &text, &size);
	rc = use_trace_of(f, key->key);
	return rc ? rc : append_text(f, key, text, size);
}

int ep_callgrind_files_append(const char *folder, struct ep_error *err)
{
	__attribute__((cleanup(finish))) struct folder f = {
		.path = folder,
		.trace_fd = -1,
		.packer = ep_packer_create(),
		.code = ep_floating_code_create(),
		.raw = malloc(EP_MEMBER_MAX_BYTES),
		.packed = malloc(EP_MEMBER_MAX_BYTES),
	};
	int rc = f.packer && f.raw && f.packed ? list(&f) : -ENOMEM;

	if (!rc && f.n_files)
		qsort(f.files, f.n_files, sizeof(*f.files), by_order);
	for (size_t i = 0; i < f.n_files && !rc; i++)
		rc = append_file(&f, &f.files[i]);
	if (close_trace(&f) && !rc)
		rc = -EIO;
	if (!rc)
		return 0;
	return ep_fail(err, rc,
		"callgrind's costs could not be written to %s (%s): the report has samples only",
		f.trace_path[0] ? f.trace_path : "the trace", strerror(-rc));
}
