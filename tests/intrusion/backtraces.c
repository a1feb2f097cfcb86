/* SPDX-License-Identifier: BSD-3-Clause */
/* backtrace() must be glibc's own function even if the preloaded library has an unwinder: it must give the same frames
 * and names as without the preload. */
#include "probe.h"

#include <execinfo.h>

static void print_stack(void)
{
	void *frames[32];
	int n_frames = backtrace(frames, 32);
	char **names = backtrace_symbols(frames, n_frames);

	printf("%d frames\n", n_frames);
	for (int i = 0; i < n_frames; i++) {
		char *name = strchr(names[i], '('), *end = strpbrk(name ? name : "", "+)");

		if (name && end)
			printf("  %.*s\n", (int)(end - name - 1), name + 1);
	}
	free(names);
}

int descend(int n_levels);

__attribute__((noinline, visibility("default"))) int descend(int n_levels)
{
	if (n_levels > 0)
		return descend(n_levels - 1) + 1;
	print_stack();
	return 0;
}

static void *in_thread(void *unused)
{
	burn_ms(3);
	EXPECT_INT(descend(3), 3);
	return NULL;
}

static void in_handler(int s)
{
	EXPECT_INT(descend(2), 2);
}

int main(void)
{
	pthread_t thread;

	burn_ms(3);
	EXPECT_INT(descend(10), 10);
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	signal(SIGUSR1, in_handler);
	raise(SIGUSR1);
	return probe_end();
}
