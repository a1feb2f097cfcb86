// SPDX-License-Identifier: BSD-3-Clause
/*
 * Encodes names of perf events into fields of perf_event_attr: the kernel's own names, raw codes, sysfs, and libpfm4
 * for all others. Runs while the library starts and in the launcher; single-threaded.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "event.h"
#include "perf_names.h"
#include "perf_sysfs.h"
#include "pfm.h"
#include "suggest.h"

struct modifiers {
	bool user, kernel, hypervisor;
};

static const char *skip_perf(const char *name)
{
	if (!strncmp(name, "perf:::", 7))
		return name + 7;
	return strncmp(name, "perf::", 6) ? name : name + 6;
}

/* Removes ":u", ":k", ":h" or ":uk" from the end of name, and notes these modifiers. No unit mask of libpfm4 has such a
 * name. */
static void take_modifiers(char *name, struct modifiers *out_modifiers)
{
	for (;;) {
		size_t size = strlen(name), n_letters = 0;

		while (n_letters < size && strchr("ukh", name[size - 1 - n_letters]))
			n_letters++;
		char *last = name + size - n_letters;
		/* Letters after a slash are perf's form of modifiers: pmu/event/u. */
		if (!n_letters || last == name || (last[-1] != ':' && last[-1] != '/'))
			return;
		out_modifiers->user |= strchr(last, 'u') != NULL;
		out_modifiers->kernel |= strchr(last, 'k') != NULL;
		out_modifiers->hypervisor |= strchr(last, 'h') != NULL;
		if (last[-1] == '/')
			*last = '\0';
		else
			last[-1] = '\0';
	}
}

static void set_exclusions(const struct modifiers *modifiers, struct ep_event *event)
{
	if (!modifiers->user && !modifiers->kernel && !modifiers->hypervisor)
		return;
	event->exclude_user = !modifiers->user;
	event->exclude_kernel = !modifiers->kernel;
	event->exclude_hv = !modifiers->hypervisor;
}

/* Encodes a name of the form rHEX. Returns 0, or -ENOENT where name has another form. */
static int encode_raw(const char *name, struct ep_event *event)
{
	uint64_t code = 0;
	size_t size = strlen(name);

	if (name[0] != 'r' || size < 2 || size > 17)
		return -ENOENT;
	for (const char *at = name + 1; *at; at++) {
		char c = *at | 0x20;

		if (*at >= '0' && *at <= '9')
			code = code << 4 | (uint64_t)(*at - '0');
		else if (c >= 'a' && c <= 'f')
			code = code << 4 | (uint64_t)(c - 'a' + 10);
		else
			return -ENOENT;
	}
	event->type = PERF_TYPE_RAW;
	event->config = code;
	return 0;
}

/* ---- libpfm4 ---- */

static int is_present(const pfm_pmu_info_t *pmu, void *data)
{
	return pmu->is_present;
}

static void suggest_event(const pfm_event_info_t *event, const pfm_pmu_info_t *pmu, void *data)
{
	struct ep_suggest *suggest = data;
	const char *colons = strstr(suggest->wanted, "::");
	char full[EP_EVENT_NAME_BYTES];

	snprintf(full, sizeof(full), "%s::%s", pmu->name, event->name);
	/* If the user wrote the name of a PMU, that name is compared, too. */
	ep_suggest_add(suggest, colons ? full : event->name, colons ? full : event->name);
}

