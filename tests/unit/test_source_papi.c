// SPDX-License-Identifier: BSD-3-Clause
/*
 * The source over PAPI's functions, which papi_stand_in.c plays: few machines have components that
 * count, and none known counts. One set per component; the machine's are read by the main thread.
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <papi.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "counters/sources/source.h"
#include "preload/process/process.h"

extern int papi_stand_in_n_sets, papi_stand_in_n_threads, papi_stand_in_version;

static struct ep_plan the_plan;

static int prepare(const char *events, struct ep_error *err)
{
	struct ep_settings settings;

	ep_settings_init(&settings);
	settings.events = events;
	memset(&the_plan, 0, sizeof(the_plan));
	return ep_source_papi.prepare(&the_plan, &settings, err);
}

static void check_names(const char *const *names)
{
	uint32_t n = 0;

	for (; names[n]; n++)
		CHECK_STR(n < the_plan.n_events ? the_plan.events[n].name : "(none)", names[n]);
	CHECK_INT(the_plan.n_events, n);
	CHECK_INT(the_plan.n_groups, 1);
	CHECK_INT(the_plan.groups[0].n_events, n);
}

TEST(events_of_several_components_are_one_group)
{
	static const struct {
		const char *events, *names[4];
	} rows[] = {
		{ "", { "PAPI_TOT_CYC", "PAPI_TOT_INS" } },
		{ "net:::eth0:rx:bytes,PAPI_TOT_INS", { "net:::eth0:rx:bytes", "PAPI_TOT_INS" } },
		{ "papi:::PAPI_TOT_CYC", { "PAPI_TOT_CYC" } },
	};
	struct ep_error err = { 0 };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		CHECK_MSG(!prepare(rows[i].events, &err), "%s", err.message);
		check_names(rows[i].names);
		CHECK_STR(the_plan.notes, "");
		CHECK_INT(papi_stand_in_n_sets, 0); /* those of the trial are gone */
	}
	CHECK_INT(prepare("net:::eth0:rx:bytes,PAPI_TOT_INS", &err), 0);
	CHECK_STR(the_plan.events[0].unit, "bytes");
	CHECK_STR(the_plan.events[1].unit, "count");
}

/* The source need not be named where an event of PAPI is among others. */
TEST(names_of_papi_choose_its_source)
{
	static const struct {
		const char *events;
		bool is_papi;
	} rows[] = {
		{ "PAPI_TOT_CYC", true },
		{ "net:::eth0:rx:bytes,PAPI_TOT_INS", true },
		{ "papi:::net:::eth0:rx:bytes", true },
		{ "page-faults", false },
	};
	struct ep_settings settings;
	struct ep_error err = { 0 };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		const struct ep_source *source = NULL;

		ep_settings_init(&settings);
		settings.events = rows[i].events;
		memset(&the_plan, 0, sizeof(the_plan));
		CHECK_MSG(
			!ep_source_choose(&the_plan, &settings, &source, &err), "%s", err.message);
		CHECK_MSG((source == &ep_source_papi) == rows[i].is_papi, "%s", rows[i].events);
	}
}

TEST(what_is_not_counted_is_named_with_the_reason)
{
	static const struct {
		const char *events, *note;
		int rc;
	} rows[] = {
		{ "PAPI_TOT_CYC,PAPI_NO_SUCH",
			"event 'PAPI_NO_SUCH' is not counted: PAPI says Event does not exist", 0 },
		{ "rapl:::PACKAGE_ENERGY,PAPI_TOT_CYC",
			"event 'rapl:::PACKAGE_ENERGY' is not counted: PAPI says no permission to "
			"read "
			"MSRs",
			0 },
		{ "PAPI_NO_SUCH", "event 'PAPI_NO_SUCH' is not counted", -ENOENT },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_error err = { 0 };

		CHECK_INT(prepare(rows[i].events, &err), rows[i].rc);
		CHECK_MSG(strstr(rows[i].rc ? err.message : the_plan.notes, rows[i].note),
			"row %zu: %s%s", i, the_plan.notes, err.message);
	}
}

TEST(a_papi_that_does_not_start_is_said)
{
	struct ep_error err = { 0 };

	papi_stand_in_version = PAPI_ENOSUPP;
	CHECK_INT(prepare("", &err), -EPROTO);
	CHECK(strstr(err.message, "PAPI does not start: another error"));
	papi_stand_in_version =
		PAPI_VERSION_NUMBER(PAPI_VERSION_MAJOR(PAPI_VER_CURRENT) + 1, 0, 0, 0);
	CHECK_INT(prepare("", &err), -EPROTO);
	CHECK(strstr(err.message, "another version than evprof was built with"));
	papi_stand_in_version = PAPI_VER_CURRENT;
}

