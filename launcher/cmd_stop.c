// SPDX-License-Identifier: BSD-3-Clause
/* evprof stop: ends the recording of a program that goes on, by taking away the permission to write the trace. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "evprof_commands.h"

static const char usage[] =
	"usage: evprof stop [TRACE...]\n\n"
	"Ends the recording of the run that writes TRACE (trace.gz); its program goes on. Each of\n"
	"its processes writes what it has and stops measuring within a second of its own CPU time;\n"
	"what it starts from then on is not measured. The trace can be read at any time, before and\n"
	"after. The same as 'chmod a-w TRACE'.\n\n"
	"exit status: 0 done, 1 not a trace, or not ours to stop, 2 wrong usage\n";

/* Tells whether a file is a trace: every trace begins with these bytes, those of a gzip member with an extra field. */
static bool is_trace(int fd)
{
	static const char head[] = { 0x1f, (char)0x8b, 8, 4 };
	char bytes[sizeof(head)];

	return pread(fd, bytes, sizeof(bytes), 0) == sizeof(bytes) &&
	       !memcmp(bytes, head, sizeof(head));
}

static int stop(const char *path, struct ep_error *err)
{
	struct ep_place place = { .file = path };
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return ep_fail_at(err, -errno, place, "cannot open: %s", strerror(errno));
	if (!S_ISREG(st.st_mode) || !is_trace(fd))
		return ep_fail_at(err, -EINVAL, place, "is not a trace of evprof");
	if (!(st.st_mode & 0222)) {
		printf("%s: was stopped before\n", path);
		return 0;
	}
	if (fchmod(fd, st.st_mode & 07555))
		return ep_fail_at(err, -errno, place,
			"cannot be stopped: %s; its owner can, or root", strerror(errno));
	printf("%s: stopped; 'evreport %s' shows it\n", path, path);
	return 0;
}

int ep_cmd_stop(int argc, char **argv)
{
	static const struct ep_option no_options[] = { { NULL } };
	const struct ep_options options = { "evprof stop", usage, .rows = no_options };
	static char *default_trace[] = { "trace.gz" };
	int status = ep_options_read(&options, argc, argv), n = argc - optind;
	char **traces = n ? argv + optind : default_trace;

	if (status != EP_OPTIONS_READ)
		return status;
	status = 0;
	for (int i = 0; i < (n ? n : 1); i++) {
		struct ep_error err = { .where = "" };

		if (stop(traces[i], &err)) {
			ep_error_print(&err, "evprof stop");
			status = 1;
		}
	}
	return status;
}
