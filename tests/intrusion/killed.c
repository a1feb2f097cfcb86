/* SPDX-License-Identifier: BSD-3-Clause */
/* killed SIGNAL: works for more than a second, then sends itself SIGNAL, by which it ends. */
#include "probe.h"

int main(int argc, char **argv)
{
	burn_ms(1500);
	kill(getpid(), atoi(argv[1]));
	for (;;)
		burn_ms(1);
}
