// SPDX-License-Identifier: BSD-3-Clause
/* Formula files from text. Any thread. */
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/formula/formula_keys.h"
#include "common/formula/parse.h"

enum { MAX_INCLUDE_DEPTH = 8 };

struct reader {
	const char *path;
	const char *at; /* start of the next line */
	unsigned line;  /* of at, from 1 */
	struct ep_formula_file file;
	const struct ep_formula_section *section; /* NULL before the first */
	void *entry;
	unsigned section_line;
	bool has_needed_key;
	struct ep_error *err;
};

/* A piece of a line: [begin, end), with its place. */
struct span {
	const char *begin, *end;
	unsigned line;
	const char *line_begin;
};

static struct ep_place place_of(const struct reader *r, const struct span *s)
{
	return (struct ep_place){ r->path, s->line, (unsigned)(s->begin - s->line_begin) + 1 };
}

static int fail_memory(const struct reader *r)
{
	return ep_fail(r->err, -ENOMEM, "out of memory");
}

static void trim(struct span *s)
{
	for (; s->begin < s->end && isspace((unsigned char)*s->begin); s->begin++)
		if (*s->begin == '\n') {
			s->line++;
			s->line_begin = s->begin + 1;
		}
	while (s->begin < s->end && isspace((unsigned char)s->end[-1]))
		s->end--;
}

static int shown_size(const struct span *s)
{
	return s->end - s->begin > 60 ? 60 : (int)(s->end - s->begin);
}

static bool is_continuation(const char *line)
{
	const char *c = line;

	while (*c == ' ' || *c == '\t')
		c++;
	return c > line && *c && *c != '\n' && *c != '\r';
}

/* The next line together with the indented ones behind it. */
static struct span take_line(struct reader *r)
{
	struct span s = { .begin = r->at, .line = r->line, .line_begin = r->at };

	do {
		r->at += strcspn(r->at, "\n");
		s.end = r->at;
		if (*r->at) {
			r->at++;
			r->line++;
		}
	} while (*r->at && is_continuation(r->at));
	return s;
}

static int finish_section(struct reader *r)
{
	struct ep_place place = { r->path, r->section_line, 1 };

	if (!r->section || !r->section->needs || r->has_needed_key)
		return 0;
	return ep_fail_at(r->err, -EINVAL, place, "this [%s] section has no '%s = ...'",
		r->section->name, r->section->needs);
}

static const struct ep_formula_section *find_section(const struct span *name)
{
	size_t size = (size_t)(name->end - name->begin);

	for (int i = 0; i < EP_N_SECTIONS; i++)
		if (strlen(ep_formula_sections[i].name) == size &&
			!memcmp(ep_formula_sections[i].name, name->begin, size))
			return &ep_formula_sections[i];
	return NULL;
}

/* [SECTION] or [SECTION NAME] */
static int read_heading(struct reader *r, struct span s)
{
	struct span kind = s, name;
	EP_AUTOFREE char *copy = NULL;
	int rc = finish_section(r);

	if (rc)
		return rc;
	if (s.end[-1] != ']')
		return ep_fail_at(r->err, -EINVAL, place_of(r, &s),
			"expected ']' at the end of "
			"'%.*s'",
			shown_size(&s), s.begin);
	kind.begin++;
	kind.end--;
	trim(&kind);
	name = kind;
	while (kind.end > kind.begin && memchr(kind.begin, ' ', (size_t)(kind.end - kind.begin)))
		kind.end--;
	trim(&kind);
	name.begin = kind.end;
	trim(&name);
	r->section = find_section(&kind);
	if (!r->section)
		return ep_fail_at(r->err, -EINVAL, place_of(r, &kind),
			"expected [model], "
			"[parameter NAME], [metric NAME] or [check NAME], found '%.*s'",
			shown_size(&s), s.begin);
	if ((name.begin == name.end) != (r->section == &ep_formula_sections[EP_SECTION_MODEL]))
		return ep_fail_at(r->err, -EINVAL, place_of(r, &name), "expected %s",
			name.begin == name.end ? "a name before ']'" : "']' behind 'model'");
	copy = strndup(name.begin, (size_t)(name.end - name.begin));
	r->entry = copy ? r->section->add(&r->file, copy) : NULL;
	r->section_line = s.line;
	r->has_needed_key = false;
	return r->entry ? 0 : fail_memory(r);
}

