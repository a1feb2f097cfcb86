// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loads PAPI and lists its components. Must not be used in profiled programs: PAPI's initialisation takes 5 MB of
 * memory, and opens descriptors without close-on-exec.
 */
#include "list_papi.h"

#include <dlfcn.h>
#include <errno.h>
#include <papi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

struct papi {
	int (*library_init)(int version);
	int (*num_components)(void);
	const PAPI_component_info_t *(*get_component_info)(int component);
	int (*enum_cmp_event)(int *code, int modifier, int component);
	int (*get_event_info)(int code, PAPI_event_info_t *info);
};

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	{ "PAPI_library_init", offsetof(struct papi, library_init) },
	{ "PAPI_num_components", offsetof(struct papi, num_components) },
	{ "PAPI_get_component_info", offsetof(struct papi, get_component_info) },
	{ "PAPI_enum_cmp_event", offsetof(struct papi, enum_cmp_event) },
	{ "PAPI_get_event_info", offsetof(struct papi, get_event_info) },
};

/* Loads the library of the header's version: other versions have different structures. */
static int load(struct papi *out_papi, struct ep_error *err)
{
	char name[32];

	snprintf(name, sizeof(name), "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
		PAPI_VERSION_MINOR(PAPI_VERSION));
	void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	for (size_t i = 0; handle && i < EP_ARRAY_SIZE(symbols); i++) {
		void *symbol = dlsym(handle, symbols[i].name);

		if (!symbol)
			return ep_fail(err, -ENOSYS, "%s lacks %s", name, symbols[i].name);
		*(void **)((char *)out_papi + symbols[i].offset) = symbol;
	}
	if (!handle)
		return ep_fail(err, -ENOSYS, "%s is not installed", name);
	if (out_papi->library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return ep_fail(err, -ENOSYS, "%s does not start", name);
	return 0;
}

/* Tells whether a PAPI of another version is installed, by the names that its library may have. */
static bool is_another_installed(void)
{
	static const char *const names[] = { "libpapi.so", "libpapi.so.7.2", "libpapi.so.7.1",
		"libpapi.so.7.0", "libpapi.so.6.0" };
	void *handle = NULL;

	for (size_t i = 0; !handle && i < EP_ARRAY_SIZE(names); i++)
		handle = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
	if (handle)
		dlclose(handle);
	return handle;
}

const char *ep_papi_state(void)
{
	static char text[160];
	unsigned major = PAPI_VERSION_MAJOR(PAPI_VERSION), minor = PAPI_VERSION_MINOR(PAPI_VERSION);
	void *handle;

	snprintf(text, sizeof(text), "libpapi.so.%u.%u", major, minor);
	handle = dlopen(text, RTLD_LAZY | RTLD_LOCAL);
	if (handle)
		dlclose(handle);
	else if (is_another_installed())
		snprintf(text, sizeof(text),
			"another version is installed than the %u.%u that evprof was built with: build again",
			major, minor);
	else
		snprintf(text, sizeof(text),
			"not installed (apt-get install libpapi%u.%u; optional)", major, minor);
	return text;
}

/* Tells whether a name has a modifier, such as "EVENT:period=0", which PAPI lists among the unit masks. */
static bool is_modified(const char *name)
{
	const char *last = strrchr(name, ':');

	return last && strchr(last, '=');
}

static void walk_component(
	const struct papi *papi, int component, const char *name, ep_papi_see_fn see, void *data)
{
	PAPI_event_info_t info;
	int code = PAPI_NATIVE_MASK;

	for (int rc = papi->enum_cmp_event(&code, PAPI_ENUM_FIRST, component); rc == PAPI_OK;
		rc = papi->enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		int mask = code;

		if (papi->get_event_info(code, &info) == PAPI_OK)
			see(name, info.symbol, info.long_descr, data);
		while (papi->enum_cmp_event(&mask, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK)
			if (papi->get_event_info(mask, &info) == PAPI_OK &&
				!is_modified(info.symbol))
				see(name, info.symbol, info.long_descr, data);
	}
}

int ep_papi_walk(ep_papi_see_fn see, void *data, struct ep_error *err)
{
	struct papi papi;

	int rc = load(&papi, err);
	if (rc)
		return rc;
	for (int i = 0; i < papi.num_components(); i++) {
		const PAPI_component_info_t *info = papi.get_component_info(i);

		if (!info)
			continue;
		/* Some components (PAPI_EDELAY_INIT) start only when their events are first listed. */
		if (!info->disabled || info->disabled == PAPI_EDELAY_INIT)
			walk_component(&papi, i, info->name, see, data);
		if (info->disabled)
			see(info->name, NULL, info->disabled_reason, data);
	}
	return 0;
}
