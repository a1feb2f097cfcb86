/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that watches its folder must see only its own files come and go. */
#include "probe.h"

#include <sys/inotify.h>

int main(void)
{
	char events[4096];
	int watch = inotify_init1(IN_NONBLOCK);

	EXPECT(inotify_add_watch(watch, ".", IN_ALL_EVENTS) >= 0);
	burn_ms(1200);
	EXPECT_INT(read(watch, events, sizeof(events)), -1);
	close(open("own", O_WRONLY | O_CREAT, 0600));
	EXPECT(read(watch, events, sizeof(events)) > 0);
	return probe_end();
}
