/* SPDX-License-Identifier: BSD-3-Clause */
/* killed SIGNAL: works more than a second, then ends by that signal, in a process group of its own.
 */
#include "probe.h"

int main(int argc, char **argv)
{
	burn_ms(1500);
	kill(getpid(), atoi(argv[1]));
	for (;;)
		burn_ms(1);
}