static int fail_unknown_key(struct reader *r, const struct span *key)
{
	char known[512] = "";
	size_t size = 0;

	for (const struct ep_formula_key *k = r->section->keys; k->name; k++)
		size += (size_t)snprintf(
			known + size, sizeof(known) - size, "%s%s", size ? ", " : "", k->name);
	return ep_fail_at(r->err, -EINVAL, place_of(r, key),
		"unknown key '%.*s' in a [%s] section, "
		"expected one of: %s",
		shown_size(key), key->begin, r->section->name, known);
}

static const struct ep_formula_key *find_key(
	const struct ep_formula_key *keys, const struct span *name)
{
	size_t size = (size_t)(name->end - name->begin);

	for (; keys->name; keys++)
		if (strlen(keys->name) == size && !memcmp(keys->name, name->begin, size))
			return keys;
	return NULL;
}

/* Line ends and the indentation behind them become one blank. */
static char *join_lines(const struct span *value)
{
	char *text = malloc((size_t)(value->end - value->begin) + 1), *to = text;

	if (!text)
		return NULL;
	for (const char *from = value->begin; from < value->end; from++) {
		if (*from != '\n') {
			*to++ = *from;
			continue;
		}
		while (to > text && isspace((unsigned char)to[-1]))
			to--;
		while (from + 1 < value->end && isspace((unsigned char)from[1]))
			from++;
		*to++ = ' ';
	}
	*to = '\0';
	return text;
}

static int set_text(struct reader *r, const struct span *value, void *field)
{
	char **text = field;

	*text = join_lines(value);
	return *text ? 0 : fail_memory(r);
}

static int set_number(struct reader *r, const struct span *value, void *field)
{
	EP_AUTOFREE char *text = strndup(value->begin, (size_t)(value->end - value->begin));
	double number;
	char *end;

	if (!text)
		return fail_memory(r);
	if (!strcmp(text, "-"))
		return 0; /* known to be unknown: stays NaN */
	number = strtod(text, &end);
	if (end == text || *end || !isfinite(number))
		return ep_fail_at(r->err, -EINVAL, place_of(r, value),
			"expected a number or '-', found '%.*s'", shown_size(value), value->begin);
	*(double *)field = number;
	return 0;
}

static int set_expression(struct reader *r, const struct span *value, void *field)
{
	struct ep_formula_source source = {
		.text = value->begin,
		.size_bytes = (uint32_t)(value->end - value->begin),
		.place = place_of(r, value),
		.dialect = &ep_dialect_evprof,
	};

	return ep_formula_parse(&source, field, r->err);
}

static bool is_set(const struct ep_formula_key *key, const void *field)
{
	if (key->type == EP_KEY_TEXT)
		return *(char *const *)field != NULL;
	if (key->type == EP_KEY_NUMBER)
		return !isnan(*(const double *)field);
	return ((const struct ep_ast *)field)->n_nodes > 0;
}

