// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/phases/phases_view.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "reporter/text/json_text.h"

/* ---- text ---- */

/* least share of a further procedure; a smaller one would be printed as "0 %" */
#define LEAST_SHARE 0.005

static void put_kind(const struct ep_phases *phases, uint32_t k, const struct ep_layout *layout)
{
	const struct ep_phase_kind *kind = &phases->kinds[k];
	char name[8], time[EP_NUMBER_BYTES], ipc[16] = "-", where[1024] = "";
	size_t at = 0;

	ep_phase_kind_name(k, name);
	ep_format_seconds(time, kind->time_s);
	if (!isnan(kind->instructions_per_cycle))
		snprintf(ipc, sizeof(ipc), "%.2f", kind->instructions_per_cycle);
	for (int i = 0; i < EP_PHASE_PROCEDURES && kind->names[i] && at < sizeof(where); i++) {
		char shortened[128];

		if (i && kind->shares[i] <= LEAST_SHARE)
			break; /* all procedures after this one have smaller shares */
		ep_shorten_name(layout, kind->names[i], 32, shortened, sizeof(shortened));
		at += (size_t)snprintf(where + at, sizeof(where) - at, "%s%s %.0f %%",
			i ? ", " : "", shortened, 100 * kind->shares[i]);
	}
	fprintf(layout->out, "  %-4s%9s%7.1f %%%7u%8.2f%7s  ", name, time,
		100 * kind->time_s / phases->duration_s, kind->n_stretches,
		kind->cpu_s / kind->time_s, ipc);
	ep_put_wrapped(layout, where[0] ? where : "-", 45);
}

static void put_kinds(const struct ep_phases *phases, const struct ep_layout *layout)
{
	ep_put_heading(layout, "What the phases are",
		"CPUs: how many were busy; IPC: instructions per cycle");
	fprintf(layout->out, "  %-4s%9s%9s%7s%8s%7s  %s\n", "", "time", "share", "times", "CPUs",
		"IPC", "where");
	for (uint32_t k = 0; k < phases->segmentation.n_kinds; k++)
		put_kind(phases, k, layout);
}

static void put_numbers(const struct ep_repeat *repeat, const struct ep_layout *layout)
{
	uint32_t n = repeat->length * repeat->n_turns;
	char text[32];

	if (n == 1)
		snprintf(text, sizeof(text), "%u", repeat->first + 1);
	else
		snprintf(text, sizeof(text), "%u-%u", repeat->first + 1, repeat->first + n);
	fprintf(layout->out, "  %-10s", text);
}

/* Tells whether the longest turn is slow: more than 1.5 times as long as the mean of the others, and more than three
 * of their standard deviations above it. The longest turn is left out of mean and deviation, since of ten or fewer
 * turns none can be more than three standard deviations of all turns above their mean. */
static bool is_slow(const struct ep_turn_times *turns)
{
	return turns->longest_s > 1.5 * turns->others_mean_s &&
	       turns->longest_s > turns->others_mean_s + 3 * turns->others_deviation_s;
}

static void put_turns(const struct ep_phases *phases, const struct ep_repeat *repeat,
	const struct ep_layout *layout)
{
	struct ep_turn_times turns = ep_repeat_times(phases, repeat);
	char mean[EP_NUMBER_BYTES], deviation[EP_NUMBER_BYTES], longest[EP_NUMBER_BYTES], text[256];
	uint32_t slowest = repeat->first + turns.longest * repeat->length;
	int n;

	ep_format_seconds(mean, turns.mean_s);
	ep_format_seconds(deviation, turns.deviation_s);
	ep_format_seconds(longest, turns.longest_s);
	n = snprintf(text, sizeof(text), "%u times, %s each (standard deviation %s)",
		repeat->n_turns, mean, deviation);
	if (is_slow(&turns))
		snprintf(text + n, sizeof(text) - (size_t)n,
			"; the slowest took %s, from phase %u on", longest, slowest + 1);
	ep_put_wrapped(layout, text, 45);
}

