/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files in memory, gzip-compressed or not, and where new ones may be put. */
#ifndef EVPROF_COMMON_FILE_H
#define EVPROF_COMMON_FILE_H

#include "common/error.h"

#include <stddef.h>

/* Reads a whole file ("-": standard input), inflating it when it is gzip. *out_text is allocated,
 * ends with a NUL that is not counted in *out_size_bytes, and is the caller's to free.
 * -ENOENT, -EACCES, -EISDIR, ...; -EBADMSG for a damaged gzip; -ENOMEM. */
int ep_file_read(const char *path, char **out_text, size_t *out_size_bytes,
	struct ep_error *err) EP_MUST_CHECK;

/* Returns the path's part behind its last '/'; the whole path where nothing is behind it. */
const char *ep_base_name(const char *path);

/* Refuses (-EEXIST) a path at which a rename would put a file in place of a pipe, a device or a socket, also where a
 * link leads to one: as root, /dev/null would be gone for the whole machine. */
int ep_file_may_replace(const char *path, struct ep_error *err) EP_MUST_CHECK;

#endif
