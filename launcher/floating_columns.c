// SPDX-License-Identifier: BSD-3-Clause
/*
 * Callgrind's format (manual, "Callgrind Format Specification") with instructions is "ADDRESS LINE IR ...": both
 * positions are relative to those of the line before, and numbers in parentheses stand for names of objects. The file
 * is read twice, because its header has the sums of what follows. Used by the launcher only, in one thread.
 */
#include "floating_columns.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/callgrind.h"
#include "common/cleanup.h"

#define MAX_OBJECTS (1u << 16)

struct floating_walk {
	struct ep_floating_code *code;
	FILE *out;    /* NULL: only sums are made */
	int *objects; /* (n_objects) the index in code, by callgrind's number; -1: not yet known */
	size_t n_objects;
	int object_idx; /* the current object */
	uint64_t address;
	size_t n_columns; /* how many columns callgrind wrote */
	bool has_instructions, is_call;
	uint64_t sums[EP_N_FLOATING_EVENTS];
};

/* ---- objects ---- */

static int *object_at(struct floating_walk *w, size_t number)
{
	size_t n = w->n_objects;
	int *bigger;

	if (number < n)
		return &w->objects[number];
	if (number >= MAX_OBJECTS)
		return NULL;
	bigger = realloc(w->objects, (number + 64) * sizeof(*bigger));
	if (!bigger)
		return NULL;
	w->objects = bigger;
	for (w->n_objects = number + 64; n < w->n_objects; n++)
		w->objects[n] = -1;
	return &w->objects[number];
}

/* Reads the name of an object: "(3) /usr/lib/libm.so.6" tells what 3 means, and "(3)" is the same object again. */
static int read_object(struct floating_walk *w, const char *text, int *out_idx)
{
	char *end;
	unsigned long number = *text == '(' ? strtoul(text + 1, &end, 10) : 0;
	int *object = *text == '(' ? object_at(w, number) : NULL;

	if (*text != '(')
		*out_idx = ep_floating_code_open(w->code, text);
	else if (!object || *end != ')')
		return -ENOMEM;
	else if (end[1] == ' ')
		*out_idx = *object = ep_floating_code_open(w->code, end + 2);
	else
		*out_idx = *object;
	return *out_idx == -ENOMEM ? -ENOMEM : 0;
}

/* ---- lines ---- */

static void put_zeros(struct floating_walk *w, size_t n)
{
	while (n--)
		fputs(" 0", w->out);
}

static size_t count_words(const char *text)
{
	size_t n = 0;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		text += strcspn(text, " ");
		n++;
	}
	return n;
}

static const char *skip_word(const char *text)
{
	text += strcspn(text, " ");
	return text + strspn(text, " ");
}

static void read_address(struct floating_walk *w, const char *text)
{
	char sign = *text;
	uint64_t value = strtoull(sign == '+' || sign == '-' ? text + 1 : text, NULL, 0);

	w->address = sign == '*'   ? w->address
		     : sign == '+' ? w->address + value
		     : sign == '-' ? w->address - value
				   : value;
}

static void take_costs(struct floating_walk *w, const char *line)
{
	const char *costs = skip_word(skip_word(line));
	bool is_call = w->is_call;

	w->is_call = false;
	read_address(w, line);
	if (w->out)
		fputs(line, w->out);
	if (is_call || !*costs)
		return;
	uint8_t class = w->object_idx < 0 ? EP_FLOATING_UNREAD
					  : ep_floating_code_at(w->code, w->object_idx, w->address);
	uint64_t n = strtoull(costs, NULL, 10);
	size_t n_costs = count_words(costs);

	if (class == EP_FLOATING_NONE || !n)
		return;
	w->sums[class] += n;
	if (!w->out)
		return;
	put_zeros(w, (n_costs < w->n_columns ? w->n_columns - n_costs : 0) + class);
	fprintf(w->out, " %" PRIu64, n);
}

static void take_events(struct floating_walk *w, const char *line)
{
	w->n_columns = count_words(line) - 1;
	if (!w->out)
		return;
	fputs(line, w->out);
	for (size_t i = 0; i < EP_N_FLOATING_EVENTS; i++)
		fprintf(w->out, " %s", ep_floating_events[i].column);
}

/* Writes the sums of the first walk into the header. This happens in the second walk. */
static void take_sums(struct floating_walk *w, const char *line, const uint64_t *sums)
{
	size_t n_words = count_words(line) - 1;

	if (!w->out)
		return;
	fputs(line, w->out);
	put_zeros(w, w->n_columns > n_words ? w->n_columns - n_words : 0);
	for (size_t i = 0; i < EP_N_FLOATING_EVENTS; i++)
		fprintf(w->out, " %" PRIu64, sums[i]);
}

static bool begins_with(const char *line, const char *begin)
{
	return !strncmp(line, begin, strlen(begin));
}

static int take_line(struct floating_walk *w, const char *line, const uint64_t *sums)
{
	int called_idx;

	if (isdigit((unsigned char)*line) || strchr("+-*", *line) != NULL) {
		if (*line)
			take_costs(w, line);
		return 0;
	}
	if (begins_with(line, "events: ")) {
		take_events(w, line);
		return 0;
	}
	if (begins_with(line, "summary: ") || begins_with(line, "totals: ")) {
		take_sums(w, line, sums);
		return 0;
	}
	if (w->out)
		fputs(line, w->out);
	w->has_instructions |= begins_with(line, "positions: instr line");
	w->is_call |= begins_with(line, "calls=");
	if (begins_with(line, "ob="))
		return read_object(w, line + strlen("ob="), &w->object_idx);
	if (begins_with(line, "cob="))
		return read_object(w, line + strlen("cob="), &called_idx);
	return 0;
}

static int walk(struct floating_walk *w, const char *text, const uint64_t *sums)
{
	EP_AUTOFREE char *line = NULL;
	size_t capacity = 0;
	int rc = 0;

	w->object_idx = -1;
	while (!rc && *text) {
		size_t size = strcspn(text, "\n");

		if (size + 1 > capacity) {
			free(line);
			capacity = 2 * size + 256;
			line = malloc(capacity);
			if (!line)
				return -ENOMEM;
		}
		memcpy(line, text, size);
		line[size] = '\0';
		rc = take_line(w, line, sums);
		text += size + (text[size] == '\n');
		if (w->out)
			fputc('\n', w->out);
	}
	free(w->objects);
	w->objects = NULL;
	w->n_objects = 0;
	return rc;
}

int ep_floating_columns_add(
	struct ep_floating_code *code, const char *text, char **out_text, size_t *out_size)
{
	struct floating_walk sums = { .code = code }, lines = { .code = code };
	EP_AUTOFREE char *result = NULL;
	size_t size;
	int rc = walk(&sums, text, NULL);

	*out_text = NULL;
	if (rc || !sums.has_instructions)
		return rc;
	lines.out = open_memstream(&result, &size);
	if (!lines.out)
		return -ENOMEM;
	rc = walk(&lines, text, sums.sums);
	if (fclose(lines.out) || rc)
		return -ENOMEM;
	*out_text = result;
	*out_size = size;
	result = NULL;
	return 0;
}
