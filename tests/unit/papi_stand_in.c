// SPDX-License-Identifier: BSD-3-Clause
/*
 * PAPI's functions as test_source_papi.c wants them: a library of this name is loaded already when
 * the source looks for one. Three components: perf_event, whose counts are the thread's; net, whose
 * counts are the machine's; rapl, disabled. Every read of a running set counts one step on.
 */
#include <papi.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

enum { N_EVENTS = 4, MOST_SETS = 64 };

static const struct {
	const char *name, *units;
	int component;
	long long step;
} events[N_EVENTS] = {
	{ "PAPI_TOT_CYC", "", 0, 1000 }, { "PAPI_TOT_INS", "", 0, 400 },
	{ "net:::eth0:rx:bytes", "bytes", 1, 17 },
	{ "net:::eth0:tx:errors", "", 1, -3 }, /* goes below zero */
};

static struct set {
	int is_used, is_running, n_events;
	int events[8];
	long long n_reads;
} sets[MOST_SETS];

/* For the test: what is in use, and whether the library starts. */
VISIBLE int papi_stand_in_n_sets, papi_stand_in_n_threads, papi_stand_in_version = PAPI_VER_CURRENT;

VISIBLE int PAPI_library_init(int version)
{
	return papi_stand_in_version;
}

VISIBLE int PAPI_thread_init(unsigned long (*id)(void))
{
	return id() ? PAPI_OK : PAPI_EINVAL;
}

VISIBLE int PAPI_register_thread(void)
{
	papi_stand_in_n_threads++;
	return PAPI_OK;
}

VISIBLE int PAPI_unregister_thread(void)
{
	papi_stand_in_n_threads--;
	return PAPI_OK;
}

VISIBLE int PAPI_event_name_to_code(const char *name, int *out_code)
{
	for (int i = 0; i < N_EVENTS; i++)
		if (!strcmp(events[i].name, name)) {
			*out_code = 100 + i;
			return PAPI_OK;
		}
	return strncmp(name, "rapl:::", 7) ? PAPI_ENOEVNT : PAPI_ECMP_DISABLED;
}

VISIBLE int PAPI_get_event_info(int code, PAPI_event_info_t *out_info)
{
	memset(out_info, 0, sizeof(*out_info));
	out_info->component_index = events[code - 100].component;
	strcpy(out_info->units, events[code - 100].units);
	return PAPI_OK;
}

VISIBLE const PAPI_component_info_t *PAPI_get_component_info(int idx)
{
	static PAPI_component_info_t infos[3];
	static const char *const names[] = { "perf_event", "net", "rapl" };

	if (idx < 0 || idx > 2)
		return NULL;
	strcpy(infos[idx].name, names[idx]);
	strcpy(infos[idx].short_name, names[idx]);
	strcpy(infos[2].disabled_reason, "no permission to read MSRs");
	return &infos[idx];
}

VISIBLE int PAPI_num_components(void)
{
	return 3;
}

VISIBLE int PAPI_create_eventset(int *set)
{
	for (int i = 0; i < MOST_SETS; i++) {
		if (sets[i].is_used)
			continue;
		memset(&sets[i], 0, sizeof(sets[i]));
		sets[i].is_used = 1;
		papi_stand_in_n_sets++;
		*set = i;
		return PAPI_OK;
	}
	return PAPI_ENOMEM;
}

/* A set is of one component. */
VISIBLE int PAPI_add_event(int set, int code)
{
	struct set *s = &sets[set];

	if (s->n_events && events[s->events[0]].component != events[code - 100].component)
		return PAPI_EINVAL;
	s->events[s->n_events++] = code - 100;
	return PAPI_OK;
}

VISIBLE int PAPI_start(int set)
{
	sets[set].is_running = 1;
	return PAPI_OK;
}

VISIBLE int PAPI_read(int set, long long *values)
{
	if (!sets[set].is_running)
		return PAPI_ENOTRUN;
	sets[set].n_reads++;
	for (int i = 0; i < sets[set].n_events; i++)
		values[i] = events[sets[set].events[i]].step * sets[set].n_reads;
	return PAPI_OK;
}

VISIBLE int PAPI_stop(int set, long long *values)
{
	int rc = PAPI_read(set, values);

	sets[set].is_running = 0;
	return rc;
}

VISIBLE int PAPI_cleanup_eventset(int set)
{
	if (sets[set].is_running)
		return PAPI_EISRUN;
	sets[set].n_events = 0;
	return PAPI_OK;
}

VISIBLE int PAPI_destroy_eventset(int *set)
{
	if (sets[*set].n_events)
		return PAPI_EINVAL;
	sets[*set].is_used = 0;
	papi_stand_in_n_sets--;
	*set = PAPI_NULL;
	return PAPI_OK;
}

VISIBLE char *PAPI_strerror(int code)
{
	return (char *)(code == PAPI_ENOEVNT ? "Event does not exist" : "another error");
}
