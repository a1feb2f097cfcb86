// SPDX-License-Identifier: BSD-3-Clause
/* Whole files in memory. Any thread; not for signal handlers. */
#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "common/cleanup.h"

static void close_gz(gzFile *gz)
{
	if (*gz)
		gzclose(*gz);
}

static int open_input(const char *path, gzFile *out_gz, struct ep_error *err)
{
	struct ep_place place = { .file = path };
	struct stat st;
	EP_AUTOCLOSE int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(0);

	if (fd < 0)
		return ep_fail_at(err, -errno, place, "cannot open: %s", strerror(errno));
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		return ep_fail_at(err, -EISDIR, place, "is a directory, expected a file");
	*out_gz = gzdopen(fd, "rb");
	if (!*out_gz)
		return ep_fail_at(err, -ENOMEM, place, "out of memory");
	fd = -1;
	gzbuffer(*out_gz, 1 << 17);
	return 0;
}

int ep_file_read(const char *path, char **out_text, size_t *out_size_bytes, struct ep_error *err)
{
	struct ep_place place = { .file = path };
	__attribute__((cleanup(close_gz))) gzFile gz = NULL;
	EP_AUTOFREE char *text = NULL;
	size_t size = 0, capacity = 0;
	int rc = open_input(path, &gz, err), n_read, zerr;

	if (rc)
		return rc;
	do {
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
