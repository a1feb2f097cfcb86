/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that moves the end of its heap by sbrk: the end must move only when the program moves it. */
#include "probe.h"

int main(void)
{
	char *end = sbrk(0);

	for (int i = 0; i < 200; i++) {
		EXPECT(sbrk(4096) == end);
		memset(end, 1, 4096);
		end += 4096;
		burn_us(1000);
		EXPECT(sbrk(0) == end);
	}
	burn_ms(1100);
	EXPECT(sbrk(0) == end);
	return probe_end();
}
