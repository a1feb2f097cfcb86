// SPDX-License-Identifier: BSD-3-Clause
/* evprof: picks the command. */
#include <stdio.h>
#include <string.h>

#include "common/command.h"
#include "common/error.h"
#include "evprof_commands.h"

static const struct ep_command commands[] = {
	{ "run", ep_cmd_run, "run a program and write its trace" },
	{ "stop", ep_cmd_stop, "end a recording; its program goes on" },
	{ "doctor", ep_cmd_doctor, "say what can be counted on this machine, and what would help" },
	{ "list", ep_cmd_list, "list the events of this machine, or of another CPU" },
	{ "plan", ep_cmd_plan, "show the groups of events that models take" },
	{ NULL, NULL, NULL },
};

static int print_help(FILE *out, int status)
{
	fprintf(out, "usage: evprof COMMAND [ARGS]\n\ncommands:\n");
	for (const struct ep_command *c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->summary);
	fprintf(out, "\n'evprof COMMAND --help' tells more; 'evreport' reads the trace.\n"
		     "--version says which evprof this is.\n");
	return status;
}

/* getopt's messages begin with argv[0]. */
static int run_command(const struct ep_command *command, int argc, char **argv)
{
	char name[32];

	snprintf(name, sizeof(name), "evprof %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

static int run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name)
		return print_help(stderr, 2);
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
		return print_help(stdout, 0);
	if (!strcmp(name, "--version")) {
		printf("evprof %s\n", EVPROF_VERSION);
		return 0;
	}
	for (const struct ep_command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return run_command(c, argc - 1, argv + 1);
	fprintf(stderr, "evprof: no command '%s'\n", name);
	return print_help(stderr, 2);
}

int main(int argc, char **argv)
{
	int status = run(argc, argv), lost = ep_flush_stdout("evprof");

	return status ? status : lost;
}
