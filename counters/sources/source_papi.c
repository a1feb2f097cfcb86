// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts events of all components of the installed PAPI (perf_event, rapl, powercap, net, io, sde, ...). PAPI is loaded
 * only when the user asks for this source: it takes 0.7 ms to start, and uses descriptors with low numbers and memory
 * of the program's heap.
 *
 * perf_event counts every thread. The counts of other components are of the machine or the process: the main thread of
 * each process reads them, and other threads add 0. PAPI does not work in the child of a fork (its state belongs to the
 * parent); a program that is started by exec begins anew.
 */
#include <dlfcn.h>
#include <errno.h>
#include <papi.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/os/large.h"
#include "common/os/sys.h"
#include "source.h"

#define MAX_SETS 16
#define LAST_LOW_FD 1024

#define PAPI_FUNCTIONS(X)                                                                          \
	X(PAPI_library_init)                                                                       \
	X(PAPI_thread_init)                                                                        \
	X(PAPI_register_thread)                                                                    \
	X(PAPI_unregister_thread)                                                                  \
	X(PAPI_event_name_to_code)                                                                 \
	X(PAPI_get_event_info)                                                                     \
	X(PAPI_get_component_info)                                                                 \
	X(PAPI_num_components)                                                                     \
	X(PAPI_create_eventset)                                                                    \
	X(PAPI_add_event)                                                                          \
	X(PAPI_start)                                                                              \
	X(PAPI_read)                                                                               \
	X(PAPI_stop)                                                                               \
	X(PAPI_cleanup_eventset)                                                                   \
	X(PAPI_destroy_eventset)                                                                   \
	X(PAPI_strerror)

#define DECLARE(name) static __typeof__(&name) p##name;
PAPI_FUNCTIONS(DECLARE)

/* The plan's events of one component. Each thread has a PAPI event set with the same events. */
static struct set {
	int component;
	bool is_per_thread;
	uint32_t n_events;
	uint8_t events[EP_GROUP_MAX_EVENTS];
} sets[MAX_SETS] EP_LARGE;
static uint32_t n_sets;
static int papi_pid; /* the process in which PAPI was started */
/* The thread that has started PAPI. PAPI knows this thread already, and the thread must not be unregistered at its end:
 * PAPI 7.0 crashes in the next call after that. */
static int papi_tid;

