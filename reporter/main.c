// SPDX-License-Identifier: BSD-3-Clause
/* evreport: picks the command; without one, reports a trace. */
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/command.h"
#include "reporter/formula/cmd_eval.h"

static const struct ep_command commands[] = {
	{ "eval", ep_cmd_eval, "evaluate metrics on a file of values" },
	{ NULL, NULL, NULL },
};

static int print_help(FILE *out)
{
	fprintf(out, "usage: evreport [OPTIONS] [TRACE]\n       evreport COMMAND [ARGS]\n\ncommands:\n");
	for (const struct ep_command *c = commands; c->name; c++)
		fprintf(out, "  %-16s %s\n", c->name, c->summary);
	return out == stdout ? 0 : 2;
}

static const struct ep_command *find_command(const char *name)
{
	for (const struct ep_command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct ep_command *command = argc > 1 ? find_command(argv[1]) : NULL;

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return print_help(stdout);
	if (!command)
		return print_help(stderr);
	return command->run(argc - 1, argv + 1);
}
