// SPDX-License-Identifier: BSD-3-Clause
/* trace_file.h. Any thread may use it. */
#include "reporter/load/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"

int ep_trace_file_open(const char *path, struct ep_trace_file *out_file, struct ep_error *err)
{
	struct ep_place place = { .file = path };
	EP_AUTOCLOSE int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(0);
	struct stat st;

	if (fd < 0)
		return ep_fail_at(err, -errno, place, "cannot open: %s%s", strerror(errno),
			errno == ENOENT ? "; record a trace by: evprof run -- PROGRAM" : "");
	if (fstat(fd, &st))
		return ep_fail_at(err, -errno, place, "cannot open: %s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return ep_fail_at(err, -EISDIR, place, "is a directory, expected a trace");
	*out_file = (struct ep_trace_file){ fd, st.st_uid, S_ISREG(st.st_mode) ? st.st_size : 0 };
	fd = -1;
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