static int load(struct ep_error *err)
{
	static const char *const names[] = { "libpapi.so", "libpapi.so.7.0", "libpapi.so.7",
		"libpapi.so.6.0", "libpapi.so.6" };
	void *library = NULL;

	for (size_t i = 0; !library && i < EP_ARRAY_SIZE(names); i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return ep_fail(err, -ENOSYS, "PAPI is not installed (apt-get install libpapi7.0)");
#define FIND(name)                                                                                 \
	p##name = (__typeof__(&name))dlsym(library, #name);                                        \
	if (!p##name)                                                                              \
		return ep_fail(err, -ENOSYS, "the installed PAPI has no " #name);
	PAPI_FUNCTIONS(FIND)
	return 0;
}

static unsigned long thread_id(void)
{
	return ep_sys_gettid();
}

static int start_papi(struct ep_error *err)
{
	int rc = load(err), version;

	if (rc)
		return rc;
	version = pPAPI_library_init(PAPI_VER_CURRENT);
	if (version < 0 || PAPI_VERSION_MAJOR(version) != PAPI_VERSION_MAJOR(PAPI_VER_CURRENT))
		return ep_fail(err, -EPROTO, "PAPI does not start: %s",
			version < 0 ? pPAPI_strerror(version)
				    : "another version than evprof was built with");
	pPAPI_thread_init(thread_id);
	papi_pid = ep_sys_getpid();
	papi_tid = ep_sys_gettid();
	return 0;
}

static struct set *find_set(int component)
{
	const PAPI_component_info_t *info;

	for (uint32_t i = 0; i < n_sets; i++)
		if (sets[i].component == component)
			return &sets[i];
	if (n_sets == MAX_SETS)
		return NULL;
	info = pPAPI_get_component_info(component);
	sets[n_sets] = (struct set){ .component = component };
	sets[n_sets].is_per_thread = info && !strncmp(info->name, "perf_event", 11);
	return &sets[n_sets++];
}

/* Tries to count an event for a moment, since PAPI lists events that it cannot count. Returns PAPI's result. */
static int try_event(int code)
{
	int set = PAPI_NULL, rc = pPAPI_create_eventset(&set);
	long long value;

	if (rc == PAPI_OK)
		rc = pPAPI_add_event(set, code);
	if (rc == PAPI_OK)
		rc = pPAPI_start(set);
	if (rc == PAPI_OK)
		rc = pPAPI_stop(set, &value);
	pPAPI_cleanup_eventset(set);
	pPAPI_destroy_eventset(&set);
	return rc;
}

static int add_event(struct ep_plan *plan, const char *name)
{
	struct ep_event event = { .flags = EP_EVENT_ALWAYS, .unit = "count" };
	PAPI_event_info_t info;
	int code, rc;
	struct set *set;

	rc = pPAPI_event_name_to_code(name, &code);
	if (rc == PAPI_OK)
		rc = try_event(code);
	if (rc == PAPI_OK)
		rc = pPAPI_get_event_info(code, &info);
	if (rc != PAPI_OK)
		return rc;
	set = find_set(info.component_index);
	if (!set || set->n_events == EP_GROUP_MAX_EVENTS || plan->n_events == EP_GROUP_MAX_EVENTS)
		return PAPI_ECOUNT;
	snprintf(event.name, sizeof(event.name), "%s", name);
	if (info.units[0])
		snprintf(event.unit, sizeof(event.unit), "%.7s", info.units);
	event.column = (uint32_t)code;
	set->events[set->n_events++] = ep_plan_add_event(plan, &event);
	return PAPI_OK;
}

/* Returns the component with which a name begins, as in "rapl:::...". Presets, and names without a component, belong to
 * the first component, perf_event. */
static int component_of(const char *name)
{
	const char *colon = strstr(name, ":::");

	for (int i = 0; colon && i < pPAPI_num_components(); i++) {
		const PAPI_component_info_t *info = pPAPI_get_component_info(i);

		if (info && !strncmp(info->short_name, name, (size_t)(colon - name)))
			return i;
	}
	return 0;
}

static const char *explain(const char *name, int rc)
{
	const PAPI_component_info_t *info = pPAPI_get_component_info(component_of(name));

	if (rc == PAPI_ECMP_DISABLED && info && info->disabled_reason[0])
		return info->disabled_reason;
	return pPAPI_strerror(rc);
}

static int want_event(const char *name, int group, void *argument)
{
	struct ep_plan *plan = argument;
	const char *bare = strncmp(name, "papi:::", 7) ? name : name + 7;
	int rc = add_event(plan, bare);

	(void)group;
	if (rc != PAPI_OK)
		ep_plan_note(
			plan, "event '%s' is not counted: PAPI says %s", name, explain(bare, rc));
	return 0;
}

static int prepare(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	uint8_t events[EP_GROUP_MAX_EVENTS];
	int rc = start_papi(err);

	if (rc)
		return rc;
	n_sets = 0;
	ep_plan_split(settings->events[0] ? settings->events : "PAPI_TOT_CYC,PAPI_TOT_INS",
		want_event, plan);
	if (!plan->n_events)
		return ep_fail(
			err, -ENOENT, "PAPI counts none of the events here: %s", plan->notes);
	for (uint32_t i = 0; i < plan->n_events; i++)
		events[i] = i;
	return ep_plan_add_group(plan, events, plan->n_events);
}

/* Looks the events up again, since the codes in the plan are those of PAPI in another process. */
static int resume(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	int rc = start_papi(err), code;

	(void)settings;
	n_sets = 0;
	for (uint32_t i = 0; i < plan->n_events && !rc; i++) {
		PAPI_event_info_t info;
		struct set *set = NULL;

		if (pPAPI_event_name_to_code(plan->events[i].name, &code) == PAPI_OK &&
			pPAPI_get_event_info(code, &info) == PAPI_OK)
			set = find_set(info.component_index);
		if (!set)
			return ep_fail(err, -ENOENT, "PAPI does not know '%s' any more",
				plan->events[i].name);
		plan->events[i].column = (uint32_t)code;
		set->events[set->n_events++] = i;
	}
	return rc;
}

/* Sets close-on-exec for PAPI's descriptors; otherwise a program that is started by exec would inherit running
 * counters. */
static void close_on_exec(void)
{
	char link[32], target[16];

	for (int fd = 3; fd < LAST_LOW_FD; fd++) {
		if (ep_sys_fcntl(fd, F_GETFD, 0) != 0)
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		if (ep_sys_readlink(link, target, sizeof(target)) == sizeof(target) &&
			!memcmp(target, "anon_inode:[perf", sizeof(target)))
			ep_sys_fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
}

static bool counts_here(const struct ep_counters *counters, const struct set *set)
{
	return set->is_per_thread || counters->is_first;
}

/* Opens an event set. Its handle is kept where other sources keep a descriptor. */
static int open_set(struct ep_counters *counters, uint32_t set_idx)
{
	const struct set *set = &sets[set_idx];
	int handle = PAPI_NULL, rc = pPAPI_create_eventset(&handle);

	for (uint32_t i = 0; i < set->n_events && rc == PAPI_OK; i++)
		rc = pPAPI_add_event(handle, (int)counters->plan->events[set->events[i]].column);
	if (rc == PAPI_OK)
		rc = pPAPI_start(handle);
	counters->fds[set_idx] = rc == PAPI_OK ? handle : PAPI_NULL;
	return rc == PAPI_OK ? 0 : -EIO;
}

static int open_counters(struct ep_counters *counters, uint32_t first_group)
{
	int rc = 0;

	(void)first_group;
	counters->is_open = papi_pid == ep_sys_getpid();
	if (!counters->is_open)
		return -ENOSYS;
	if (ep_sys_gettid() != papi_tid)
		pPAPI_register_thread();
	for (uint32_t i = 0; i < n_sets; i++) {
		counters->fds[i] = PAPI_NULL;
		if (counts_here(counters, &sets[i]))
			rc = open_set(counters, i) ? -EIO : rc;
	}
	close_on_exec();
	return rc;
}

static void take(const struct ep_counters *counters, uint64_t *values)
{
	long long read[EP_GROUP_MAX_EVENTS];

	memset(values, 0, counters->plan->n_events * sizeof(*values));
	for (uint32_t i = 0; i < n_sets; i++) {
		if (counters->fds[i] == PAPI_NULL || pPAPI_read(counters->fds[i], read) != PAPI_OK)
			continue;
		for (uint32_t k = 0; k < sets[i].n_events; k++)
			values[sets[i].events[k]] = read[k] < 0 ? 0 : read[k];
	}
}

static void start(struct ep_counters *counters, uint32_t group)
{
	(void)group;
	if (counters->is_open)
		take(counters, counters->base);
}

static void stop(struct ep_counters *counters, uint32_t group_idx, bool is_remote,
	struct ep_slice_counts *out)
{
	uint32_t n = counters->plan->groups[group_idx].n_events;

	out->enabled_ns = out->running_ns = 0;
	out->did_run = counters->is_open && !is_remote;
	if (!out->did_run)
		return;
	take(counters, out->values);
	for (uint32_t i = 0; i < n; i++)
		out->values[i] =
			out->values[i] > counters->base[i] ? out->values[i] - counters->base[i] : 0;
}

static void close_counters(struct ep_counters *counters)
{
	long long values[EP_GROUP_MAX_EVENTS];

	for (uint32_t i = 0; counters->is_open && i < n_sets; i++) {
		int handle = counters->fds[i];

		if (handle == PAPI_NULL)
			continue;
		pPAPI_stop(handle, values);
		pPAPI_cleanup_eventset(handle);
		pPAPI_destroy_eventset(&handle);
	}
	if (counters->is_open && papi_pid == ep_sys_getpid() && ep_sys_gettid() != papi_tid)
		pPAPI_unregister_thread();
	counters->is_open = false;
}

const struct ep_source ep_source_papi = {
	.name = "papi",
	.period_ns = 0,
	.prepare = prepare,
	.resume = resume,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
};
