/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads whole files into memory, gzip-compressed or not, and checks whether a new file may be put at a path. */
#ifndef EVPROF_COMMON_FILE_H
#define EVPROF_COMMON_FILE_H

#include "common/error.h"

#include <stddef.h>
#include <sys/stat.h>

/* Opens a file that the user named as input ("-": standard input). If the file is a pipe without a writer, waits for
 * one. Refuses directories (-EISDIR), and devices and terminals (-ENODEV), whose input may never end; accepts the null
 * device. A path is checked before it is opened, too, since to open a device may have effects. expected, such as "a
 * trace", is used in the message: "is a device, expected a trace". */
int ep_file_open(const char *path, const char *expected, struct stat *out_st, int *out_fd,
	struct ep_error *err) EP_MUST_CHECK;

/* Reads a whole file ("-": standard input), and inflates a gzip file. *out_text is allocated, ends with a NUL that is
 * not counted in *out_size_bytes, and is freed by the caller. Returns -ENOENT, -EACCES, -EISDIR, -ENODEV, ...; -EBADMSG
 * for damaged gzip data; -EFBIG for more than 256 MiB from a pipe; -ENOMEM. */
int ep_file_read(const char *path, char **out_text, size_t *out_size_bytes,
	struct ep_error *err) EP_MUST_CHECK;

/* Returns the part of the path after its last '/'; the whole path if there is no '/', or nothing after the last one. */
const char *ep_base_name(const char *path);

/* Refuses (-EEXIST) a path that leads to a pipe, a device or a socket, also by a symbolic link, since a rename would
 * put a file in its place. If root wrote to /dev/null in this way, the whole machine would lose the device. */
int ep_file_may_replace(const char *path, struct ep_error *err) EP_MUST_CHECK;

#endif
