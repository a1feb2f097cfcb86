// SPDX-License-Identifier: BSD-3-Clause
/* Campaigns over a source made here: what is measured, what is left out and why, and going on. */
#include "kernels/measure/campaign.h"

#include <errno.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "tests/unit/test.h"

static char folder[] = "/tmp/evprof-campaign-XXXXXX";
static size_t n_opened; /* groups since the last look */

static int list(struct ep_candidates *candidates, const char *argument, struct ep_error *err)
{
	static const struct {
		const char *name, *reason;
	} rows[] = {
		{ "A", NULL },
		{ "B,umask=1", NULL },
		{ "C", "not permitted, or \"filtered\"" },
		{ "D", NULL },
		{ "BROKEN", NULL },
	};
	int rc = 0;

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows) && !rc; i++) {
		struct ep_event event = { .unit = "count" };

		snprintf(event.name, sizeof(event.name), "%s", rows[i].name);
		rc = ep_candidates_add(candidates, &event, rows[i].reason);
	}
	return rc;
}

/* Two at once; what is broken is none of them. */
static int open_group(struct ep_count_group *group, size_t *out_n_fit, struct ep_error *err)
{
	size_t n = 0;

	n_opened++;
	while (n < group->n && n < 2 && strcmp(group->events[n].name, "BROKEN"))
		n++;
	if (!n)
		return ep_fail(err, -EIO, "cannot open it, not even once");
	group->n = *out_n_fit = n;
	return 0;
}

static void start(struct ep_count_group *group)
{
}

static int stop(struct ep_count_group *group, double *values)
{
	for (size_t i = 0; i < group->n; i++)
		values[i] = 8;
	return 0;
}

static void close_group(struct ep_count_group *group)
{
}

static const struct ep_count_source source = { .name = "test",
	.list = list,
	.open = open_group,
	.start = start,
	.stop = stop,
	.close = close_group };

static struct ep_campaign make_campaign(const char *events)
{
	return (struct ep_campaign){ .source = &source,
		.events = events,
		.kernels = "branch",
		.folder = folder,
		.n_reps = 2,
		.n_threads = 1 };
}

static char *read_file(const char *name)
{
	char path[128], *text = NULL;
	struct ep_error err = { 0 };
	size_t size;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	CHECK_MSG(!ep_file_read(path, &text, &size, &err), "%s: %s", err.where, err.message);
	return text ? text : strdup("");
}

static size_t count_lines(const char *text, const char *beginning)
{
	size_t n = 0;

	for (; text && *text; text = strchr(text, '\n'), text += text != NULL)
		n += !strncmp(text, beginning, strlen(beginning));
	return n;
}

TEST(what_cannot_be_measured_is_in_a_table_of_its_own)
{
	struct ep_campaign campaign = make_campaign("all");
	struct ep_error err;

	CHECK(mkdtemp(folder) != NULL);
	CHECK_INT(ep_campaign_choose(&campaign, &err), 0);
	CHECK_INT(campaign.candidates.n, 5);
	CHECK_INT(campaign.n_usable, 3);
	CHECK_MSG(!ep_campaign_run(&campaign, &err), "%s", err.message);
	EP_AUTOFREE char *events = read_file("branch/events.csv");
	EP_AUTOFREE char *skipped = read_file("skipped.csv");
	CHECK_INT(count_lines(events, "A,"), 2);
	CHECK_INT(count_lines(events, "D,"), 2);
	CHECK_INT(count_lines(events, "B"), 0);
	/* names and reasons with commas or quotes stay one cell */
	CHECK_STR(skipped, "event,reason\n"
			   "\"B,umask=1\",its name holds a comma; use a raw code\n"
			   "C,\"not permitted, or \"\"filtered\"\"\"\n"
			   "BROKEN,\"branch: cannot open it, not even once\"\n");
	ep_campaign_finish(&campaign);
}

/* The same folder again: what is there stays, what failed is tried once more. */
TEST(a_campaign_goes_on_where_it_was)
{
	struct ep_campaign campaign = make_campaign("all");
	struct ep_error err;

	EP_AUTOFREE char *before = read_file("branch/events.csv");
	n_opened = 0;
	CHECK_INT(ep_campaign_choose(&campaign, &err), 0);
	CHECK_INT(ep_campaign_run(&campaign, &err), 0);
	CHECK_INT(n_opened, 1);
	EP_AUTOFREE char *after = read_file("branch/events.csv");
	CHECK_STR(after, before);
	ep_campaign_finish(&campaign);
}

/* A table that was cut in an event: its lines go, and it is measured anew. */
TEST(half_an_event_is_none)
{
	struct ep_campaign campaign = make_campaign("all");
	char path[128];
	struct ep_error err;

	EP_AUTOFREE char *before = read_file("branch/events.csv");
	snprintf(path, sizeof(path), "%s/branch/events.csv", folder);
	CHECK_INT(truncate(path, (off_t)strlen(before) - 3), 0);
	CHECK_INT(ep_campaign_choose(&campaign, &err), 0);
	CHECK_INT(ep_campaign_run(&campaign, &err), 0);
	EP_AUTOFREE char *after = read_file("branch/events.csv");
	CHECK_STR(after, before);
	CHECK_INT(count_lines(after, "D,"), 2);
	ep_campaign_finish(&campaign);
}

TEST(none_to_measure_says_why)
{
	static const struct {
		const char *events, *kernels, *message;
		int rc;
	} rows[] = {
		{ "NOSUCH", "branch", "no event is called \"NOSUCH\"", -ENODEV },
		{ "C", "branch", "none counts (C: not permitted", -ENODEV },
		{ "A", "branch,nosuch", "there is no kernel \"nosuch\"", -EINVAL },
	};
	char command[64];

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_campaign campaign = make_campaign(rows[i].events);
		struct ep_error err = { 0 };
		int rc;

		campaign.kernels = rows[i].kernels;
		rc = ep_campaign_choose(&campaign, &err);
		if (!rc)
			rc = ep_campaign_run(&campaign, &err);
		CHECK_INT(rc, rows[i].rc);
		CHECK_MSG(strstr(err.message, rows[i].message), "%s", err.message);
		ep_campaign_finish(&campaign);
	}
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_INT(system(command), 0);
}
