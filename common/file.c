// SPDX-License-Identifier: BSD-3-Clause
/* Opens and reads files. Any thread may call these functions; signal handlers must not. */
#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <zlib.h>

#include "common/cleanup.h"

static void close_gz(gzFile *gz)
{
	if (*gz)
		gzclose(*gz);
}

/* Returns why a file is refused; NULL: it is accepted. fd -1: the file is not open yet. The null device counts as an
 * empty file. Input from other devices may never end, or may block, and opening a device may have effects. */
static const char *objection_to(const struct stat *st, int fd)
{
	if (S_ISDIR(st->st_mode))
		return "is a directory";
	if (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3))
		return NULL;
	if (S_ISCHR(st->st_mode) && fd >= 0 && isatty(fd))
		return "is a terminal";
	return S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode) ? "is a device" : NULL;
}

static int object(
	const char *path, const struct stat *st, int fd, const char *expected, struct ep_error *err)
{
	const char *objection = objection_to(st, fd);
	int rc = S_ISDIR(st->st_mode) ? -EISDIR : -ENODEV;

	return objection ? ep_fail_at(err, rc, (struct ep_place){ .file = path }, "%s, expected %s",
				   objection, expected)
			 : 0;
}

int ep_file_open(const char *path, const char *expected, struct stat *out_st, int *out_fd,
	struct ep_error *err)
{
	bool is_input = !strcmp(path, "-");
	EP_AUTOCLOSE int fd = -1;
	int rc = is_input || stat(path, out_st) ? 0 : object(path, out_st, -1, expected, err);

	if (rc)
		return rc;
	fd = is_input ? dup(0) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, out_st))
		return ep_fail_at(err, -errno, (struct ep_place){ .file = path }, "cannot open: %s",
			strerror(errno));
	rc = object(path, out_st, fd, expected, err);
	if (rc)
		return rc;
	*out_fd = fd;
	fd = -1;
	return 0;
}

static int open_input(const char *path, gzFile *out_gz, bool *out_is_pipe, struct ep_error *err)
{
	EP_AUTOCLOSE int fd = -1;
	struct stat st;
	int rc = ep_file_open(path, "a file", &st, &fd, err);

	if (rc)
		return rc;
	*out_is_pipe = !S_ISREG(st.st_mode);
	*out_gz = gzdopen(fd, "rb");
	if (!*out_gz)
		return ep_fail_at(err, -ENOMEM, (struct ep_place){ .file = path }, "out of memory");
	fd = -1;
	gzbuffer(*out_gz, 1 << 17);
	return 0;
}

/* The most bytes that are read from a pipe. A pipe may never end, and all its bytes are kept in memory. */
#define PIPE_MOST_BYTES (256u << 20)

int ep_file_read(const char *path, char **out_text, size_t *out_size_bytes, struct ep_error *err)
{
	struct ep_place place = { .file = path };
	__attribute__((cleanup(close_gz))) gzFile gz = NULL;
	EP_AUTOFREE char *text = NULL;
	size_t size = 0, capacity = 0;
	bool is_pipe = false;
	int rc = open_input(path, &gz, &is_pipe, err), n_read, zerr;

	if (rc)
		return rc;
	do {
		if (is_pipe && size > PIPE_MOST_BYTES)
			return ep_fail_at(err, -EFBIG, place,
				"more than %u MiB come from this pipe; write them to a file, and name that",
				PIPE_MOST_BYTES >> 20);
		if (capacity - size < 1 << 16) {
			capacity = capacity ? capacity * 2 : 1 << 17;
			char *bigger = realloc(text, capacity);
			if (!bigger)
				return ep_fail_at(err, -ENOMEM, place, "out of memory");
			text = bigger;
		}
		n_read = gzread(gz, text + size, (unsigned)(1 << 16) - 1);
		if (n_read > 0)
			size += n_read;
	} while (n_read > 0);
	gzerror(gz, &zerr);
	if (n_read < 0 || zerr == Z_BUF_ERROR)
		return ep_fail_at(err, -EBADMSG, place,
			"damaged or cut gzip data after %zu good bytes", size);
	text[size] = '\0';
	*out_text = text;
	*out_size_bytes = size;
	text = NULL;
	return 0;
}

int ep_file_may_replace(const char *path, struct ep_error *err)
{
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return 0;
	return ep_fail_at(err, -EEXIST, (struct ep_place){ .file = path },
		"is a pipe, a device or a socket, in whose place the file would be put; name a file with -o");
}

const char *ep_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
