// SPDX-License-Identifier: BSD-3-Clause
/*
 * Takes callgrind's simulated counts by client requests: costs are collected only between start and stop. At each stop
 * callgrind writes them to a file, which is read and removed at once. The counts are exact and repeatable. The
 * simulation has instructions, data accesses, branches and two levels of cache, but no speculation. Only one thread can
 * be counted.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include "common/callgrind.h"
#include "common/cleanup.h"
#include "common/file.h"
#include "kernels/measure/source.h"

#define FOLDER_VARIABLE "EVCAL_CALLGRIND"

static unsigned n_dumps;

bool ep_count_valgrind_is_inside(void)
{
	return RUNNING_ON_VALGRIND && getenv(FOLDER_VARIABLE);
}

static void exec_valgrind(char **argv, const char *folder)
{
	char *new_argv[64] = { "valgrind", "--tool=callgrind", "--cache-sim=yes",
		"--branch-sim=yes", "--collect-atstart=no", "--quiet" };
	char out_option[96], log_option[96], cache_option[64];
	size_t n = 6;

	snprintf(out_option, sizeof(out_option), "--callgrind-out-file=%s/out", folder);
	snprintf(log_option, sizeof(log_option), "--log-file=%s/log", folder);
	snprintf(cache_option, sizeof(cache_option), "--LL=%u,16,64", EP_SIMULATED_CACHE_BYTES);
	setenv(FOLDER_VARIABLE, folder, 1);
	new_argv[n++] = out_option;
	new_argv[n++] = log_option;
	new_argv[n++] = cache_option;
	new_argv[n++] = "--";
	for (size_t i = 0; argv[i] && n + 1 < EP_ARRAY_SIZE(new_argv); i++)
		new_argv[n++] = argv[i];
	execvp("valgrind", new_argv);
}

/* Tells whether a line is callgrind's warning that the host's own L3 cache is not used, because of the fixed
 * size. */
static bool is_cache_warning(const char *line)
{
	return strstr(line, "warning: L3 cache found") || strstr(line, "ed LL cache: line_size");
}

static void print_log(const char *folder)
{
	char path[96];
	EP_AUTOFREE char *line = NULL;
	size_t size = 0;

	snprintf(path, sizeof(path), "%s/log", folder);
	EP_AUTOFCLOSE FILE *file = fopen(path, "re");
	while (file && getline(&line, &size, file) > 0)
		if (!is_cache_warning(line))
			fputs(line, stderr);
}

/* Removes the folder of callgrind's files. Callgrind writes one more file when the program ends, so that another
 * process must remove the folder after the end. */
static void remove_folder(const char *folder)
{
	DIR *entries = opendir(folder);

	for (struct dirent *entry; entries && (entry = readdir(entries));)
		unlinkat(dirfd(entries), entry->d_name, 0);
	if (entries)
		closedir(entries);
	rmdir(folder);
}

int ep_count_valgrind_run(char **argv, int *out_status, struct ep_error *err)
{
	char folder[] = "/tmp/evcal-callgrind-XXXXXX";
	int status = 0;

	if (!mkdtemp(folder))
		return ep_fail(err, -errno, "cannot make a folder in /tmp: %s", strerror(errno));
	pid_t pid = fork();
	if (!pid) {
		exec_valgrind(argv, folder);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		status = 126 << 8;
	print_log(folder);
	remove_folder(folder);
	*out_status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	if (*out_status == 126 || *out_status == 127)
		return ep_fail(err, -ENOENT, "cannot run valgrind; install the package valgrind");
	return 0;
}

static int list_valgrind(
	struct ep_candidates *candidates, const char *argument, struct ep_error *err)
{
	int rc = 0;

	if (!ep_count_valgrind_is_inside())
		return ep_fail(err, -EINVAL, "not inside callgrind");
	/* Events get the names that they have in traces, so that formulas derived from these counts work for traces,
	 * too. */
	for (size_t i = 0; !rc && i < EP_N_CALLGRIND_EVENTS; i++) {
		struct ep_event event = { .column = (uint32_t)i };

		snprintf(event.name, sizeof(event.name), "%s", ep_callgrind_events[i].name);
		rc = ep_candidates_add(candidates, &event, NULL);
	}
	return rc;
}

static int open_valgrind(struct ep_count_group *group, size_t *out_n_fit, struct ep_error *err)
{
	*out_n_fit = group->n;
	return 0;
}

static void start_valgrind(struct ep_count_group *group)
{
	CALLGRIND_ZERO_STATS;
	CALLGRIND_TOGGLE_COLLECT;
}

/* Reads the totals: "events: Ir Dr ..." with "totals: 1 2 ..." or "summary: ..."; zeros at the end of a line
 * are left out. */
static int read_totals(const char *text, double *totals)
{
	const char *events = strstr(text, "\nevents:"), *line = strstr(text, "\ntotals:");

	if (!line)
		line = strstr(text, "\nsummary:");
	if (!events || !line)
		return -EBADMSG;
	events += strlen("\nevents:");
	line = strchr(line, ':') + 1;
	while (*events == ' ') {
		size_t length = strcspn(++events, " \n");
		char *end;
		double value = strtod(line, &end);

		for (size_t i = 0; i < EP_N_CALLGRIND_EVENTS; i++)
			if (strlen(ep_callgrind_events[i].column) == length &&
				!strncmp(ep_callgrind_events[i].column, events, length))
				totals[i] = end == line || strchr("\n", *line) ? 0 : value;
		line = end;
		events += length;
	}
	return 0;
}

static int stop_valgrind(struct ep_count_group *group, double *values)
{
	double totals[EP_N_CALLGRIND_EVENTS] = { 0 };
	EP_AUTOFREE char *text = NULL;
	char path[128];
	size_t size;

	CALLGRIND_TOGGLE_COLLECT;
	CALLGRIND_DUMP_STATS;
	snprintf(path, sizeof(path), "%s/out.%u", getenv(FOLDER_VARIABLE), ++n_dumps);
	if (ep_file_read(path, &text, &size, NULL))
		return -EIO;
	unlink(path);
	int rc = read_totals(text, totals);
	for (size_t i = 0; !rc && i < group->n; i++)
		values[i] = totals[group->events[i].column];
	return rc;
}

static void close_valgrind(struct ep_count_group *group)
{
}

/* Returns the name by which evreport calls the CPU of valgrind's traces. */
static const char *simulated_cpuid(void)
{
	return "valgrind";
}

const struct ep_count_source ep_count_source_valgrind = {
	.name = "valgrind",
	.list = list_valgrind,
	.open = open_valgrind,
	.start = start_valgrind,
	.stop = stop_valgrind,
	.close = close_valgrind,
	.cpuid = simulated_cpuid,
	.n_threads_max = 1,
};
