// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/roofline/roofline_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/text/signs.h"

/* share of the instructions; a smaller unread share gets no note */
#define LEAST_UNREAD_SHARE 0.001

void ep_roofline_format(double number, char *out, size_t size)
{
	static const char units[] = " kMGTPE";
	int unit = 0;

	for (; number >= 999.5 && units[unit + 1]; unit++)
		number /= 1000;
	int digits = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
	if (!unit && number < 0.995 && number > 0)
		snprintf(out, size, "%.3g", number);
	else if (unit)
		snprintf(out, size, "%.*f %c", digits, number, units[unit]);
	else
		snprintf(out, size, "%.*f", digits, number);
}

void ep_roofline_format_share(double share, char *out, size_t size)
{
	snprintf(out, size, share < 0.0995 ? "%.2g %%" : "%.0f %%", 100 * share);
}

static void say_reached(const struct ep_roofline_point *point, bool utf8, char *out, size_t size)
{
	double bar = ep_quantity_bar(&point->reached);
	char share[24], error[24];

	out[0] = '\0';
	if (!ep_quantity_is_known(&point->reached))
		return;
	ep_roofline_format_share(point->reached.value, share, sizeof(share));
	ep_roofline_format_share(bar, error, sizeof(error));
	if (isnan(bar))
		snprintf(out, size, "; it reaches %s of that", share);
	else
		snprintf(out, size, "; it reaches %s (%s%s) of that", share,
			ep_sign_plus_minus(utf8), error);
}

static void say_memory(const struct ep_roofline_point *point, bool utf8, char *out, size_t size)
{
	char intensity[32], ceiling[32], reached[96];

	ep_roofline_format(point->intensity.value, intensity, sizeof(intensity));
	ep_roofline_format(point->ceiling.value, ceiling, sizeof(ceiling));
	say_reached(point, utf8, reached, sizeof(reached));
	snprintf(out, size, "%s: memory bounds it. %s operations for each byte allow %s%sFLOP/s%s.",
		point->name, intensity, point->traffic == EP_TRAFFIC_MISSES ? "at most " : "",
		ceiling, reached);
}

static void say_peak(const struct ep_roofline_point *point, bool utf8, char *out, size_t size)
{
	char ceiling[32], scalar[32], reached[96];
	int n;

	ep_roofline_format(point->ceiling.value, ceiling, sizeof(ceiling));
	say_reached(point, utf8, reached, sizeof(reached));
	n = snprintf(out, size, "%s: the peak bounds it, %s. It is %sFLOP/s in %s precision%s.",
		point->name,
		point->is_bound_sure ? "not memory" : "unless bytes that were not counted do",
		ceiling, point->precision == EP_PRECISION_SINGLE ? "single" : "double", reached);
	if (!ep_quantity_is_known(&point->scalar_ceiling) || n < 0 || (size_t)n >= size)
		return;
	ep_roofline_format(point->scalar_ceiling.value, scalar, sizeof(scalar));
	snprintf(out + n, size - (size_t)n,
		" Its operations are scalar: such code reaches at most %sFLOP/s, vectors %.1f times that.",
		scalar, point->ceiling.value / point->scalar_ceiling.value);
}

void ep_roofline_say_point(const struct ep_roofline *roofline,
	const struct ep_roofline_point *point, bool utf8, char *out, size_t size)
{
	out[0] = '\0';
	if (!roofline->roofs.n_roofs)
		return;
	if (point->bound == EP_BOUND_MEMORY)
		say_memory(point, utf8, out, size);
	else if (point->bound == EP_BOUND_PEAK)
		say_peak(point, utf8, out, size);
}

void ep_roofline_say_roofs(const struct ep_roofline *roofline, char *out, size_t size)
{
	const struct ep_machine_roofs *roofs = &roofline->roofs;
	struct ep_roof_limit peak = ep_roofs_peak(roofs, EP_PRECISION_DOUBLE, false, 1);
	struct ep_roof_limit memory = ep_roofs_bandwidth(roofs, "MEM", 1);
	char peak_text[32], memory_text[32], ridge[32];
	int n;

	if (!roofs->n_roofs) {
		snprintf(out, size,
			"The roofs of this trace's CPU are not known. On that machine 'evcal roofs -o ~/.local/share/evprof/formulas' measures them in some seconds; --roofs FILE names a file.");
		return;
	}
	n = snprintf(out, size, "Roofs: %s%s%s%s%s.", roofs->path, roofs->source ? ", " : "",
		roofs->source ? roofs->source : "", roofs->date ? ", " : "",
		roofs->date ? roofs->date : "");
	if (!peak.roof || !memory.roof || n < 0 || (size_t)n >= size)
		return;
	ep_roofline_format(peak.value, peak_text, sizeof(peak_text));
	ep_roofline_format(memory.value, memory_text, sizeof(memory_text));
	ep_roofline_format(peak.value / memory.value, ridge, sizeof(ridge));
	snprintf(out + n, size - (size_t)n,
		" One CPU: %sFLOP/s in double precision (%s), %sB/s from memory; below %s operations for each byte memory is the lower roof.",
		peak_text, peak.roof->name, memory_text, ridge);
}

