// SPDX-License-Identifier: BSD-3-Clause
/* Reads prepared sets while a process starts. All memory that it allocates is freed again, except the plan. */
#include "common/formula/plan_prepared.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/cpuid.h"
#include "common/formula/plan_private.h"

#define N_CPU_FIELDS 6
#define N_METRIC_FIELDS 5

/* A part of the text. */
struct text_part {
	const char *at, *end;
};

struct prepared_cpu {
	struct text_part key, serves, defaults, table, models;
};

struct prepared {
	/* the searched CPU, and the entry for all CPUs; key.at NULL: there is none */
	struct prepared_cpu cpu, everybody;
	struct ep_plan_maker maker;
};

static void finish_prepared(struct prepared *p)
{
	ep_event_plan_destroy(p->maker.plan);
}

static int fail_damaged(struct ep_plan_maker *m)
{
	return ep_fail(m->err, -EBADMSG, "the prepared plans are damaged");
}

static size_t length(struct text_part piece)
{
	return (size_t)(piece.end - piece.at);
}

static bool is(struct text_part piece, const char *text)
{
	return length(piece) == strlen(text) && !memcmp(piece.at, text, length(piece));
}

static bool begins(struct text_part piece, const char *text)
{
	return length(piece) >= strlen(text) && !memcmp(piece.at, text, strlen(text));
}

static char *copy(struct text_part piece)
{
	return strndup(piece.at, length(piece));
}

/* Takes the text before the next separator from the front of rest. Returns false at the end. */
static bool take(struct text_part *rest, char separator, struct text_part *out)
{
	const char *end;

	if (rest->at >= rest->end)
		return false;
	end = memchr(rest->at, separator, length(*rest));
	*out = (struct text_part){ rest->at, end ? end : rest->end };
	rest->at = end ? end + 1 : rest->end;
	return true;
}

/* Splits a line into n_wanted fields, of which the last may be empty. Returns false if there are more or fewer. */
static bool split(struct text_part line, struct text_part *out, int n_wanted)
{
	int n = 0;

	while (n < n_wanted && take(&line, '\t', &out[n]))
		n++;
	if (n == n_wanted - 1 && line.end[-1] == '\t')
		out[n++] = (struct text_part){ line.end, line.end };
	return n == n_wanted && line.at == line.end;
}

static bool take_bytes(struct text_part *rest, struct text_part count, struct text_part *out)
{
	size_t n = 0;

	for (; count.at < count.end && n <= length(*rest); count.at++) {
		if (*count.at < '0' || *count.at > '9')
			return false;
		n = 10 * n + (size_t)(*count.at - '0');
	}
	if (n > length(*rest))
		return false;
	*out = (struct text_part){ rest->at, rest->at + n };
	rest->at += n;
	return true;
}

static bool take_cpu(struct text_part *rest, struct prepared_cpu *out)
{
	struct text_part line, fields[N_CPU_FIELDS];

	if (!take(rest, '\n', &line) || !split(line, fields, N_CPU_FIELDS) || !is(fields[0], "cpu"))
		return false;
	*out = (struct prepared_cpu){
		.key = fields[1], .serves = fields[2], .defaults = fields[3]
	};
	return take_bytes(rest, fields[4], &out->table) &&
	       take_bytes(rest, fields[5], &out->models);
}

static bool is_wanted(const struct prepared_cpu *cpu, const char *key, const char *cpuid)
{
	EP_AUTOFREE char *patterns = NULL;

	if (key || !cpuid)
		return key && is(cpu->key, key);
	patterns = is(cpu->serves, "-") ? NULL : copy(cpu->serves);
	return patterns && ep_cpuid_is_served(patterns, cpuid);
}

static int find_cpus(struct prepared *p, struct text_part rest, const char *key, const char *cpuid)
{
	EP_AUTOFREE char *normal = cpuid ? ep_cpuid_normal(cpuid) : NULL;
	struct prepared_cpu cpu;

	while (rest.at < rest.end) {
		if (!take_cpu(&rest, &cpu))
			return fail_damaged(&p->maker);
		if (is(cpu.key, "generic"))
			p->everybody = cpu;
		if (!p->cpu.key.at && is_wanted(&cpu, key, normal))
			p->cpu = cpu;
	}
	return 0;
}

/* ---- models ---- */

static int add_events(
	struct ep_plan_maker *m, struct text_part names, struct ep_event_plan_metric *metric)
{
	struct text_part name;
	int rc = 0;

	while (!rc && take(&names, ' ', &name)) {
		/* metric->events has room only for names of at least one byte */
		if (!length(name))
			return fail_damaged(m);
		EP_AUTOFREE char *text = copy(name);

		rc = text ? ep_plan_maker_find_event(m, text, &metric->events[metric->n_events++])
			  : ep_fail(m->err, -ENOMEM, "out of memory");
	}
	return rc;
}

