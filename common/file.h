/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads files (whole in memory, gzip-compressed or not), and checks where new ones may be put. */
#ifndef EVPROF_COMMON_FILE_H
#define EVPROF_COMMON_FILE_H

#include "common/error.h"

#include <stddef.h>
#include <sys/stat.h>

/* Opens a file that the user named as input ("-": standard input). A pipe without a writer is waited for. A directory
 * (-EISDIR), a device or a terminal (-ENODEV) is refused before it is opened, since it may never end. expected, such as
 * "a trace", is used in the message: "is a device, expected a trace". */
int ep_file_open(const char *path, const char *expected, struct stat *out_st, int *out_fd,
	struct ep_error *err) EP_MUST_CHECK;

/* Reads a whole file ("-": standard input), and inflates it where it is gzip. *out_text is allocated, ends with a NUL
 * that is not counted in *out_size_bytes, and is freed by the caller. Returns -ENOENT, -EACCES, -EISDIR, -ENODEV, ...;
 * -EBADMSG for a damaged gzip; -EFBIG for more than 256 MiB from a pipe; -ENOMEM. */
int ep_file_read(const char *path, char **out_text, size_t *out_size_bytes,
	struct ep_error *err) EP_MUST_CHECK;

/* Returns the path's part behind its last '/'; the whole path where nothing is behind it. */
const char *ep_base_name(const char *path);

/* Refuses (-EEXIST) a path where a rename would replace a pipe, a device or a socket by a file, also where a link leads
 * to one. As root, /dev/null would be lost for the whole machine. */
int ep_file_may_replace(const char *path, struct ep_error *err) EP_MUST_CHECK;

#endif