/* Suggests unit masks where the event's name is right but its mask is not. */
static void suggest_masks(
	const struct ep_pfm *pfm, int idx, const char *event_name, struct ep_suggest *suggest)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_event_attr_info_t attr = { .size = sizeof(attr) };

	if (pfm->get_event_info(idx, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
		return;
	for (int i = 0; i < event.nattrs; i++) {
		char full[2 * EP_EVENT_NAME_BYTES];

		if (pfm->get_event_attr_info(idx, i, PFM_OS_PERF_EVENT, &attr) != PFM_SUCCESS ||
			attr.type != PFM_ATTR_UMASK)
			continue;
		snprintf(full, sizeof(full), "%s:%s", event_name, attr.name);
		ep_suggest_add(suggest, full, full);
	}
}

static void cut_masks(const char *name, char out[EP_EVENT_NAME_BYTES])
{
	const char *colons = strstr(name, "::");
	const char *from = colons ? colons + 2 : name;

	snprintf(out, EP_EVENT_NAME_BYTES, "%.*s", (int)(from - name + strcspn(from, ":")), name);
}

/* If the name before "::" is a PMU that libpfm4 knows but this machine does not have, reports this and returns -ENOENT.
 * Returns 0 if not. */
static int other_pmu(const struct ep_pfm *pfm, const char *name, struct ep_error *err)
{
	const char *colons = strstr(name, "::");
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	size_t size = colons ? (size_t)(colons - name) : 0;

	for (int i = PFM_PMU_NONE; colons && i < PFM_PMU_MAX; i++) {
		if (pfm->get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS || pmu.is_present ||
			strlen(pmu.name) != size || strncmp(pmu.name, name, size))
			continue;
		return ep_fail(err, -ENOENT, "event '%s': this machine has no PMU '%s' (%s)", name,
			pmu.name, pmu.desc);
	}
	return 0;
}

static int is_core(const pfm_pmu_info_t *pmu, void *data)
{
	bool *found = data;

	*found |= pmu->is_present && pmu->type == PFM_PMU_TYPE_CORE;
	return 0;
}

static const char *hint(const struct ep_pfm *pfm)
{
	bool found = false;

	ep_pfm_walk(pfm, is_core, NULL, &found);
	return found ? "'evprof list' shows them" : "libpfm4 has no table for this CPU";
}

static int unknown_event(const struct ep_pfm *pfm, const char *name, struct ep_error *err)
{
	struct ep_suggest suggest;
	char names[4 * EP_EVENT_NAME_BYTES], event[EP_EVENT_NAME_BYTES];

	if (!err) /* without err no names are suggested: to compare thousands would take 0.3 ms */
		return pfm ? -ENOENT : -ENOSYS;
	int rc = pfm ? other_pmu(pfm, name, err) : 0;
	if (rc)
		return rc;
	ep_suggest_init(&suggest, name);
	cut_masks(name, event);
	int idx = pfm ? pfm->find_event(event) : -1;
	if (idx >= 0) {
		suggest_masks(pfm, idx, event, &suggest);
		return ep_fail(err, -ENOENT, "event '%s' needs another unit mask%s%s", name,
			suggest.n_names ? "; nearest: " : " ('evprof list' names them)",
			ep_suggest_text(&suggest, names, sizeof(names)));
	}
	ep_suggest_init(&suggest, event);
	ep_perf_names_suggest(&suggest);
	if (pfm)
		ep_pfm_walk(pfm, is_present, suggest_event, &suggest);
	ep_suggest_text(&suggest, names, sizeof(names));
	if (!pfm)
		return ep_fail(err, -ENOSYS,
			"event '%s' is not a name of the kernel's%s%s; libpfm4, which knows the CPU's, is not installed (apt-get install libpfm4)",
			name, names[0] ? "; nearest: " : "", names);
	return ep_fail(err, -ENOENT, "no event '%s' on this machine; %s%s", name,
		names[0] ? "nearest: " : hint(pfm), names);
}

static int encode_pfm(const char *name, struct ep_event *event, struct ep_error *err)
{
	const struct ep_pfm *pfm = ep_pfm_load();
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t args = { .attr = &attr, .size = sizeof(args) };

	if (!pfm)
		return unknown_event(NULL, name, err);
	int rc = pfm->get_os_event_encoding(
		name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT, &args);
	if (rc == PFM_ERR_NOTFOUND || rc == PFM_ERR_UMASK || rc == PFM_ERR_ATTR)
		return unknown_event(pfm, name, err);
	if (rc != PFM_SUCCESS)
		return ep_fail(
			err, -EINVAL, "event '%s': libpfm4 says: %s", name, pfm->strerror(rc));
	event->type = attr.type;
	event->config = attr.config;
	event->config1 = attr.config1;
	event->config2 = attr.config2;
	return 0;
}

static int encode_plain(const char *name, struct ep_event *event, struct ep_error *err)
{
	if (ep_perf_sysfs_is(name))
		return ep_perf_sysfs_encode(EP_PERF_SYSFS, name, event, err);
	if (!ep_perf_name_find(skip_perf(name), event) || !encode_raw(name, event))
		return 0;
	return encode_pfm(name, event, err);
}

static int encode_named(const char *name, struct ep_event *out_event, struct ep_error *err)
{
	struct ep_event event = { .unit = "count" };
	struct modifiers modifiers = { false, false, false };
	char plain[EP_EVENT_NAME_BYTES];

	if (!name[0])
		return ep_fail(err, -EINVAL,
			"the list of events has an empty name: expected names with commas between");
	if (strlen(name) >= sizeof(event.name))
		return ep_fail(err, -EINVAL, "event '%.60s...' is longer than %d bytes", name,
			EP_EVENT_NAME_BYTES - 1);
	strcpy(event.name, name);
	strcpy(plain, name);
	take_modifiers(plain, &modifiers);
	if (!plain[0])
		return ep_fail(
			err, -EINVAL, "event '%s' has modifiers, but no name before them", name);
	int rc = encode_plain(plain, &event, err);
	if (rc)
		return rc;
	if (event.type == PERF_TYPE_SOFTWARE || event.type == PERF_TYPE_TRACEPOINT)
		event.flags |= EP_EVENT_SOFTWARE;
	set_exclusions(&modifiers, &event);
	/* Apple's PMU refuses events without exclude_guest, and so do all PMUs while KVM lends counters to its guests
	 * (is_include_guest_event() of Linux). Software events do not distinguish guests. */
	event.exclude_guest = !(event.flags & EP_EVENT_SOFTWARE);
	*out_event = event;
	return 0;
}

/* Returns the code in NAME=rHEX; NULL: the name has none. */
static const char *find_code(const char *name)
{
	const char *equals = strrchr(name, '=');
	struct ep_event event;

	return equals && equals > name && !encode_raw(equals + 1, &event) ? equals + 1 : NULL;
}

int ep_perf_encode(const char *name, struct ep_event *out_event, struct ep_error *err)
{
	const char *code = find_code(name);
	char bare[EP_EVENT_NAME_BYTES];
	int rc;

	if (!code || code - name > (int)sizeof(bare))
		return encode_named(name, out_event, err);
	snprintf(bare, sizeof(bare), "%.*s", (int)(code - name - 1), name);
	rc = encode_named(code, out_event, err);
	if (!rc)
		memcpy(out_event->name, bare, sizeof(bare));
	return rc;
}
