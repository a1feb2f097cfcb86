// SPDX-License-Identifier: BSD-3-Clause
/* evcal check: verdicts over a calibration whose events are made to lie. */
#include "tests/unit/test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/formula/formula_file.h"

static char folder[] = "/tmp/evprof-check-XXXXXX";
static char output[65536];

static void write_text(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *out = fopen(path, "w");
	fputs(text, out);
	fclose(out);
}

/* Every %s is the folder. */
static int run(const char *format)
{
	EP_AUTOFREE char *command = NULL;
	size_t size;
	FILE *out = open_memstream(&command, &size);

	fprintf(out, "%s ", getenv("EVPROF_EVCAL"));
	for (; *format; format++)
		if (format[0] == '%' && format[1] == 's' && format++)
			fputs(folder, out);
		else
			fputc(*format, out);
	fputs(" 2>&1", out);
	fclose(out);
	FILE *pipe = popen(command, "r");
	output[fread(output, 1, sizeof(output) - 1, pipe)] = '\0';
	int status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* COND is as its name says; COND_TAKEN counts half; BR_MISP_RETIRED counts nothing; ODD has no
 * known meaning. */
static const char responses[] = "event,CE,CR,T,D,M\n"
				"BR_INST_RETIRED:COND,0,1,0,0,0\n"
				"BR_INST_RETIRED:COND_TAKEN,0,0,0.5,0,0\n"
				"BR_MISP_RETIRED,0,0,0,0,0\n"
				"ODD,1,1,0,0,0\n";

static const char formula[] =
	"evprof-formula 1\n\n[model]\nname = test\n\n"
	"[metric by_event]\nexpr = 2 * skx::BR_INST_RETIRED:COND:u / 3\n\n"
	"[metric conditional_branches_taken]\nexpr = BR_INST_RETIRED:COND_TAKEN\n\n"
	"[metric repaired]\nexpr = 2 * BR_INST_RETIRED:COND_TAKEN\n"
	"about = Conditional Branches Taken.\n\n"
	"[metric leans]\nexpr = by_event + BR_MISP_RETIRED\n\n"
	"[metric odd]\nexpr = ODD\n\n"
	"[metric absent]\nexpr = NOT_THERE / BR_INST_RETIRED:COND\n\n"
	"[metric constant]\nexpr = 3\n";

static const struct {
	const char *name, *verdict, *why;
} expected[] = {
	{ "BR_INST_RETIRED:COND_TAKEN", "contradicted", "at b3 it is 1 where 2 is expected" },
	{ "BR_MISP_RETIRED", "contradicted", "it is 0 where 0.5 is expected" },
	{ "ODD", "not tested", "no known value to compare it with" },
	{ "NOT_THERE", "not tested", "not measured" },
	{ "by_event", "confirmed", "each of its 1 events is" },
	{ "conditional_branches_taken", "contradicted", "branch: off by 0.5" },
	{ "repaired", "confirmed", "branch: within 0" },
	{ "leans", "contradicted", "it uses BR_MISP_RETIRED" },
	{ "odd", "not tested", "ODD: measured with the kernels of branch" },
	{ "absent", "not tested", "NOT_THERE: not measured" },
	{ "constant", "not tested", "it uses no event" },
};

/* "NAME   VERDICT   ...WHY..." in one line of the output */
static void check_line(size_t i)
{
	char start[128];
	const char *line = output;
	size_t length = (size_t)snprintf(start, sizeof(start), "%s ", expected[i].name);

	while (line && strncmp(line, start, length)) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	CHECK_MSG(line != NULL, "no line of %s in:\n%s", expected[i].name, output);
	if (!line)
		return;
	EP_AUTOFREE char *copy = strndup(line, strcspn(line, "\n"));
	CHECK_MSG(strstr(copy, expected[i].verdict) && strstr(copy, expected[i].why), "%s", copy);
}

static void check_written(void)
{
	struct ep_formula_file file;
	struct ep_error err;
	char path[256];

	snprintf(path, sizeof(path), "%s/out.formula", folder);
	int rc = ep_formula_file_read(path, &file, &err);
	CHECK_MSG(!rc, "%s: %s", err.where, err.message);
	if (rc)
		return;
	CHECK_INT(file.n_metrics, 7);
	CHECK(!strncmp(file.metrics[0].verdict, "confirmed: each of its 1 events is on ", 38));
	CHECK(!strncmp(file.metrics[1].verdict, "contradicted: branch: off by 0.5", 32));
	ep_formula_file_finish(&file);
}

TEST(verdicts_are_what_the_counts_say)
{
	char command[160];

	CHECK(mkdtemp(folder) != NULL);
	write_text("responses.csv", responses);
	write_text("test.formula", formula);
	CHECK_MSG(!run("measure -s sim:%s/responses.csv -r 2 -k branch -o %s/dir"), "%s", output);
	CHECK_MSG(run("check -o %s/out.formula %s/test.formula %s/dir") == 3, "%s", output);
	for (size_t i = 0; i < EP_ARRAY_SIZE(expected); i++)
		check_line(i);
	check_written();
	/* a repetition that is far from the other */
	snprintf(command, sizeof(command),
		"sed -i 's/^\\(BR_MISP_RETIRED,1,0,\\)/\\19/' %s/dir/branch/events.csv", folder);
	CHECK_INT(system(command), 0);
	CHECK_MSG(run("check %s/test.formula %s/dir") == 3, "%s", output);
	CHECK_MSG(strstr(output, "branch: too noisy to say (max RNMSE"), "%s", output);
	CHECK_INT(run("check %s/test.formula %s/nowhere"), 1);
	CHECK_INT(run("check %s/responses.csv %s/dir"), 1);
	CHECK_INT(run("check %s/test.formula"), 2);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_INT(system(command), 0);
}
