// SPDX-License-Identifier: BSD-3-Clause
#include "perf_map.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/os/large.h"
#include "common/os/sys.h"
#include "preload/interpreter/made_code.h"

#define FOLDER "/tmp/perf-"
#define BUFFER_BYTES 32768                 /* a longer line is left out */
#define MAX_READ_BYTES (INT64_C(32) << 20) /* reading this many bytes takes 50 ms */
#define MAX_KEPT (4u << 20)                /* the most bytes of lines that are kept */
#define BLOCK_BYTES 40000
#define CLOCK_SLACK_S 2 /* a file's time may be early: it advances at the kernel's ticks */

static EP_LARGE char buffer[BUFFER_BYTES]; /* used under the trace's lock */

struct keeper {
	struct ep_out *out;
	struct ep_process_key key;
	size_t block_at; /* the offset of the open block in out->raw */
	bool is_open;
	bool is_inside_line; /* reading began in the middle of a line */
	uint32_t n_kept;
	bool is_cut;
};

static void format_path(char *out, uint32_t pid)
{
	char digits[10];
	int n = 0;

	do
		digits[n++] = (char)('0' + pid % 10);
	while ((pid /= 10));
	memcpy(out, FOLDER, sizeof(FOLDER) - 1);
	out += sizeof(FOLDER) - 1;
	while (n)
		*out++ = digits[--n];
	memcpy(out, ".map", 5);
}

/* Opens the map. Any user may put a file there, so it must belong to this user or to root, and must not be older than
 * the process. */
static int open_map(uint32_t pid, int64_t start_s)
{
	char path[sizeof(FOLDER) + 16];
	struct stat st;
	int fd;

	format_path(path, pid);
	fd = ep_sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (!ep_sys_fstat(fd, &st) && S_ISREG(st.st_mode) &&
		(!st.st_uid || st.st_uid == (uid_t)ep_sys(__NR_geteuid)) &&
		st.st_mtim.tv_sec + CLOCK_SLACK_S >= start_s)
		return fd;
	ep_sys_close(fd);
	return -1;
}

static void close_block(struct keeper *keeper)
{
	if (keeper->is_open)
		ep_block_finish(&keeper->out->raw, keeper->block_at);
	keeper->is_open = false;
}

static void keep_line(struct keeper *keeper, const char *line, size_t size)
{
	struct ep_wire *wire = &keeper->out->raw;

	if (wire->size_bytes + size > BLOCK_BYTES) {
		close_block(keeper);
		ep_out_flush(keeper->out);
	}
	if (!keeper->is_open)
		keeper->block_at = ep_block_start(wire, EP_BLOCK_PERF_MAP, keeper->key);
	keeper->is_open = true;
	ep_wire_bytes(wire, line, size);
	keeper->n_kept += size;
}

/* Keeps the wanted lines of the buffer, and moves a last line that has no end yet to the buffer's start. Returns the
 * bytes of that line. */
static size_t keep_lines(struct keeper *keeper, size_t size)
{
	size_t at = 0;

	while (at < size) {
		const char *stop = memchr(buffer + at, '\n', size - at);
		size_t n = stop ? (size_t)(stop + 1 - (buffer + at)) : 0;

		if (!n)
			break;
		if (!keeper->is_inside_line && n < BLOCK_BYTES / 2 &&
			ep_made_code_wants(buffer + at, n - 1)) {
			if (keeper->n_kept < MAX_KEPT)
				keep_line(keeper, buffer + at, n);
			else
				keeper->is_cut = true;
		}
		keeper->is_inside_line = false;
		at += n;
	}
	memmove(buffer, buffer + at, size - at);
	return size - at < BUFFER_BYTES ? size - at : 0;
}

/* Skips the beginning of a map that is too long: later lines are more important than earlier ones. */
static void skip_beginning(struct keeper *keeper, int fd)
{
	struct stat st;

	if (ep_sys_fstat(fd, &st) || st.st_size <= MAX_READ_BYTES)
		return;
	ep_sys(__NR_lseek, fd, st.st_size - MAX_READ_BYTES, SEEK_SET);
	keeper->is_inside_line = keeper->is_cut = true;
}

bool ep_perf_map_keep(struct ep_out *out, struct ep_process_key key, int64_t start_s)
{
	struct keeper keeper = { .out = out, .key = key };
	size_t n_left = 0;
	int fd;

	if (!ep_made_code_was_met())
		return false;
	fd = open_map(key.pid, start_s);
	if (fd >= 0)
		skip_beginning(&keeper, fd);
	for (int64_t n_read = 0; fd >= 0 && n_read < MAX_READ_BYTES;) {
		long n = ep_sys_read(fd, buffer + n_left, BUFFER_BYTES - n_left);

		if (n <= 0)
			break;
		n_read += n;
		n_left = keep_lines(&keeper, n_left + (size_t)n);
	}
	close_block(&keeper);
	if (fd >= 0)
		ep_sys_close(fd);
	return keeper.is_cut;
}