static void put_repeat(const struct ep_phases *phases, const struct ep_repeat *repeat,
	const struct ep_layout *layout)
{
	uint32_t last = repeat->first + repeat->length * repeat->n_turns - 1;
	char kinds[80] = "";
	size_t at = 0;

	for (uint32_t i = 0; i < repeat->length && at < sizeof(kinds); i++) {
		char name[8];

		ep_phase_kind_name(phases->segmentation.stretches[repeat->first + i].kind, name);
		at += (size_t)snprintf(kinds + at, sizeof(kinds) - at, "%s%s", i ? " " : "", name);
	}
	put_numbers(repeat, layout);
	fprintf(layout->out, "%9.3f s%9.3f s  ", ep_phase_from_s(phases, repeat->first),
		ep_phase_to_s(phases, last));
	if (repeat->n_turns == 1) {
		fprintf(layout->out, "%s\n", kinds);
		return;
	}
	fprintf(layout->out, "%-8s", kinds);
	put_turns(phases, repeat, layout);
}

static void put_repeats(
	const struct ep_phases *phases, const char *trace_path, const struct ep_layout *layout)
{
	const char *quote =
		phases->region && strpbrk(phases->region, " \t$`\"\\*?&;|<>()") ? "'" : "";
	char text[500], region[200] = "";

	if (phases->region)
		snprintf(region, sizeof(region), "--region %s%.100s%s ", quote, phases->region,
			quote);
	snprintf(text, sizeof(text), "evreport %s--phase N %.200s shows one of them alone", region,
		trace_path);
	ep_put_heading(layout, "When they were", text);
	fprintf(layout->out, "  %-10s%11s%11s  %s\n", "N", "from", "to", "which");
	for (uint32_t i = 0; i < phases->n_repeats; i++)
		put_repeat(phases, &phases->repeats[i], layout);
}

/* Returns why windows are pieces of CPU time; "": they are not. */
static const char *reason_for_cpu_time(const struct ep_phases *phases)
{
	if (phases->region)
		return " of CPU time in the region (time on the clock has what ran between its turns, too)";
	return phases->is_crowded
		       ? " of CPU time (threads had to wait for CPUs at times, so windows are of CPU time, not of time on the clock)"
		       : "";
}

static void format_subject(const struct ep_phases *phases, char *out, size_t size)
{
	if (phases->region)
		snprintf(out, size, "what ran in region %.100s", phases->region);
	else
		snprintf(out, size, "the run");
}

static void put_absence(
	const struct ep_phases *phases, const char *subject, const struct ep_layout *layout)
{
	bool is_of_time = !phases->is_crowded && !phases->region;
	char time[EP_NUMBER_BYTES], window[EP_NUMBER_BYTES], shortest[EP_NUMBER_BYTES], text[700];

	ep_format_seconds(time, phases->duration_s);
	ep_format_seconds(window, phases->window_s);
	ep_format_seconds(shortest, EP_SHORTEST_STRETCH * phases->window_s);
	if (phases->segmentation.n_stretches)
		snprintf(text, sizeof(text),
			"There are no phases: from its beginning to its end %s spends its time in the same procedures%s and, where counted, at the same instructions per cycle. %s were examined in windows of %s%s: a change that lasts less than %s does not show.",
			subject, is_of_time ? ", on as many CPUs" : "", time, window,
			reason_for_cpu_time(phases), shortest);
	else
		snprintf(text, sizeof(text),
			"There are no phases, since there is no sample that says what %s did.",
			subject);
	fputs("  ", layout->out);
	ep_put_wrapped(layout, text, 2);
}

void ep_phases_print_text(
	const struct ep_phases *phases, const char *trace_path, const struct ep_layout *layout)
{
	bool is_of_time = !phases->is_crowded && !phases->region;
	char subject[140];
	char time[EP_NUMBER_BYTES], window[EP_NUMBER_BYTES], text[700];

	format_subject(phases, subject, sizeof(subject));
	ep_format_seconds(time, phases->duration_s);
	ep_format_seconds(window, phases->window_s);
	fprintf(layout->out, "evreport phases  %s\n", trace_path);
	if (phases->segmentation.n_kinds < 2) {
		put_absence(phases, subject, layout);
		return;
	}
	snprintf(text, sizeof(text),
		"%u kinds of phases in %s%s%s, told apart by the procedures they run in, %sand, where counted, instructions per cycle; their borders are accurate to about two windows of %s%s.",
		phases->segmentation.n_kinds, time, phases->region ? " of " : "",
		phases->region ? subject : "", is_of_time ? "the CPUs that were busy " : "", window,
		reason_for_cpu_time(phases));
	fputs("  ", layout->out);
	ep_put_wrapped(layout, text, 2);
	put_kinds(phases, layout);
	put_repeats(phases, trace_path, layout);
}

