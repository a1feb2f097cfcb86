// SPDX-License-Identifier: BSD-3-Clause
/* Reads formula files from text. Any thread may call these functions. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/foreign_text.h"
#include "common/formula/formula_keys.h"
#include "common/formula/parse.h"

struct formula_reader {
	const char *path;
	const char *at; /* start of the next line */
	unsigned line;  /* the line of at, from 1 */
	struct ep_formula_file file;
	const struct ep_formula_section *section; /* NULL: there was no section yet */
	void *entry;
	unsigned section_line;
	bool has_needed_key;
	struct ep_error *err;
};

/* A piece of a line, [begin, end), and its line and column. */
struct span {
	const char *begin, *end;
	unsigned line;
	const char *line_begin;
};

static struct ep_place place_of(const struct formula_reader *r, const struct span *s)
{
	return (struct ep_place){ r->path, s->line, (unsigned)(s->begin - s->line_begin) + 1 };
}

static int fail_memory(const struct formula_reader *r)
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

/* Takes the next line together with the indented lines that follow it. */
static struct span take_line(struct formula_reader *r)
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

static bool has_bound(const struct ep_formula_check *check)
{
	return check->equals.n_nodes || check->at_most.n_nodes || check->at_least.n_nodes;
}

static int finish_section(struct formula_reader *r)
{
	struct ep_place place = { r->path, r->section_line, 1 };

	if (!r->section)
		return 0;
	if (r->section->needs && !r->has_needed_key)
		return ep_fail_at(r->err, -EINVAL, place, "this [%s] section has no '%s = ...'",
			r->section->name, r->section->needs);
	if (r->section == &ep_formula_sections[EP_SECTION_CHECK] && !has_bound(r->entry))
		return ep_fail_at(r->err, -EINVAL, place,
			"this [check] section has nothing to hold 'expr' against, expected 'equals = ...', 'at_most = ...' or 'at_least = ...'");
	return 0;
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

/* Reads "[SECTION]" or "[SECTION NAME]". */
static int read_heading(struct formula_reader *r, struct span s)
{
	struct span kind = s, name;
	EP_AUTOFREE char *copy = NULL;
	int rc = finish_section(r);

	if (rc)
		return rc;
	if (s.end[-1] != ']')
		return ep_fail_at(r->err, -EINVAL, place_of(r, &s),
			"expected ']' at the end of '%.*s'", shown_size(&s), s.begin);
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
			"expected [model], [parameter NAME], [metric NAME] or [check NAME], found '%.*s'",
			shown_size(&s), s.begin);
	if ((name.begin == name.end) != (r->section == &ep_formula_sections[EP_SECTION_MODEL]))
		return ep_fail_at(r->err, -EINVAL, place_of(r, &name), "expected %s",
			name.begin == name.end ? "a name before ']'" : "']' behind 'model'");
	copy = strndup(name.begin, (size_t)(name.end - name.begin));
	if (copy && r->section->has(&r->file, copy))
		return ep_fail_at(r->err, -EINVAL, place_of(r, &name), "[%s %s] is there twice",
			r->section->name, copy);
	r->entry = copy ? r->section->add(&r->file, copy) : NULL;
	r->section_line = s.line;
	r->has_needed_key = false;
	return r->entry ? 0 : fail_memory(r);
}

