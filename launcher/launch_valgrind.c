// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs a program under callgrind. This process stays as the parent: after the run, it puts what callgrind wrote into
 * the trace and removes the files. Used by the launcher only.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callgrind_files.h"
#include "child.h"
#include "common/cleanup.h"
#include "floating_code.h"
#include "launch.h"

/* The sizes are fixed, so that counts are the same on every machine; some hosts report an L3 of 480 MB. */
static const char *const valgrind_options[] = {
	"valgrind",
	"--tool=callgrind",
	"--quiet",
	"--vgdb=no", /* otherwise it leaves pipes in TMPDIR */
	"--trace-children=yes",
	"--child-silent-after-fork=yes",
	"--cache-sim=yes",
	"--branch-sim=yes",
	"--I1=32768,8,64",
	"--D1=32768,8,64",
	"--LL=1048576,16,64",
};

static int make_folder(char out_folder[PATH_MAX], struct ep_error *err)
{
	const char *parent = getenv("TMPDIR");

	/* callgrind expands '%' in the name of its file, so a folder with '%' is not used. */
	if (!parent || parent[0] != '/' || strchr(parent, '%'))
		parent = "/tmp";
	if (snprintf(out_folder, PATH_MAX, "%s/evprof-callgrind-XXXXXX", parent) >= PATH_MAX ||
		!mkdtemp(out_folder))
		return ep_fail(err, -errno, "cannot make a folder for callgrind's dumps in %s: %s",
			parent, strerror(errno));
	return 0;
}

/* Tells whether line is callgrind's warning about the host's own L3. The fixed sizes do not use it. */
static bool is_cache_warning(const char *line)
{
	return strstr(line, "warning: L3 cache found") || strstr(line, "ed LL cache: line_size");
}

/* Prints those of valgrind's messages on one process that a user needs. */
static void print_log(int folder_fd, const char *name)
{
	int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC);
	EP_AUTOFCLOSE FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	EP_AUTOFREE char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while (file && (n = getline(&line, &size, file)) > 0) {
		const char *text = line;

		while (text < line + n && !*text) /* skips NULs of output that a tick has cut off */
			text++;
		if (!is_cache_warning(text))
			fputs(text, stderr);
	}
}

static void finish_folder(const char *folder)
{
	DIR *list = opendir(folder);

	for (struct dirent *entry; list && (entry = readdir(list));) {
		if (!strncmp(entry->d_name, "log.", 4))
			print_log(dirfd(list), entry->d_name);
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(list), entry->d_name, 0);
	}
	if (list)
		closedir(list);
	rmdir(folder);
}

/* Starts valgrind in the child. It does not return. */
static void start(const char *folder, char *const argv[])
{
	char out_file[PATH_MAX + 64], log_file[PATH_MAX + 64];
	size_t n_options = EP_ARRAY_SIZE(valgrind_options), n_words = 0;

	while (argv[n_words])
		n_words++;
	char **words = calloc(n_options + n_words + 4, sizeof(*words));
	snprintf(out_file, sizeof(out_file), "--callgrind-out-file=%s/%%p", folder);
	snprintf(log_file, sizeof(log_file), "--log-file=%s/log.%%p", folder);
	if (words) {
		memcpy(words, valgrind_options, sizeof(valgrind_options));
		words[n_options] = out_file;
		words[n_options + 1] = log_file;
		/* tells what the instructions compute, but makes the files larger */
		words[n_options + 2] =
			ep_floating_code_is_there() ? "--dump-instr=yes" : "--dump-instr=no";
		memcpy(words + n_options + 3, argv, n_words * sizeof(*words));
		execvp(words[0], words);
	}
	fprintf(stderr, "evprof: cannot start valgrind: %s%s\n", strerror(errno),
		errno == ENOENT ? "; install it (apt-get install valgrind)" : "");
	_exit(errno == ENOENT ? 127 : 126);
}

int ep_launch_valgrind(char *const argv[], struct ep_error *err)
{
	char folder[PATH_MAX];
	int status;

	int rc = make_folder(folder, err);
	if (rc)
		return rc;
	setenv("EVPROF_VALGRIND_DIR", folder, 1);
	pid_t child = fork();
	if (child == 0)
		start(folder, argv);
	if (child < 0) {
		rc = ep_fail(err, -errno, "cannot fork: %s", strerror(errno));
		finish_folder(folder);
		return rc;
	}
	status = ep_child_wait(child);
	rc = ep_callgrind_files_append(folder, err);
	if (rc)
		ep_error_print(err, "evprof");
	finish_folder(folder);
	return ep_child_end_as(status);
}