/* KEY = VALUE */
static int read_assignment(struct reader *r, struct span s)
{
	static int (*const set[])(struct reader *, const struct span *, void *) = {
		[EP_KEY_TEXT] = set_text,
		[EP_KEY_NUMBER] = set_number,
		[EP_KEY_EXPRESSION] = set_expression,
	};
	const char *equals = memchr(s.begin, '=', (size_t)(s.end - s.begin));
	struct span name = s, value = s;
	const struct ep_formula_key *key;
	void *field;

	if (!r->section)
		return ep_fail_at(r->err, -EINVAL, place_of(r, &s),
			"expected [model] or another section before '%.*s'", shown_size(&s),
			s.begin);
	if (!equals)
		return ep_fail_at(r->err, -EINVAL, place_of(r, &s),
			"expected 'KEY = VALUE', found '%.*s'", shown_size(&s), s.begin);
	name.end = equals;
	value.begin = equals + 1;
	trim(&name);
	trim(&value);
	key = find_key(r->section->keys, &name);
	if (!key)
		return fail_unknown_key(r, &name);
	field = ep_key_field(key, r->entry);
	if (is_set(key, field))
		return ep_fail_at(
			r->err, -EINVAL, place_of(r, &name), "'%s' is given twice", key->name);
	if (value.begin == value.end)
		return ep_fail_at(r->err, -EINVAL, place_of(r, &value),
			"expected a value behind "
			"'%s ='",
			key->name);
	if (r->section->needs && !strcmp(key->name, r->section->needs))
		r->has_needed_key = true;
	return set[key->type](r, &value, field);
}

/* The first line that says anything: "evprof-formula VERSION" */
static int read_version(struct reader *r, const struct span *s)
{
	EP_AUTOFREE char *text = strndup(s->begin, (size_t)(s->end - s->begin));
	int version = 0, n_read = 0;

	if (!text)
		return fail_memory(r);
	if (sscanf(text, "evprof-formula %d%n", &version, &n_read) != 1 || text[n_read])
		return ep_fail_at(r->err, -EINVAL, place_of(r, s),
			"expected 'evprof-formula %d' in the first line, found '%.*s'",
			EP_FORMULA_FORMAT_VERSION, shown_size(s), s->begin);
	if (version != EP_FORMULA_FORMAT_VERSION)
		return ep_fail_at(r->err, -EPROTONOSUPPORT, place_of(r, s),
			"format version %d, this evprof reads %d: use the evprof that wrote it",
			version, EP_FORMULA_FORMAT_VERSION);
	return 0;
}

static int check_kinds(struct reader *r)
{
	struct ep_place place = { .file = r->path };

	for (uint32_t i = 0; i < r->file.n_metrics; i++)
		if (!ep_formula_kind_find(r->file.metrics[i].kind))
			return ep_fail_at(r->err, -EINVAL, place,
				"metric %s: unknown kind '%s', "
				"expected value, share, ratio, count, cycles, cpi or rate",
				r->file.metrics[i].name, r->file.metrics[i].kind);
	return 0;
}

static void finish_reader(struct reader *r)
{
	ep_formula_file_finish(&r->file);
}

int ep_formula_file_parse(const char *path, const char *text, size_t size_bytes,
	struct ep_formula_file *out, struct ep_error *err)
{
	__attribute__((cleanup(finish_reader))) struct reader r = {
		.path = path,
		.at = text,
		.line = 1,
		.err = err,
	};
	struct ep_place place = { .file = path };
	bool has_version = false;
	int rc = 0;

	if (strlen(text) != size_bytes || size_bytes > INT32_MAX)
		return ep_fail_at(err, -EINVAL, place, "not a text file");
	r.file.path = strdup(path);
	while (!rc && *r.at) {
		struct span s = take_line(&r);

		trim(&s);
		if (s.begin == s.end || *s.begin == '#')
			continue;
		if (!has_version)
			rc = read_version(&r, &s);
		else
			rc = *s.begin == '[' ? read_heading(&r, s) : read_assignment(&r, s);
		has_version = true;
	}
	if (!rc && !has_version)
		rc = ep_fail_at(err, -EINVAL, place, "empty, expected 'evprof-formula %d'",
			EP_FORMULA_FORMAT_VERSION);
	if (!rc)
		rc = finish_section(&r);
	if (!rc)
		rc = check_kinds(&r);
	if (rc)
		return rc;
	*out = r.file;
	r.file = (struct ep_formula_file){ 0 };
	return 0;
}

