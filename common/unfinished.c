// SPDX-License-Identifier: BSD-3-Clause
/* The signal handler may run in any thread, so it reads only memory that is never freed and makes only system calls. */
#include "common/unfinished.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"

#define N_FILES 128 /* a thread writes one file at a time; more files than these are not removed */
#define PATH_BYTES 4096

static struct unfinished {
	atomic_int state;
	char path[PATH_BYTES];
} files[N_FILES];
enum { IS_FREE, IS_BEING_SET, IS_UNFINISHED };

static const int ending[] = { SIGHUP, SIGINT, SIGTERM };

/* Removes the files and raises the signal again. That signal is blocked until the handler returns; then its default
 * action, which SA_RESETHAND has restored, ends the process. */
static void on_end(int signal)
{
	for (size_t i = 0; i < N_FILES; i++)
		if (files[i].state == IS_UNFINISHED)
			unlink(files[i].path);
	raise(signal);
}

static void handle_ends(void)
{
	struct sigaction action = { .sa_handler = on_end, .sa_flags = (int)SA_RESETHAND }, before;

	for (size_t i = 0; i < EP_ARRAY_SIZE(ending); i++)
		if (!sigaction(ending[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
}

int ep_unfinished_begin(const char *path)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t size = strlen(path) + 1;

	pthread_once(&once, handle_ends);
	for (int i = 0; i < N_FILES && size <= PATH_BYTES; i++) {
		int expected = IS_FREE;

		if (!atomic_compare_exchange_strong(&files[i].state, &expected, IS_BEING_SET))
			continue;
		memcpy(files[i].path, path, size);
		files[i].state = IS_UNFINISHED;
		return i + 1;
	}
	return 0;
}

void ep_unfinished_end(int unfinished)
{
	if (unfinished)
		files[unfinished - 1].state = IS_FREE;
}