static void open_all(struct ep_counters *counters, uint32_t n_threads)
{
	struct ep_error err = { 0 };

	*counters = (struct ep_counters){ .plan = &the_plan, .is_first = n_threads == 1 };
	CHECK_INT(prepare("net:::eth0:tx:errors,PAPI_TOT_CYC,net:::eth0:rx:bytes", &err), 0);
	CHECK_INT(ep_source_papi.open(counters, 0), 0);
}

/* Each start and each stop reads once: a slice is one step. */
TEST(a_slice_counts_what_passed_in_it)
{
	struct ep_counters counters;
	struct ep_slice_counts out;

	open_all(&counters, 1);
	CHECK_INT(papi_stand_in_n_sets, 2);
	for (int i = 0; i < 3; i++) {
		ep_source_papi.start(&counters, 0);
		ep_source_papi.stop(&counters, 0, false, &out);
		CHECK(out.did_run);
		CHECK_INT(out.values[0], 0); /* a count that falls is none */
		CHECK_INT(out.values[1], 1000);
		CHECK_INT(out.values[2], 17);
	}
	ep_source_papi.start(&counters, 0);
	ep_source_papi.stop(&counters, 0, true, &out); /* PAPI counts the calling thread only */
	CHECK(!out.did_run);
	CHECK_INT(papi_stand_in_n_threads, 0); /* the one that starts PAPI is known to it */
	ep_source_papi.close(&counters);
	CHECK_INT(papi_stand_in_n_sets, 0);
	CHECK_INT(papi_stand_in_n_threads, 0);
}

static void *count_in_thread(void *unused)
{
	struct ep_counters counters = { .plan = &the_plan };

	CHECK_INT(ep_source_papi.open(&counters, 0), 0);
	CHECK_INT(papi_stand_in_n_threads, 1);
	ep_source_papi.close(&counters);
	return unused;
}

TEST(other_threads_are_registered_while_they_count)
{
	struct ep_counters counters;
	pthread_t thread;

	open_all(&counters, 1);
	CHECK_INT(pthread_create(&thread, NULL, count_in_thread, NULL), 0);
	pthread_join(thread, NULL);
	CHECK_INT(papi_stand_in_n_threads, 0);
	ep_source_papi.close(&counters);
}

TEST(what_is_the_machines_is_the_main_threads)
{
	struct ep_counters counters;
	struct ep_slice_counts out;

	open_all(&counters, 2);
	CHECK_INT(papi_stand_in_n_sets, 1);
	ep_source_papi.start(&counters, 0);
	ep_source_papi.stop(&counters, 0, false, &out);
	CHECK(out.did_run);
	CHECK_INT(out.values[1], 1000);
	CHECK_INT(out.values[2], 0);
	ep_source_papi.close(&counters);
	CHECK_INT(papi_stand_in_n_sets, 0);
}

/* PAPI's state belongs to the parent: the child's slices say that nothing is known. */
TEST(a_fork_does_not_count)
{
	struct ep_counters counters;
	int status = -1;
	pid_t pid;

	open_all(&counters, 1);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct ep_counters own = { .plan = &the_plan };
		struct ep_slice_counts out;
		int rc = ep_source_papi.open(&own, 0);

		ep_source_papi.start(&own, 0);
		ep_source_papi.stop(&own, 0, false, &out);
		ep_source_papi.close(&own);
		_exit(rc != -ENOSYS || out.did_run || papi_stand_in_n_sets != 2);
	}
	waitpid(pid, &status, 0);
	CHECK_INT(status, 0);
	ep_source_papi.close(&counters);
}

/* The next program finds the plan in the trace: by name, since codes are a process's own. */
TEST(a_plan_is_taken_up_again)
{
	struct ep_counters counters;
	struct ep_slice_counts out;
	struct ep_error err = { 0 };

	CHECK_INT(prepare("PAPI_TOT_INS,net:::eth0:rx:bytes", &err), 0);
	ep_recording.plan = the_plan;
	ep_recording.plan.events[0].column = ep_recording.plan.events[1].column = 0;
	CHECK_INT(ep_source_papi.resume(&ep_recording.plan, NULL, &err), 0);
	counters = (struct ep_counters){ .plan = &ep_recording.plan, .is_first = true };
	CHECK_INT(ep_source_papi.open(&counters, 0), 0);
	ep_source_papi.start(&counters, 0);
	ep_source_papi.stop(&counters, 0, false, &out);
	CHECK_INT(out.values[0], 400);
	CHECK_INT(out.values[1], 17);
	ep_source_papi.close(&counters);
	snprintf(
		ep_recording.plan.events[1].name, sizeof(ep_recording.plan.events[1].name), "gone");
	CHECK_INT(ep_source_papi.resume(&ep_recording.plan, NULL, &err), -ENOENT);
	CHECK(strstr(err.message, "PAPI does not know 'gone' any more"));
}
