// SPDX-License-Identifier: BSD-3-Clause
/*
 * A process of a tree that is already recorded takes plan, source, clock and period from the META block of the tree's
 * root, the first block of the trace. Runs while a process starts.
 */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/os/plain_text.h"
#include "common/os/sys.h"
#include "meta.h"
#include "process.h"

struct root_reader {
	struct ep_meta_root *root;
	char source[64];
	char clock[32];
	uint64_t period_ns;
	uint64_t calls_ns;
	struct ep_plan *plan;
};

/* Ends the text at its last colon. Returns the part after that colon, or NULL if there is no colon. */
static char *cut_at_last_colon(char *text)
{
	size_t at = strlen(text);

	while (at && text[at - 1] != ':')
		at--;
	if (!at)
		return NULL;
	text[at - 1] = '\0';
	return text + at;
}

static void read_run(struct root_reader *reader, char *value)
{
	char *start = cut_at_last_colon(value), *pid = start ? cut_at_last_colon(value) : NULL;

	if (!pid)
		return;
	ep_plain_copy(reader->root->host, sizeof(reader->root->host), value);
	reader->root->pid = (int)ep_plain_read(pid, 10, NULL);
	reader->root->start_ticks = ep_plain_read(start, 10, NULL);
}

static void read_pid_ns(struct root_reader *reader, char *value)
{
	ep_plain_copy(reader->root->pid_ns, sizeof(reader->root->pid_ns), value);
}

static void read_event(struct root_reader *reader, char *value)
{
	struct ep_event event = { 0 };
	char *fields[4] = { value };

	for (int i = 1; i < 4; i++) {
		fields[i] = strchr(fields[i - 1], '\t');
		if (!fields[i])
			return;
		*fields[i]++ = '\0';
	}
	ep_plain_copy(event.name, sizeof(event.name), fields[1]);
	ep_plain_copy(event.unit, sizeof(event.unit), fields[3]);
	event.flags = ep_meta_event_flags(fields[2]);
	ep_plan_add_event(reader->plan, &event);
}

static void read_attr(struct root_reader *reader, char *value)
{
	uint64_t fields[7];
	struct ep_event *event;
	const char *at = value;

	for (int i = 0; i < 7; i++)
		fields[i] = ep_plain_read(at, i >= 2 && i <= 4 ? 16 : 10, &at);
	if (fields[0] >= reader->plan->n_events)
		return;
	event = &reader->plan->events[fields[0]];
	event->type = fields[1];
	event->config = fields[2];
	event->config1 = fields[3];
	event->config2 = fields[4];
	event->exclude_user = fields[5] & 1;
	event->exclude_kernel = fields[5] & 2;
	event->exclude_hv = fields[5] & 4;
	event->exclude_guest = fields[5] & 8;
	event->column = fields[6];
}

static void read_group(struct root_reader *reader, char *value)
{
	uint8_t events[EP_GROUP_MAX_EVENTS];
	const char *at = strchr(value, '\t');
	uint32_t n = 0;

	while (at && at[0] && at[1] && n < EP_GROUP_MAX_EVENTS) {
		uint64_t event = ep_plain_read(at + 1, 10, &at);

		/* The trace may be damaged: a group that lists an event twice would have more counts than are read. */
		if (event >= reader->plan->n_events || memchr(events, (int)event, n))
			return;
		events[n++] = event;
	}
	/* A group may only be empty if the plan has no events: a source that counts nothing has one such group. */
	if (!at || (!n && reader->plan->n_events))
		return;
	if (ep_plan_add_group(reader->plan, events, n))
		reader->plan->n_groups =
			0; /* evprof never writes such a plan; apply_root refuses it */
}

static void read_output(struct root_reader *reader, char *value)
{
	ep_meta_unescape(value, strlen(value) + 1);
	ep_plain_copy(reader->root->output, sizeof(reader->root->output), value);
}

static void read_source(struct root_reader *reader, char *value)
{
	ep_plain_copy(reader->source, sizeof(reader->source), value);
}

static void read_clock(struct root_reader *reader, char *value)
{
	ep_plain_copy(reader->clock, sizeof(reader->clock), value);
}

static void read_period(struct root_reader *reader, char *value)
{
	reader->period_ns = ep_plain_read(value, 10, NULL);
}

static void read_calls(struct root_reader *reader, char *value)
{
	reader->calls_ns = ep_plain_read(value, 10, NULL);
}