static int fail_unknown_key(struct formula_reader *r, const struct span *key)
{
	char known[512] = "";
	size_t size = 0;

	for (const struct ep_formula_key *k = r->section->keys; k->name; k++)
		size += (size_t)snprintf(
			known + size, sizeof(known) - size, "%s%s", size ? ", " : "", k->name);
	return ep_fail_at(r->err, -EINVAL, place_of(r, key),
		"unknown key '%.*s' in a [%s] section, expected one of: %s", shown_size(key),
		key->begin, r->section->name, known);
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

/* Returns a copy in which line ends and the indentation after them become one blank. */
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

static int set_text(struct formula_reader *r, const struct span *value, void *field)
{
	char **text = field;

	*text = join_lines(value);
	return *text ? 0 : fail_memory(r);
}

static bool is_kind(const char *value)
{
	return ep_formula_kind_find(value);
}

static bool is_role(const char *value)
{
	return !strcmp(value, "useful");
}

/* Tells whether the text is a list of extended regular expressions, separated by blanks. */
static bool are_patterns(const char *value)
{
	EP_AUTOFREE char *copy = strdup(value);
	char *rest = copy, *word;

	while (rest && (word = strsep(&rest, " "))) {
		regex_t pattern;

		if (*word && regcomp(&pattern, word, REG_EXTENDED | REG_NOSUB))
			return false;
		if (*word)
			regfree(&pattern);
	}
	return true;
}

/* Keys that take only certain texts. */
static const struct {
	const char *key;
	bool (*is_good)(const char *value);
	const char *expected;
} worded[] = {
	{ "kind", is_kind, "value, share, ratio, count, cycles, cpi or rate" },
	{ "role", is_role, "useful" },
	{ "serves", are_patterns, "extended regular expressions with blanks between" },
};

static int check_words(
	struct formula_reader *r, const char *key, const struct span *value, const char *text)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(worded); i++)
		if (!strcmp(worded[i].key, key) && !worded[i].is_good(text))
			return ep_fail_at(r->err, -EINVAL, place_of(r, value),
				"%s cannot be '%.*s', expected %s", key, shown_size(value),
				value->begin, worded[i].expected);
	return 0;
}

static int set_number(struct formula_reader *r, const struct span *value, void *field)
{
	EP_AUTOFREE char *text = strndup(value->begin, (size_t)(value->end - value->begin));
	double number;
	char *end;

	if (!text)
		return fail_memory(r);
	if (!strcmp(text, "-"))
		return 0; /* "-" means that the number is not known: the field stays NaN */
	number = strtod(text, &end);
	if (end == text || *end || !isfinite(number))
		return ep_fail_at(r->err, -EINVAL, place_of(r, value),
			"expected a number or '-', found '%.*s'", shown_size(value), value->begin);
	*(double *)field = number;
	return 0;
}

static int set_expression(struct formula_reader *r, const struct span *value, void *field)
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

/* Reads "KEY = VALUE". */
static int read_assignment(struct formula_reader *r, struct span s)
{
	static int (*const set[])(struct formula_reader *, const struct span *, void *) = {
		[EP_KEY_TEXT] = set_text,
		[EP_KEY_NUMBER] = set_number,
		[EP_KEY_EXPRESSION] = set_expression,
	};
	const char *equals = memchr(s.begin, '=', (size_t)(s.end - s.begin));
	struct span name = s, value = s;
	const struct ep_formula_key *key;
	void *field;
	int rc;

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
			"expected a value behind '%s ='", key->name);
	if (r->section->needs && !strcmp(key->name, r->section->needs))
		r->has_needed_key = true;
	rc = set[key->type](r, &value, field);
	return rc || key->type != EP_KEY_TEXT ? rc
					      : check_words(r, key->name, &value, *(char **)field);
}

/* Reads the first line that is no comment: "evprof-formula VERSION". */
static int read_version(struct formula_reader *r, const struct span *s)
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

/* Refuses control characters, since names and units are printed to the terminal as they are. */
static int refuse_control(struct formula_reader *r, const char *text, size_t size)
{
	size_t at = ep_foreign_text_find(text, size, EP_FOREIGN_LINES), begin = at;
	unsigned line = 1;

	if (at == size)
		return 0;
	while (begin && text[begin - 1] != '\n')
		begin--;
	for (size_t i = 0; i < begin; i++)
		line += text[i] == '\n';
	return ep_fail_at(r->err, -EINVAL,
		(struct ep_place){ r->path, line, (unsigned)(at - begin) + 1 },
		"a control character (byte 0x%02x), which a terminal would obey: take it out",
		(unsigned char)text[at]);
}

static void finish_reader(struct formula_reader *r)
{
	ep_formula_file_finish(&r->file);
}

int ep_formula_file_parse(const char *path, const char *text, size_t size_bytes,
	struct ep_formula_file *out, struct ep_error *err)
{
	__attribute__((cleanup(finish_reader))) struct formula_reader r = {
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
	rc = refuse_control(&r, text, size_bytes);
	if (rc)
		return rc;
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
	if (rc)
		return rc;
	*out = r.file;
	r.file = (struct ep_formula_file){ 0 };
	return 0;
}
