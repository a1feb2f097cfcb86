// SPDX-License-Identifier: BSD-3-Clause
/* The main function of evcal, which picks the command. */
#include <stdio.h>
#include <string.h>

#include "common/command.h"
#include "common/error.h"
#include "kernels/command/evcal_commands.h"

static const struct ep_command commands[] = {
	{ "measure", ep_cmd_measure, "run the kernels here and count every event at each point" },
	{ "derive", ep_cmd_derive,
		"find which event combinations measure what, write formula files" },
	{ "check", ep_cmd_check, "does this machine's calibration confirm a formula file?" },
	{ "roofs", ep_cmd_roofs,
		"how fast this machine can compute and move data, for evreport roofline" },
	{ NULL, NULL, NULL },
};

static int print_help(FILE *out)
{
	fprintf(out, "usage: evcal COMMAND [ARGS]\n\ncommands (evcal COMMAND --help says more):\n");
	for (const struct ep_command *c = commands; c->name; c++)
		fprintf(out, "  %-8s %s\n", c->name, c->summary);
	fprintf(out, "\n--version says which evcal this is.\n");
	return out == stdout ? 0 : 2;
}

static int run(int argc, char **argv)
{
	const struct ep_command *c = commands;

	if (argc < 2)
		return print_help(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help(stdout);
	if (!strcmp(argv[1], "--version")) {
		printf("evcal %s\n", EVPROF_VERSION);
		return 0;
	}
	while (c->name && strcmp(c->name, argv[1]))
		c++;
	if (c->name)
		return c->run(argc - 1, argv + 1);
	fprintf(stderr, "evcal: unknown command \"%s\"\n", argv[1]);
	return print_help(stderr);
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);

	return status ? status : ep_flush_stdout("evcal");
}
