/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * If a program is started without standard descriptors, its first files get the numbers 0, 1 and 2. A message that a
 * library then wrote to standard error would get into one of these files.
 */
#include "probe.h"

static int use_low_numbers(void)
{
	for (int fd = 0; fd < 3; fd++) {
		char name[8] = { 'o', 'w', 'n', '0' + fd, 0 };

		EXPECT_INT(open(name, O_RDWR | O_CREAT | O_TRUNC, 0600), fd);
		EXPECT_INT(write(fd, name, 4), 4);
	}
	EXPECT_INT(open("/dev/null", O_RDONLY), 3);
	burn_ms(1100);
	for (int fd = 0; fd < 3; fd++)
		EXPECT_INT(lseek(fd, 0, SEEK_END), 4);
	return probe_end();
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return use_low_numbers();
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	execl(probe_sibling("fd_std"), "fd_std", "again", NULL);
	return 99;
}