/* Moves the entries of from that to does not define yet behind those of to. */
#define DEFINE_APPEND(what)                                                                        \
	static bool has_##what(const struct ep_formula_file *file, const char *name)               \
	{                                                                                          \
		for (uint32_t i = 0; i < file->n_##what##s; i++)                                   \
			if (!strcmp(file->what##s[i].name, name))                                  \
				return true;                                                       \
		return false;                                                                      \
	}                                                                                          \
                                                                                                   \
	static int append_##what##s(struct ep_formula_file *to, struct ep_formula_file *from)      \
	{                                                                                          \
		size_t n_most = (size_t)to->n_##what##s + from->n_##what##s + 1, n_left = 0;       \
		void *bigger = realloc(to->what##s, n_most * sizeof(*to->what##s));                \
                                                                                                   \
		if (!bigger)                                                                       \
			return -ENOMEM;                                                            \
		to->what##s = bigger;                                                              \
		for (uint32_t i = 0; i < from->n_##what##s; i++)                                   \
			if (has_##what(to, from->what##s[i].name))                                 \
				from->what##s[n_left++] = from->what##s[i];                        \
			else                                                                       \
				to->what##s[to->n_##what##s++] = from->what##s[i];                 \
		from->n_##what##s = (uint32_t)n_left;                                              \
		return 0;                                                                          \
	}

DEFINE_APPEND(parameter)
DEFINE_APPEND(metric)
DEFINE_APPEND(check)

static int append_entries(struct ep_formula_file *to, struct ep_formula_file *from)
{
	return append_parameters(to, from) || append_metrics(to, from) || append_checks(to, from)
		       ? -ENOMEM
		       : 0;
}

static char *beside(const char *path, const char *relative)
{
	EP_AUTOFREE char *copy = strdup(path);
	char *joined = NULL;

	if (!copy || asprintf(&joined, "%s/%s", dirname(copy), relative) < 0)
		return NULL;
	return joined;
}

static int read_one(const char *path, struct ep_formula_file *out, struct ep_error *err)
{
	EP_AUTOFREE char *text = NULL;
	size_t size;
	int rc = ep_file_read(path, &text, &size, err);

	return rc ? rc : ep_formula_file_parse(path, text, size, out, err);
}

static int read_with_includes(
	const char *path, int depth, struct ep_formula_file *out, struct ep_error *err);

/* Adds what one file of an include line has. */
static int read_include(
	const char *path, int depth, struct ep_formula_file *to, struct ep_error *err)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file more = { 0 };
	int rc;

	if (depth == MAX_INCLUDE_DEPTH)
		return ep_fail_at(err, -ELOOP, (struct ep_place){ .file = path },
			"included more than %d levels deep; do files include each other?",
			MAX_INCLUDE_DEPTH);
	rc = read_with_includes(path, depth + 1, &more, err);
	if (!rc && append_entries(to, &more))
		rc = ep_fail(err, -ENOMEM, "out of memory");
	return rc;
}

static int read_with_includes(
	const char *path, int depth, struct ep_formula_file *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	EP_AUTOFREE char *includes = NULL;
	int rc = read_one(path, &file, err);
	char *rest, *word;

	if (!rc && file.include) {
		includes = strdup(file.include);
		if (!includes)
			return ep_fail(err, -ENOMEM, "out of memory");
	}
	rest = includes;
	while (!rc && rest && (word = strsep(&rest, " "))) {
		EP_AUTOFREE char *next = *word ? beside(path, word) : NULL;

		if (next)
			rc = read_include(next, depth, &file, err);
	}
	if (rc)
		return rc;
	*out = file;
	file = (struct ep_formula_file){ 0 };
	return 0;
}

int ep_formula_file_read(const char *path, struct ep_formula_file *out, struct ep_error *err)
{
	return read_with_includes(path, 0, out, err);
}