/* ---- notes ---- */

static bool has_traffic(const struct ep_roofline *roofline, enum ep_roofline_traffic traffic)
{
	for (uint32_t i = 0; i < roofline->n_points; i++)
		if (roofline->points[i].traffic == traffic)
			return true;
	return false;
}

static bool note_remedies(const struct ep_roofline *roofline, char *out, size_t size)
{
	if (!roofline->roofs.n_roofs)
		return false;
	snprintf(out, size,
		"Below the roof of memory, more operations on what the caches hold help (blocking, fused loops, smaller types); below a peak, vectors, fused multiply-adds and shorter chains of operations do.");
	return true;
}

static bool note_simulation(const struct ep_roofline *roofline, char *out, size_t size)
{
	if (!roofline->is_simulated)
		return false;
	if (roofline->time_source)
		snprintf(out, size,
			"Operations and bytes are valgrind's; the times are those of procedures of the same names in %s. Both runs have to do the same work.",
			roofline->time_source);
	else
		snprintf(out, size,
			"The program ran inside valgrind, whose time is no time of the machine: operations and bytes are shown with what the roofs allow, and no operations per second. --time OTHER.gz takes the times from a run outside of it.");
	return true;
}

static bool note_misses(const struct ep_roofline *roofline, char *out, size_t size)
{
	if (!has_traffic(roofline, EP_TRAFFIC_MISSES))
		return false;
	snprintf(out, size, "%s",
		roofline->is_simulated
			? "< : bytes are the lines that missed in the simulated last cache, without those written back: the true operations for each byte are fewer, down to about half where all that is read is written as well."
			: "< : bytes are the lines that loads missed in the last cache, without stores, prefetched lines and those written back: the true operations for each byte are fewer, for streams many times.");
	return true;
}

static bool note_machine_bytes(const struct ep_roofline *roofline, char *out, size_t size)
{
	if (roofline->is_simulated || !has_traffic(roofline, EP_TRAFFIC_MEMORY))
		return false;
	snprintf(out, size,
		"Where the memory controllers tell the bytes, those of other programs are among them.");
	return true;
}

static bool note_no_bytes(const struct ep_roofline *roofline, char *out, size_t size)
{
	if (!has_traffic(roofline, EP_TRAFFIC_NONE))
		return false;
	snprintf(out, size,
		"A point without FLOP/byte lacks bytes that were counted: 'evprof run -m flops,memory' counts what this CPU tells.");
	return true;
}

static bool note_unread(const struct ep_roofline *roofline, char *out, size_t size)
{
	if (!(roofline->unread_share >= LEAST_UNREAD_SHARE))
		return false;
	snprintf(out, size,
		"%.2g %% of the instructions are in code that is in no file (made at run time): their operations are not counted.",
		100 * roofline->unread_share);
	return true;
}

static bool note_processors(const struct ep_roofline *roofline, char *out, size_t size)
{
	if (!roofline->roofs.n_roofs || roofline->is_simulated)
		return false;
	snprintf(out, size,
		"The run and its phases stand below the roofs of as many CPUs as were busy, procedures below those of one: theirs are operations per second of CPU time.");
	return true;
}

bool ep_roofline_say_note(
	const struct ep_roofline *roofline, uint32_t note_idx, char *out, size_t size)
{
	static bool (*const notes[])(const struct ep_roofline *, char *, size_t) = {
		note_simulation,
		note_misses,
		note_machine_bytes,
		note_no_bytes,
		note_unread,
		note_processors,
		note_remedies,
	};

	for (size_t i = 0; roofline->n_points && i < EP_ARRAY_SIZE(notes); i++)
		if (notes[i](roofline, out, size) && !note_idx--)
			return true;
	return false;
}
