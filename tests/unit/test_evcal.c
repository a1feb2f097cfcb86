// SPDX-License-Identifier: BSD-3-Clause
/* The program itself: exit status, one line of error, nothing half-written. */
#include "tests/unit/test.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"

static char output[65536];

/* Runs evcal with stderr and stdout together; returns the exit status. */
static int run(const char *format, const char *argument)
{
	char command[4096];
	int length = snprintf(command, sizeof(command), "%s ", getenv("EVPROF_EVCAL"));

	snprintf(command + length, sizeof(command) - length, format, argument);
	strncat(command, " 2>&1", sizeof(command) - strlen(command) - 1);
	FILE *pipe = popen(command, "r");
	output[fread(output, 1, sizeof(output) - 1, pipe)] = '\0';
	int status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_text(const char *folder, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *out = fopen(path, "w");
	fputs(text, out);
	fclose(out);
}

TEST(usage)
{
	CHECK_INT(run("%s", ""), 2);
	CHECK_INT(run("%s", "--help"), 0);
	CHECK_INT(run("%s", "nonsense"), 2);
	CHECK_MSG(strstr(output, "unknown command \"nonsense\""), "%s", output);
	CHECK_INT(run("derive %s", "--help"), 0);
	CHECK_INT(run("derive %s", ""), 2);
	CHECK_MSG(strstr(output, "evcal derive: no input"), "%s", output);
	CHECK_INT(run("check %s", "only.formula"), 2);
	CHECK_MSG(strstr(output, "evcal check: name a formula file"), "%s", output);
	CHECK_INT(run("derive %s", "--no-such-option x"), 2);
	CHECK_INT(run("derive %s", "/nonexistent"), 1);
	CHECK_MSG(strstr(output, "evcal derive: /nonexistent: cannot open"), "%s", output);
}

/* Names and titles from files reach no terminal with what it obeys. */
TEST(names_of_files_command_no_terminal)
{
	char folder[] = "/tmp/evcal-names-XXXXXX", command[256];
	static const char *const reports[] = { "", "--json", "--formula", "--presets" };

	CHECK(mkdtemp(folder) != NULL);
	write_text(folder, "basis.csv", "point,A\033[1m\np\033[2m,1\n");
	write_text(folder, "signatures.csv", "metric,A\033[1m\nm\033[3m,1\n");
	write_text(folder, "events.csv",
		"event,rep,thread,p\033[2m\nE\033[4m,0,0,1\nE\033[4m,1,0,1\n");
	write_text(folder, "params.json", "{\"title\": \"t\\u001b[5m\"}");
	for (size_t i = 0; i < EP_ARRAY_SIZE(reports); i++) {
		snprintf(command, sizeof(command), "derive %s %%s", reports[i]);
		CHECK_INT(run(command, folder), 0);
		CHECK_MSG(output[0] && !strchr(output, '\033'), "%s: %s", reports[i], output);
	}
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_INT(system(command), 0);
}

/* A report that does not fit on the disk is no success. */
TEST(output_that_is_lost)
{
	CHECK_INT(run("--help >%s", "/dev/full"), 1);
	CHECK_INT(run("derive --help >%s", "/dev/full"), 1);
	CHECK_INT(
		run("derive --help 3>&1 >/dev/full 2>&3 | grep -c 'cannot write all of it'%s", ""),
		0);
	CHECK_INT(run("measure --list >%s", "/dev/full"), 1);
}

static const struct {
	const char *basis, *signatures, *events, *params, *message;
} bad[] = {
	{ "point,A\np,1\n", "metric,A\nm,1\n", "event,rep,thread,p\nE,0,0\n", "{}",
		"events.csv:2: the line has 3 fields, the header has 4" },
	{ "point,A\np,1\n", "metric,A\nm,1\n", "event,rep,thread,q\nE,0,0,1\n", "{}",
		"events.csv:1: unknown point \"q\"" },
	{ "point,A\np,1\n", "metric,A\nm,1\n", "event,rep,thread,p\nE,0,0,nan\n", "{}",
		"events.csv:2: field 4 is \"nan\"" },
	{ "point,A\np,1\n", "metric,A\nm,1\nm,2\n", "event,rep,thread,p\nE,0,0,1\n", "{}",
		"signatures.csv:3: metric \"m\" comes twice" },
	{ "point,A\np,1\n", "metric,A\nm,1\n", "", "{}", "events.csv: is empty" },
	{ "point,A\np,0\n", "metric,A\nm,1\n", "event,rep,thread,p\nE,0,0,1\n", "{}",
		"basis.csv:1: singular basis" },
	{ "point,A\np,1\n", "metric,B\nm,1\n", "event,rep,thread,p\nE,0,0,1\n", "{}",
		"signatures.csv:1: expectation \"B\" is not a column of the basis" },
	{ "point,A\np,1\n", "metric,A\nm,1\n", "event,rep,thread,p\nE,0,0,1\n", "{\"tau\": \"x\"}",
		"params.json: tau is" },
	{ "point,A\np,1\n", "metric,A\nm,1\n", "event,rep,thread,p\nE,0,0,1\n", "{\"tau\": null}",
		"params.json: tau is" },
	{ "point,A\np,1\n", "metric,A\nm,1\n", "event,rep,thread,p\nE,0,0,1\n",
		"{\"title\": null, \"combine\": null}", "params.json: combine is \"null\"" },
};

static void check_bad(size_t i, const char *folder)
{
	char path[128];

	write_text(folder, "basis.csv", bad[i].basis);
	write_text(folder, "signatures.csv", bad[i].signatures);
	write_text(folder, "events.csv", bad[i].events);
	write_text(folder, "params.json", bad[i].params);
	snprintf(path, sizeof(path), "%s/out", folder);
	CHECK_INT(run("derive -o %s", ""), 2);
	snprintf(output, sizeof(output), "derive -o %s %s", path, folder);
	char *arguments = strdup(output);
	CHECK_INT(run("%s", arguments), 1);
	free(arguments);
	CHECK_MSG(strstr(output, bad[i].message), "row %zu: %s", i, output);
	CHECK_MSG(strchr(output, '\n') == output + strlen(output) - 1, "more than one line: %s",
		output);
	CHECK_MSG(access(path, F_OK), "row %zu wrote something", i);
}

TEST(bad_input_is_one_line_and_writes_nothing)
{
	char folder[] = "/tmp/evprof-evcal-XXXXXX", command[64];

	CHECK(mkdtemp(folder) != NULL);
	for (size_t i = 0; i < EP_ARRAY_SIZE(bad); i++)
		check_bad(i, folder);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_INT(system(command), 0);
}

TEST(thresholds_can_be_overridden)
{
	char folder[512];

	snprintf(folder, sizeof(folder), "%s/tests/data/cat/spr-branch",
		getenv("EVPROF_SOURCE_ROOT"));
	CHECK_INT(run("derive --tau 1e6 %s", folder), 0);
	CHECK_MSG(strstr(output, " 0 noisy (max RNMSE > 1e+06)"), "%s", output);
	CHECK_INT(run("derive --alpha 0 %s", folder), 1);
	CHECK_MSG(strstr(output, "alpha is 0, expected"), "%s", output);
	CHECK_INT(run("derive -o '' %s", folder), 1);
	CHECK_MSG(strstr(output, "empty name"), "%s", output);
}

TEST(an_output_folder_gets_every_file_whole)
{
	static const char *const files[] = { "spr-branch.formula", "spr-branch.json",
		"spr-branch.txt", "spr-branch.papi", "spr-branch-variability.svg",
		"spr-branch-curves.svg", "spr-branch-metrics.svg" };
	char folder[] = "/tmp/evprof-evcal-XXXXXX", arguments[1024], path[128];

	CHECK(mkdtemp(folder) != NULL);
	snprintf(arguments, sizeof(arguments), "derive --json -o %s %s/tests/data/cat/spr-branch",
		folder, getenv("EVPROF_SOURCE_ROOT"));
	CHECK_INT(run("%s", arguments), 0);
	CHECK(output[0] == '{');
	for (size_t i = 0; i < EP_ARRAY_SIZE(files); i++) {
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		CHECK_MSG(!stat(path, &st) && st.st_size > 100, "%s is missing", files[i]);
		unlink(path);
	}
	CHECK_INT(rmdir(folder), 0); /* nothing else is left */
}
