// SPDX-License-Identifier: BSD-3-Clause
/* Prepared plans as a starting program meets them on the disk. */
#include "tests/unit/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "preload/process/model_events.h"

static const char *folder(void)
{
	static char path[] = "/tmp/evprof-test-XXXXXX";

	if (strstr(path, "XXXXXX"))
		CHECK(mkdtemp(path) && !setenv("EVPROF_FORMULAS", path, 1));
	return path;
}

static const char *plan_path(void)
{
	static char path[100];

	snprintf(path, sizeof(path), "%s/models.plan", folder());
	return path;
}

static void write_plan(const char *text)
{
	FILE *out = fopen(plan_path(), "w");

	CHECK(out && fputs(text, out) >= 0 && !fclose(out));
}

/* The reason, or "" where there are events. */
static const char *plan(void)
{
	static struct ep_error err;
	struct ep_settings settings;

	ep_settings_init(&settings);
	settings.models = "m";
	settings.source = "rusage";
	err.message[0] = '\0';
	CHECK(ep_model_events_set(&settings, &err) < 0 || settings.events[0]);
	return err.message;
}

/* Opening one waits for a writer for ever. */
TEST(a_pipe_is_not_waited_for)
{
	CHECK_INT(mkfifo(plan_path(), 0600), 0);
	alarm(20);
	CHECK_MSG(strstr(plan(), "cannot be read"), "%s", plan());
	alarm(0);
	CHECK_INT(unlink(plan_path()), 0);
}

TEST(other_files_are_refused_with_the_reason)
{
	static const char *const rows[][2] = {
		{ "", "cannot be read" },
		{ "evprof-plans 1 0.0.1\n", "another version's" },
		{ "evprof-plans 1 " EVPROF_VERSION "\nnonsense\n", "damaged" },
		{ "evprof-plans 1 " EVPROF_VERSION "\n", "no model 'm' is prepared" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		write_plan(rows[i][0]);
		CHECK_MSG(strstr(plan(), rows[i][1]), "%zu: %s", i, plan());
	}
	CHECK_INT(unlink(plan_path()), 0);
	CHECK_INT(rmdir(folder()), 0);
}
