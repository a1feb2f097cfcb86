// SPDX-License-Identifier: BSD-3-Clause
/* evprof: picks the command and calls it. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
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

/* Words that other profilers use as commands, and what to type here. */
static const struct {
	const char *word, *hint;
} other_words[] = {
	{ "record", "evprof run -- PROGRAM records, evprof PROGRAM records and reports" },
	{ "report", "evreport trace.gz reports" },
	{ "script", "evreport export or evreport dump writes a trace in other formats" },
	{ "top",
		"a program is profiled from its start: evprof PROGRAM; evreport reads a trace that still grows" },
	{ "stat", "evprof PROGRAM counts, too: the report ends with the events" },
	{ "--pid",
		"a program is profiled from its start: evprof PROGRAM; a running one cannot be attached to" },
	{ NULL, NULL },
};

/* The headings of evreport's pages have these words, so people type them here. */
static const char *const of_evreport[] = { "accuracy", "advise", "annotate", "compare",
	"compare-ocoe", "dump", "eval", "explain", "export", "export-training", "fill", "info",
	"metrics", "phases", "reduce", "roofline", NULL };

static int print_help(FILE *out, int status)
{
	fprintf(out,
		"usage: evprof [OPTIONS] PROGRAM [ARGS]    run it, then report where its time went\n"
		"       evprof COMMAND [ARGS]\n\n"
		"OPTIONS are those of evprof run, such as -o FILE.\n\ncommands:\n");
	for (const struct ep_command *c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->summary);
	fprintf(out, "\n'evprof COMMAND --help' tells more; 'evreport' reads the trace.\n"
		     "--version says which evprof this is.\n");
	return status;
}

static bool is_in_path(const char *name)
{
	const char *list = getenv("PATH");
	EP_AUTOFREE char *folders = strdup(list ? list : "/usr/bin:/bin");
	char path[PATH_MAX], *rest = NULL;

	for (char *folder = folders ? strtok_r(folders, ":", &rest) : NULL; folder;
		folder = strtok_r(NULL, ":", &rest)) {
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

/* Tells whether name begins the words of a program to run: it is a program or an option. A file that exists but cannot
 * be run counts, so that it gets the error of evprof run, as wrong options do. */
static bool is_program_or_option(const char *name)
{
	if (name[0] == '-')
		return true;
	return strchr(name, '/') ? !access(name, F_OK) : is_in_path(name);
}

static bool say_hint(const char *word)
{
	for (int i = 0; other_words[i].word; i++) {
		if (strcmp(other_words[i].word, word))
			continue;
		fprintf(stderr, "evprof: there is no command or option '%s': %s\n", word,
			other_words[i].hint);
		return true;
	}
	for (int i = 0; of_evreport[i]; i++) {
		if (strcmp(of_evreport[i], word))
			continue;
		fprintf(stderr,
			"evprof: there is no command '%s': type evreport %s ...; a program of that name is run by evprof run -- %s ...\n",
			word, word, word);
		return true;
	}
	return false;
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
			return c->run(argc - 1, argv + 1);
	/* a program that has such a name is started by "evprof run -- top" */
	if (say_hint(name))
		return 2;
	if (is_program_or_option(name))
		return ep_cmd_profile(argc, argv);
	fprintf(stderr, "evprof: '%s' is no command and no program\n", name);
	return print_help(stderr, 2);
}

int main(int argc, char **argv)
{
	int status = run(argc, argv), lost = ep_flush_stdout("evprof");

	return status ? status : lost;
}
