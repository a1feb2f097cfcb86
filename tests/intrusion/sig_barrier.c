/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Actions of signals in memory that a collector watches: reading and writing it comes to the program's
 * handler of SIGSEGV, which opens the page.
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
		SIGCHLD }; /* whose defaults end the program, or not */
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
