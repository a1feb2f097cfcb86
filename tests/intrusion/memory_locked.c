/* SPDX-License-Identifier: BSD-3-Clause */
/* After mlockall() for all present and future memory, the program must still get threads, children and mappings. */
#include "probe.h"

#include <sys/mman.h>

static void *work(void *unused)
{
	char *page =
		mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(page != MAP_FAILED);
	burn_ms(30);
	EXPECT_INT(munmap(page, 1 << 20), 0);
	return NULL;
}

int main(void)
{
	pthread_attr_t small;
	pthread_t thread;
	int result = mlockall(MCL_CURRENT | MCL_FUTURE);

	printf("mlockall: %d %d\n", result, result ? errno : 0);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < 10; i++) {
		EXPECT_INT(pthread_create(&thread, &small, work, NULL), 0);
		work(NULL);
		pthread_join(thread, NULL);
		if (probe_fork() == 0) {
			burn_ms(5);
			_exit(0);
		}
		EXPECT(wait(NULL) > 0);
	}
	return probe_end();
}