static int add_metric_sets(
	struct ep_plan_maker *m, const struct text_part *fields, const char *model)
{
	EP_AUTOFREE char *name = copy(fields[1]), *parameter = copy(fields[3]);
	struct ep_event_plan_metric *metric;
	int rc = name && parameter ? 0 : ep_fail(m->err, -ENOMEM, "out of memory");

	/* The field has names separated by blanks, so that at most every second byte begins a name. */
	if (!rc)
		rc = ep_plan_maker_add_metric(
			m, name, model, (uint32_t)length(fields[4]) / 2 + 1, &metric);
	if (rc)
		return rc;
	metric->is_shown = is(fields[2], "shown");
	if (strcmp(parameter, "-"))
		rc = ep_plan_metric_cannot_tell(m, metric, parameter);
	return rc ? rc : add_events(m, fields[4], metric);
}

/* Finds the text after the model's line. Returns false if there is no model of that name. */
static bool find_sets(struct text_part models, const char *name, struct text_part *out)
{
	struct text_part line, fields[2];

	while (take(&models, '\n', &line))
		if (split(line, fields, 2) && is(fields[0], "model") && is(fields[1], name)) {
			*out = models;
			return true;
		}
	return false;
}

static int add_prepared_model(struct prepared *p, const char *name)
{
	struct text_part rest, line, fields[N_METRIC_FIELDS];
	int rc = 0;

	if (!find_sets(p->cpu.models, name, &rest) && !find_sets(p->everybody.models, name, &rest))
		return ep_fail(p->maker.err, -ENOENT,
			"no model '%s' is prepared for this CPU ('evprof list --models' shows those there are; 'evprof plan --prepare' takes in your own)",
			name);
	while (!rc && take(&rest, '\n', &line) && !begins(line, "model\t"))
		rc = split(line, fields, N_METRIC_FIELDS) && is(fields[0], "metric")
			     ? add_metric_sets(&p->maker, fields, name)
			     : fail_damaged(&p->maker);
	return rc;
}

static int add_prepared_models(struct prepared *p)
{
	const char *asked = p->maker.request->models;
	EP_AUTOFREE char *names = asked ? strdup(asked) : copy(p->cpu.defaults);
	char *rest = names, *name;
	int rc = names ? 0 : ep_fail(p->maker.err, -ENOMEM, "out of memory");

	while (!rc && (name = strsep(&rest, ",")))
		if (*name)
			rc = add_prepared_model(p, name);
	return rc;
}

static int read_prepared_table(struct prepared *p)
{
	struct ep_event_plan *plan = p->maker.plan;
	EP_AUTOFREE char *text = NULL;

	if (!p->cpu.key.at)
		return 0;
	plan->cpu = copy(p->cpu.key);
	text = copy(p->cpu.table);
	if (!plan->cpu || !text)
		return ep_fail(p->maker.err, -ENOMEM, "out of memory");
	if (!length(p->cpu.table))
		return 0;
	p->maker.has_table = true;
	return ep_event_table_parse(EP_PREPARED_NAME, text, &plan->table, p->maker.err);
}

/* Refuses sets that another version prepared: they may lack events that this version's report needs. */
static int check_version(struct text_part *rest, struct ep_error *err)
{
	struct text_part line = { NULL, NULL };

	if (take(rest, '\n', &line) && is(line, EP_PREPARED_FORMAT " " EVPROF_VERSION))
		return 0;
	return ep_fail(err, -ESTALE,
		"the prepared plans are another version's; 'evprof plan --prepare' makes them anew");
}

int ep_event_plan_from_prepared(const char *text, size_t size, const char *cpuid,
	const struct ep_event_plan_request *request, struct ep_event_plan **out,
	struct ep_error *err)
{
	__attribute__((cleanup(finish_prepared))) struct prepared p = {
		.maker = { .plan = calloc(1, sizeof(*p.maker.plan)),
			.request = request,
			.err = err },
	};
	struct text_part rest = { text, text + size };
	int rc = p.maker.plan ? check_version(&rest, err) : ep_fail(err, -ENOMEM, "out of memory");

	if (!rc)
		rc = find_cpus(&p, rest, request->cpu, cpuid);
	if (!rc && !request->models && (!p.cpu.key.at || is(p.cpu.defaults, "software")))
		return ep_fail(err, -ENODATA, "this CPU has no models of its own");
	if (!rc)
		rc = read_prepared_table(&p);
	if (!rc)
		rc = ep_plan_maker_begin(&p.maker);
	if (!rc)
		rc = add_prepared_models(&p);
	if (!rc)
		rc = ep_plan_maker_finish(&p.maker);
	if (rc)
		return rc;
	*out = p.maker.plan;
	p.maker.plan = NULL;
	return 0;
}
