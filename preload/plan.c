// SPDX-License-Identifier: BSD-3-Clause
/* The table of events and groups. Filled while a process starts, then constant. */
#include "preload/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ep_plan_note(struct ep_plan *plan, const char *format, ...)
{
	size_t used = strlen(plan->notes);
	va_list args;

	if (used && used + 2 < sizeof(plan->notes))
		plan->notes[used++] = '\n';
	va_start(args, format);
	vsnprintf(plan->notes + used, sizeof(plan->notes) - used, format, args);
	va_end(args);
}

int ep_plan_add_event(struct ep_plan *plan, const struct ep_event *event)
{
	if (plan->n_events == EP_PLAN_MAX_EVENTS)
		return -1;
	plan->events[plan->n_events] = *event;
	return plan->n_events++;
}

int ep_plan_add_group(struct ep_plan *plan, const uint8_t *events, uint32_t n_events)
{
	struct ep_group *group = &plan->groups[plan->n_groups];

	if (plan->n_groups == EP_PLAN_MAX_GROUPS || n_events > EP_GROUP_MAX_EVENTS ||
		plan->n_slots + n_events > EP_PLAN_MAX_SLOTS)
		return -E2BIG;
	group->n_events = n_events;
	memcpy(group->events, events, n_events);
	group->first_slot = plan->n_slots;
	plan->n_slots += n_events;
	plan->n_groups++;
	return 0;
}

/* Length of the name at the start of text: up to ',' or ';', but not inside slashes. */
static size_t name_length(const char *text)
{
	bool inside = false;
	size_t n = 0;

	for (; text[n]; n++) {
		if (text[n] == '/')
			inside = !inside;
		if (text[n] == ';' || (text[n] == ',' && !inside))
			break;
	}
	return n;
}

int ep_plan_split(const char *text, ep_plan_name_fn callback, void *argument)
{
	int group = strchr(text, ';') ? 0 : -1, rc = 0;
	char name[EP_EVENT_NAME_BYTES];

	while (*text && !rc) {
		size_t size = name_length(text), n_skip = 0;

		while (n_skip < size && (text[n_skip] == ' ' || text[n_skip] == '\t'))
			n_skip++;
		if (size > n_skip) {
			snprintf(name, sizeof(name), "%.*s", (int)(size - n_skip), text + n_skip);
			rc = callback(name, group, argument);
		}
		text += size;
		if (*text == ';')
			group++;
		text += *text != '\0';
	}
	return rc;
}
