// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/text/short_names.h"

#include <stdio.h>
#include <string.h>

#include "reporter/facts/builder.h"
#include "reporter/text/layout.h"

static bool is_operator(const char *name, size_t at)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	while (at && strchr("<>-=", name[at - 1]))
		at--;
	return at >= n && !memcmp(name + at - n, word, n);
}

/* Copies name; the text inside its outermost <> is replaced by the ellipsis. */
static void shorten_templates(char *out, size_t size, const char *name, const char *ellipsis)
{
	size_t at = 0;
	uint32_t depth = 0;

	for (size_t i = 0; name[i] && at + strlen(ellipsis) + 2 < size; i++) {
		bool is_bracket = (name[i] == '<' || name[i] == '>') && !is_operator(name, i) &&
				  !(name[i] == '>' && i && name[i - 1] == '-');

		if (is_bracket && name[i] == '<' && !depth++)
			at += snprintf(out + at, size - at, "<%s", ellipsis);
		else if (is_bracket && name[i] == '>' && depth)
			depth--;
		else if (depth)
			continue;
		if (!depth)
			out[at++] = name[i];
	}
	out[at] = '\0';
}

/* Returns the part of name after its first namespace, or NULL where no class or namespace would be
 * left before the procedure. */
static const char *without_first_namespace(const char *name)
{
	const char *first = strstr(name, "::");
	size_t head = first ? (size_t)(first - name) : 0;

	if (!first || strcspn(name, "<( ") < head || !strstr(first + 2, "::"))
		return NULL;
	return first + 2;
}

/* Removes namespaces from the left until the name fits. In physics::solvers::Laplace<...>::apply, Laplace says
 * more than physics. */
static void drop_namespaces(char *name, size_t size, uint32_t width, const char *ellipsis)
{
	const char *rest = name;
	char kept[1024];

	while (ep_text_width(rest) + (rest == name ? 0 : ep_text_width(ellipsis) + 2) > width) {
		const char *next = without_first_namespace(rest);

		if (!next)
			break;
		rest = next;
	}
	if (rest == name || strlen(rest) >= sizeof(kept))
		return;
	snprintf(kept, sizeof(kept), "%s", rest);
	snprintf(name, size, "%s::%s", ellipsis, kept);
}

/* ---- Rust's methods: <Type as Trait>::method ---- */

/* Finds where the bracket at the beginning of name is closed; NULL: it is not closed. */
static const char *closing_bracket(const char *name)
{
	uint32_t depth = 0;

	for (const char *at = name; *at; at++) {
		depth += *at == '<';
		if (*at == '>' && at[-1] != '-' && !--depth)
			return at;
	}
	return NULL;
}

/* Finds the " as " between type and trait before end; NULL: there is none. */
static const char *find_as(const char *type, const char *end)
{
	int depth = 0;

	for (const char *at = type; at + 4 < end; at++) {
		depth += strchr("<([", *at) ? 1 : strchr(">)]", *at) && at[-1] != '-' ? -1 : 0;
		if (!depth && !strncmp(at, " as ", 4))
			return at;
	}
	return NULL;
}

/* Shortens a type: core::slice::Iter<'_, T> becomes Iter<...>. A type that does not begin with a path keeps its
 * beginning. */
static void shorten_type(
	const char *type, const char *end, const char *ellipsis, char *out, size_t size)
{
	char text[512];
	const char *last = text;

	snprintf(text, sizeof(text), "%.*s", (int)(end - type), type);
	for (char *next; (next = strstr(last, "::")) && next < last + strcspn(last, "<(&[{*");)
		last = next + 2;
	shorten_templates(out, size, last, ellipsis);
}

/* Shortens a name of the form <Type as Trait>::method, as Rust has it. False: the name has another form. */
static bool shorten_method(
	const char *name, uint32_t width, const char *ellipsis, char *out, size_t size)
{
	const char *end = name[0] == '<' ? closing_bracket(name) : NULL, *as;
	char type[256], trait[256] = "", method[512];

	if (!end || strncmp(end, ">::", 3))
		return false;
	as = find_as(name + 1, end);
	shorten_type(name + 1, as ? as : end, ellipsis, type, sizeof(type));
	if (as)
		shorten_type(as + 4, end, ellipsis, trait, sizeof(trait));
	shorten_templates(method, sizeof(method), end + 1, ellipsis);
	snprintf(out, size, "<%s%s%s>%s", type, as ? " as " : "", trait, method);
	if (as && ep_text_width(out) > width)
		snprintf(out, size, "<%s>%s", type, method);
	return true;
}

void ep_name_fit(const char *name, uint32_t width, const char *ellipsis, char *out, size_t size)
{
	if (ep_text_width(name) <= width) {
		snprintf(out, size, "%s", name);
		return;
	}
	if (shorten_method(name, width, ellipsis, out, size))
		return;
	shorten_templates(out, size, name, ellipsis);
	drop_namespaces(out, size, width, ellipsis);
}
