// SPDX-License-Identifier: BSD-3-Clause
#include "clocks.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_perf_event(const char *name)
{
	char path[300], target[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%s", name);
	return readlink(path, target, sizeof(target) - 1) > 0 && strstr(target, "[perf_event]");
}

static void find_events(struct clocks *out, int signal, bool is_other)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	while (folder && (entry = readdir(folder)) && out->n_fds < CLOCKS_MAX) {
		int fd = atoi(entry->d_name);
		int its = is_perf_event(entry->d_name) ? fcntl(fd, F_GETSIG) : 0;

		if (its > 0 && (its == signal) != is_other)
			out->fds[out->n_fds++] = fd;
	}
	if (folder)
		closedir(folder);
}

/* The kernel's list has a timer's signal behind its number: "ID: 0", "signal: 33/...". */
static void find_timers(struct clocks *out, int signal, bool is_other)
{
	FILE *list = fopen("/proc/self/timers", "r");
	char line[200];
	int id = -1, its;

	if (!list) {
		perror("/proc/self/timers");
		exit(1);
	}
	while (fgets(line, sizeof(line), list) && out->n_timers < CLOCKS_MAX) {
		sscanf(line, "ID: %d", &id);
		if (sscanf(line, "signal: %d", &its) == 1 && (its == signal) != is_other)
			out->timers[out->n_timers++].id = id;
	}
	fclose(list);
}

void clocks_find(struct clocks *out, int signal, bool is_other)
{
	*out = (struct clocks){ .n_fds = 0 };
	find_events(out, signal, is_other);
	find_timers(out, signal, is_other);
}

static void switch_timer(int id, struct itimerspec *time, bool on)
{
	static const struct itimerspec never;

	if (on && (time->it_interval.tv_sec || time->it_interval.tv_nsec)) {
		time->it_value = time->it_interval;
		syscall(SYS_timer_settime, id, 0, time, NULL);
	} else if (!on) {
		syscall(SYS_timer_settime, id, 0, &never, time);
	}
}

void clocks_switch(struct clocks *clocks, bool on)
{
	for (unsigned i = 0; i < clocks->n_fds; i++)
		ioctl(clocks->fds[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	for (unsigned i = 0; i < clocks->n_timers; i++)
		switch_timer(clocks->timers[i].id, &clocks->timers[i].time, on);
}
