/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program may change argv and environ: overwrite their texts, and set their pointers to NULL or to invalid addresses.
 * Children that are forked afterwards must still work.
 */
#include "probe.h"

static void work_in_child(void)
{
	burn_ms(5);
}

int main(int argc, char **argv)
{
	char *environment_text = environ[0];

	probe_in_child("untouched", work_in_child);
	memset(argv[1], 'x', strlen(argv[1]));
	argv[2] = (char *)8;
	argv[3] = NULL;
	probe_in_child("changed", work_in_child);
	memset(environment_text, 'y', strlen(environment_text));
	environ = NULL;
	probe_in_child("without environment", work_in_child);
	argv[0] = NULL;
	burn_ms(5);
	return probe_end();
}
