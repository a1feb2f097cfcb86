// SPDX-License-Identifier: BSD-3-Clause
#include "own_status.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "plain_text.h"
#include "sys.h"

/* Returns the text that follows "KEY:" at the beginning of a line; NULL: there is no such line. */
static const char *find_value(const char *text, const char *key)
{
	size_t size = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, size) && line[size] == ':')
			return line + size + 1;
	}
	return NULL;
}

static bool take_signals(const char *text, const char *key, uint64_t *out_signals)
{
	const char *value = find_value(text, key), *end = NULL;

	if (value)
		*out_signals = ep_plain_read(value, 16, &end);
	return value && *end == '\n';
}

void ep_own_status_parse(const char *text, struct ep_own_status *out_status)
{
	const char *seccomp = find_value(text, "Seccomp");

	memset(out_status, 0, sizeof(*out_status));
	out_status->has_filter = seccomp && ep_plain_read(seccomp, 10, NULL) == 2;
	out_status->has_signals = take_signals(text, "SigIgn", &out_status->ignored) &&
				  take_signals(text, "SigCgt", &out_status->handled);
}

/* Tells whether the file agrees with sigaction. Under valgrind and qemu it does not: they handle SIGSEGV themselves,
 * which the file shows, and answer sigaction as if only the program were there. */
static bool agrees(const struct ep_own_status *status)
{
	struct ep_kernel_sigaction action;
	bool is_handled = status->handled >> (SIGSEGV - 1) & 1;

	return !ep_sys_sigaction(SIGSEGV, NULL, &action) &&
	       is_handled ==
		       (action.handler != (void *)SIG_DFL && action.handler != (void *)SIG_IGN);
}

/* Reads a file and does not call prctl: a seccomp filter may forbid prctl, but every program reads files. */
const struct ep_own_status *ep_own_status_at_start(void)
{
	static struct ep_own_status status;
	static bool is_read;
	char text[4096];
	long size = 0;
	int fd;

	if (is_read)
		return &status;
	is_read = true;
	fd = ep_sys_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return &status;
	size = ep_sys_read(fd, text, sizeof(text) - 1);
	ep_sys_close(fd);
	text[size > 0 ? size : 0] = '\0';
	ep_own_status_parse(text, &status);
	status.has_signals = status.has_signals && agrees(&status);
	return &status;
}
