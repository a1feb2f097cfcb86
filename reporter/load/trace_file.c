// SPDX-License-Identifier: BSD-3-Clause
/* Implements trace_file.h. Any thread may use it. */
#include "reporter/load/trace_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"

int ep_trace_file_open(const char *path, struct ep_trace_file *out_file, struct ep_error *err)
{
	struct stat st;
	int fd, rc = ep_file_open(path, "a trace", &st, &fd, err);

	if (rc == -ENOENT)
		return ep_fail_at(err, rc, (struct ep_place){ .file = path },
			"cannot open: %s; record a trace by: evprof run -- PROGRAM", strerror(-rc));
	if (rc)
		return rc;
	*out_file = (struct ep_trace_file){ fd, st.st_uid, S_ISREG(st.st_mode) ? st.st_size : 0,
		!S_ISREG(st.st_mode) };
	return 0;
}

int ep_trace_file_read(int fd, uint8_t *buffer, size_t capacity, size_t *size)
{
	ssize_t n = 1;

	while (n && *size < capacity) {
		n = read(fd, buffer + *size, capacity - *size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*size += (size_t)n;
	}
	return n > 0;
}
