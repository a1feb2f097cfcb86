/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints one line on stdout and one on stderr. Exactly these must arrive, also in files that are closed and
 * reopened. */
#include "probe.h"

int main(void)
{
	printf("out\n");
	fprintf(stderr, "err\n");
	burn_ms(50);
	EXPECT(freopen("reopened", "w", stderr) != NULL);
	fprintf(stderr, "one line\n");
	burn_ms(50);
	fclose(stderr);
	EXPECT_INT(open("second", O_WRONLY | O_CREAT, 0600), 2);
	EXPECT_INT(fputs("last\n", stdout) >= 0, 1);
	fclose(stdout);
	EXPECT_INT(open("first", O_WRONLY | O_CREAT, 0600), 1);
	burn_ms(20);
	return probe_end();
}
