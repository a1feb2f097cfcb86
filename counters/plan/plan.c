// SPDX-License-Identifier: BSD-3-Clause
/* The table of events and groups. It is filled while a process starts, and constant afterwards. */
#include "plan.h"

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

/* If the last note is about events that are not counted for this reason, returns it and writes their quoted names to
 * out_names. Returns NULL if not. */
static char *find_same_reason(struct ep_plan *plan, const char *reason, char *out_names)
{
	static const char middle[] = " not counted: ";
	char *line = strrchr(plan->notes, '\n'), *note = line ? line + 1 : plan->notes;
	char *names = strchr(note, '\''), *end = strstr(note, middle);

	if (strncmp(note, "event", strlen("event")) || !names || !end || names > end ||
		strcmp(end + strlen(middle), reason))
		return NULL;
	while (end[-1] != '\'')
		end--;
	snprintf(out_names, EP_PLAN_NOTES_BYTES, "%.*s", (int)(end - names), names);
	return note;
}

void ep_plan_note_event(struct ep_plan *plan, const char *name, const char *reason)
{
	char names[EP_PLAN_NOTES_BYTES], quoted[EP_EVENT_NAME_BYTES + 2];
	char *note = find_same_reason(plan, reason, names);

	snprintf(quoted, sizeof(quoted), "'%s'", name);
	if (!note) {
		ep_plan_note(plan, "event %s is not counted: %s", quoted, reason);
	} else if (!strstr(names, quoted)) {
		note[note == plan->notes ? 0 : -1] =
			'\0'; /* removes the newline before the note, too */
		ep_plan_note(plan, "events %s, %s are not counted: %s", names, quoted, reason);
	}
}

bool ep_plan_has_triggers(const struct ep_plan *plan)
{
	for (uint32_t i = 0; i < plan->n_events; i++)
		if (plan->events[i].flags & EP_EVENT_TICKS)
			return true;
	return false;
}

bool ep_plan_has_column(const struct ep_plan *plan, uint32_t column)
{
	for (uint32_t i = 0; i < plan->n_events; i++)
		if (plan->events[i].column == column)
			return true;
	return false;
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
	if (n_events)
		memcpy(group->events, events, n_events);
	group->first_slot = plan->n_slots;
	plan->n_slots += n_events;
	plan->n_groups++;
	return 0;
}

/* Returns the length of the name at the start of text: up to ';', or up to a ',' that is not between slashes. */
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