/* ---- JSON ---- */

static void put_count(json_object *object, const char *key, uint32_t count)
{
	json_object_object_add(object, key, json_object_new_int64(count));
}

static json_object *kind_json(const struct ep_phase_kind *kind, uint32_t k)
{
	json_object *object = json_object_new_object(), *array = json_object_new_array();
	char name[8];

	ep_phase_kind_name(k, name);
	json_object_object_add(object, "kind", ep_json_text(name));
	ep_json_set_number(object, "time_s", kind->time_s);
	ep_json_set_number(
		object, "cpus_busy", kind->time_s > 0 ? kind->cpu_s / kind->time_s : NAN);
	ep_json_set_number(object, "instructions_per_cycle", kind->instructions_per_cycle);
	put_count(object, "n_phases", kind->n_stretches);
	for (int i = 0; i < EP_PHASE_PROCEDURES && kind->names[i]; i++) {
		json_object *row = json_object_new_object();

		json_object_object_add(row, "name", ep_json_text(kind->names[i]));
		ep_json_set_number(row, "self_share", kind->shares[i]);
		json_object_array_add(array, row);
	}
	json_object_object_add(object, "procedures", array);
	return object;
}

static json_object *phase_json(const struct ep_phases *phases, uint32_t i)
{
	json_object *object = json_object_new_object();
	char name[8];

	ep_phase_kind_name(phases->segmentation.stretches[i].kind, name);
	put_count(object, "phase", i + 1);
	json_object_object_add(object, "kind", ep_json_text(name));
	ep_json_set_number(object, "from_s", ep_phase_from_s(phases, i));
	ep_json_set_number(object, "to_s", ep_phase_to_s(phases, i));
	return object;
}

static json_object *repeat_json(const struct ep_phases *phases, const struct ep_repeat *repeat)
{
	json_object *object = json_object_new_object();
	struct ep_turn_times turns = ep_repeat_times(phases, repeat);

	put_count(object, "first_phase", repeat->first + 1);
	put_count(object, "n_phases_each", repeat->length);
	put_count(object, "n_turns", repeat->n_turns);
	ep_json_set_number(object, "mean_s", turns.mean_s);
	ep_json_set_number(object, "deviation_s", turns.deviation_s);
	ep_json_set_number(object, "shortest_s", turns.shortest_s);
	ep_json_set_number(object, "longest_s", turns.longest_s);
	put_count(object, "longest_turn", turns.longest + 1);
	return object;
}

int ep_phases_print_json(const struct ep_phases *phases, const char *trace_path, FILE *out)
{
	const struct ep_segmentation *found = &phases->segmentation;
	json_object *root = json_object_new_object(), *kinds = json_object_new_array();
	json_object *stretches = json_object_new_array(), *repeats = json_object_new_array();

	json_object_object_add(root, "trace", ep_json_text(trace_path));
	json_object_object_add(root, "region", ep_json_text(phases->region));
	ep_json_set_number(root, "window_s", phases->window_s);
	json_object_object_add(root, "is_crowded", json_object_new_boolean(phases->is_crowded));
	for (uint32_t k = 0; k < found->n_kinds; k++)
		json_object_array_add(kinds, kind_json(&phases->kinds[k], k));
	for (uint32_t i = 0; i < found->n_stretches; i++)
		json_object_array_add(stretches, phase_json(phases, i));
	for (uint32_t i = 0; i < phases->n_repeats; i++)
		if (phases->repeats[i].n_turns > 1)
			json_object_array_add(repeats, repeat_json(phases, &phases->repeats[i]));
	json_object_object_add(root, "kinds", kinds);
	json_object_object_add(root, "phases", stretches);
	json_object_object_add(root, "repeats", repeats);
	return ep_json_print(root, 0, out);
}
