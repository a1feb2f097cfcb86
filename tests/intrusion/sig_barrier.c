/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls sigaction with structures in memory that is protected, as a garbage collector protects memory. An access to
 * them raises SIGSEGV, and the program's handler makes the page accessible.
 */
#include "probe.h"

#include <sys/mman.h>

enum { PAGE_BYTES = 65536 };

static char *page;
static int n_opened;

static void open_page(int sig)
{
	(void)sig;
	n_opened++;
	mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE);
}

static void handle(int sig)
{
	(void)sig;
}

int main(void)
{
	struct sigaction barrier = { .sa_handler = open_page }, own = { .sa_handler = handle };
	static const int signals[] = { SIGUSR1,
		SIGCHLD }; /* the first's default ends the program, the second's does not */
	struct sigaction *watched;

	page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	watched = (struct sigaction *)page;
	EXPECT_INT(sigaction(SIGSEGV, &barrier, NULL), 0);
	for (int i = 0; i < 2; i++) {
		*watched = own;
		mprotect(page, PAGE_BYTES, PROT_NONE);
		EXPECT_INT(sigaction(signals[i], watched, NULL), 0);
		mprotect(page, PAGE_BYTES, PROT_READ);
		EXPECT_INT(sigaction(signals[i], NULL, watched), 0);
		EXPECT(watched->sa_handler == handle);
	}
	printf("the page was opened %d times\n", n_opened);
	return probe_end();
}