static const struct {
	const char *key;
	void (*read)(struct root_reader *reader, char *value);
	bool is_plans;
} root_keys[] = {
	{ "run", read_run, false },
	{ "pid_ns", read_pid_ns, false },
	{ "output", read_output, false },
	{ "source", read_source, true },
	{ "clock", read_clock, true },
	{ "period_ns", read_period, true },
	{ "calls_ns", read_calls, true },
	{ "event", read_event, true },
	{ "attr", read_attr, true },
	{ "group", read_group, true },
};

static void read_value(struct root_reader *reader, const struct ep_meta_line *line,
	void (*read)(struct root_reader *reader, char *value))
{
	char value[4096];
	size_t size = line->value_size < sizeof(value) ? line->value_size : sizeof(value) - 1;

	memcpy(value, line->value, size);
	value[size] = '\0';
	read(reader, value);
}

static void read_line(struct root_reader *reader, const struct ep_meta_line *line)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(root_keys); i++)
		if ((reader->plan || !root_keys[i].is_plans) &&
			strlen(root_keys[i].key) == line->key_size &&
			!strncmp(root_keys[i].key, line->key, line->key_size))
			read_value(reader, line, root_keys[i].read);
}

static bool is_period(uint64_t ns)
{
	return ns >= EP_PERIOD_MIN_NS && ns <= EP_PERIOD_MAX_NS;
}

static int apply_root(const struct root_reader *reader)
{
	ep_recording.source = ep_source_find(reader->source);
	ep_recording.clock_kind = EP_CLOCK_NONE;
	for (int kind = EP_CLOCK_TASK; kind <= EP_CLOCK_MIXED; kind++)
		if (!strcmp(ep_clock_name(kind), reader->clock))
			ep_recording.clock_kind = kind;
	ep_recording.period_ns = reader->period_ns;
	ep_recording.calls_ns = reader->calls_ns;
	ep_process.root_pid = reader->root->pid;
	ep_process.root_start_ticks = reader->root->start_ticks;
	if (!ep_recording.source || !ep_recording.clock_kind || !reader->plan->n_groups ||
		!is_period(reader->period_ns) || (reader->calls_ns && !is_period(reader->calls_ns)))
		return -EBADMSG;
	return 0;
}

/* The root's META block is stored without compression (one stored deflate block in its gzip member), so that it can be
 * read without the memory that inflate needs. */
#define STORED_AT 23 /* an offset: after 18 bytes of gzip header and 5 of deflate header */

/* Bytes of the first read. The member is seldom longer, and a larger read would mostly copy data after the member,
 * which are not needed. */
#define USUAL_BYTES 4096

static size_t read_member(int fd, uint8_t *member)
{
	long size = ep_sys(__NR_pread64, fd, member, USUAL_BYTES, 0);
	bool need_more = false;
	size_t member_size = size > 0 ? ep_member_size(member, (size_t)size, &need_more) : 0;

	if (!need_more)
		return member_size;
	size = ep_sys(__NR_pread64, fd, member, EP_MEMBER_MAX_BYTES, 0);
	return size > 0 ? ep_member_size(member, (size_t)size, &need_more) : 0;
}

static int read_first_block(int fd, uint8_t *member, struct ep_block *out_block)
{
	size_t at = 0, member_size = read_member(fd, member);

	if (member_size < STORED_AT + 8 || member[STORED_AT - 5] != 1)
		return -EBADMSG;
	if (ep_block_next(member + STORED_AT, member_size - STORED_AT - 8, &at, out_block) != 1 ||
		out_block->type != EP_BLOCK_META)
		return -EBADMSG;
	return 0;
}

/* Returns room for a member. While a process starts it has written nothing yet, so the output buffer is free. */
static uint8_t *take_room(void)
{
	uint8_t *packed = ep_recording.out.packed;

	return packed ? packed : ep_sys_map(EP_MEMBER_MAX_BYTES);
}

static void give_room(uint8_t *room)
{
	if (room != ep_recording.out.packed)
		ep_sys_unmap(room, EP_MEMBER_MAX_BYTES);
}

int ep_meta_read_root(int fd, bool apply, struct ep_meta_root *out_root)
{
	struct root_reader reader = { .root = out_root, .plan = apply ? &ep_recording.plan : NULL };
	uint8_t *member = take_room();
	struct ep_meta_line line;
	struct ep_block block;
	size_t at = 0;
	int rc;

	if (!member)
		return -ENOMEM;
	memset(out_root, 0, sizeof(*out_root));
	rc = read_first_block(fd, member, &block);
	while (!rc && ep_meta_next(&block, &at, &line) == 1)
		read_line(&reader, &line);
	if (!rc && apply)
		rc = apply_root(&reader);
	give_room(member);
	return rc;
}
