// SPDX-License-Identifier: BSD-3-Clause
/*
 * A program that never was, whose procedures take turns, and evprof's trace of it: the counts of each
 * procedure are known. turns OUT.gz TRUTH [KEY=VALUE...], where the keys are those of options below.
 * TRUTH gets a line per procedure: its name, its CPU time in us, the counts of each event. The names
 * are the trace's own where the perf map of process 100, which is printed, lies under the sysroot.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "tests/trace/writer.h"

enum {
	MOST_PROCEDURES = 20,
	N_EVENTS = 4,
	MISSES = 3,
	BURST = 1000,
	PERIOD_NS = 1000000,
	BLOCK_SLICES = 500,
	PID = 100
};

static const char *const event_names[N_EVENTS] = { "cycles", "instructions", "loads", "misses" };

static struct {
	const char *name;
	double value;
} options[] = {
	{ "turn_us",
		100 }, /* the mean length of a turn; each is from a half to one and a half of it */
	{ "procedures", 2 }, /* at most MOST_PROCEDURES */
	{ "slices", 4000 }, { "seed", 1 },
	{ "phases", 1 }, /* the second half of two has the procedures' rates the other way round */
	{ "groups", 1 }, /* 2: loads and misses are counted by turns */
	{ "ticks", 0 },  /* by an event, so many in a slice's time on average; 0: by time alone */
	{ "uneven",
		0 }, /* standard deviation of the logarithm of windows' lengths, as on a busy host */
	{ "bursts",
		0 }, /* misses are so many bursts of the run, each at a turn's end, and no others */
	{ "threads",
		1 }, /* one after the other; in the second, turns of every other procedure are five times as long */
};

static double option(const char *name)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].name, name))
			return options[i].value;
	abort();
}

static int take_option(const char *text)
{
	size_t size = strcspn(text, "=");

	for (size_t i = 0; i < EP_ARRAY_SIZE(options); i++) {
		if (strlen(options[i].name) != size || memcmp(options[i].name, text, size))
			continue;
		options[i].value = text[size] ? strtod(text + size + 1, NULL) : 1;
		return 0;
	}
	return -1;
}

/* splitmix64: the same numbers on every machine. */
static double next_uniform(void)
{
	static uint64_t state;
	uint64_t z;

	if (!state)
		state = (uint64_t)option("seed") * 0x632be59bd9b4e019u;
	z = state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static struct program {
	uint32_t n_procedures, at, phase, thread;
	double left_ns; /* of the turn */
	double burst;   /* misses with which the turn ends */
	double time_ns[MOST_PROCEDURES], counts[MOST_PROCEDURES][N_EVENTS];
} program;

/* Events in a nanosecond of a procedure: cycles at the same rate in all, the others as different as
 * procedures are: every third works in the caches, every third misses them, every third computes. */
static double rate_of(uint32_t procedure, uint32_t event)
{
	static const double rates[3][N_EVENTS] = { { 3, 1, 0.3, 0.02 }, { 3, 6, 0, 0 },
		{ 3, 4, 2, 0.001 } };

	return rates[(procedure + program.phase) % 3][event];
}

static void next_turn(void)
{
	program.at = (program.at + 1) % program.n_procedures;
	program.left_ns = option("turn_us") * 1000 * (0.5 + next_uniform());
	if (program.thread > 1 && program.at % 2)
		program.left_ns *= 5;
	if (option("bursts") > 0)
		program.burst = next_uniform() * option("slices") * PERIOD_NS <
						option("bursts") * option("turn_us") * 1000
					? BURST
					: 0;
}

static double count_of(uint32_t event, double step_ns)
{
	double burst = program.burst;

	if (event != MISSES || option("bursts") <= 0)
		return step_ns * rate_of(program.at, event);
	if (step_ns < program.left_ns)
		return 0;
	program.burst = 0;
	return burst;
}

/* An event whose left-th occurrence from now ends a slice. */
struct trigger {
	uint32_t event, rarity, n_ticks;
	double left;
};

/* Runs for so long, or until the trigger (NULL: there is none) overflows; adds what it counts.
 * Returns how long it ran. */
static double run_for(double ns, struct trigger *trigger, double counts[N_EVENTS])
{
	double ran_ns = 0;

	while (ran_ns < ns && !(trigger && trigger->left <= 0)) {
		double step = fmin(ns - ran_ns, program.left_ns);
		double rate = trigger ? rate_of(program.at, trigger->event) : 0;
		bool overflows = rate > 0 && trigger->left <= step * rate;

		if (overflows)
			step = trigger->left / rate;
		program.time_ns[program.at] += step;
		for (uint32_t e = 0; e < N_EVENTS; e++) {
			double count = count_of(e, step);

			program.counts[program.at][e] += count;
			counts[e] += count;
		}
		if (trigger)
			trigger->left = overflows ? 0 : trigger->left - step * rate;
		ran_ns += step;
		program.left_ns -= step;
		if (program.left_ns <= 0)
			next_turn();
	}
	return ran_ns;
}

static const uint8_t holds_all[] = { 1, 2, 3, 4 };
static const uint8_t holds_by_turns[] = { 1, 2, 3, 0, 1, 2, 0, 3 };

static struct ep_groups groups_of_run(void)
{
	bool has_turns = option("groups") > 1;

	return (struct ep_groups){
		.n_events = N_EVENTS,
		.n_groups = has_turns ? 2 : 1,
		.period_us = PERIOD_NS / 1000,
		.holds = (uint8_t *)(has_turns ? holds_by_turns : holds_all),
	};
}

/* Each occurrence ends the slice with probability 2^-rarity. */
static void draw(struct trigger *trigger)
{
	double p = ldexp(1, -(int)trigger->rarity);

	trigger->left = p >= 1 ? 1 : ceil(log(1 - next_uniform()) / log1p(-p));
}

/* Draws one of the group's events as trigger, as rare as was right for what it counted so far. */
static struct trigger arm(const struct ep_groups *groups, uint32_t group)
{
	struct trigger trigger = { 0 };
	double count = 0, time_ns = 0;

	do
		trigger.event = (uint32_t)(next_uniform() * N_EVENTS);
	while (!groups->holds[group * N_EVENTS + trigger.event]);
	for (uint32_t i = 0; i < program.n_procedures; i++) {
		count += program.counts[i][trigger.event];
		time_ns += program.time_ns[i];
	}
	count *= PERIOD_NS / fmax(time_ns, 1) / option("ticks");
	trigger.rarity = count > 1 ? (uint32_t)log2(count) : 0;
	draw(&trigger);
	return trigger;
}

/* So many ticks in a window make the next ones half as likely, as in preload/recording/trigger.c. */
enum { TICKS_TO_HALVE = 4 };

static void draw_again(struct trigger *trigger)
{
	if (++trigger->n_ticks % TICKS_TO_HALVE == 0)
		trigger->rarity++;
	draw(trigger);
}

/* The trace that is being written: slices of one window after the other. Nothing is known of how frequent
 * an event is in the first one, which therefore has no trigger. */
static struct window {
	uint64_t n_windows;
	double left_ns;
	uint32_t group;
	bool has_trigger;
	struct trigger trigger;
} window;

/* A draw from a standard normal distribution (Box and Muller 1958). */
static double next_normal(void)
{
	double radius = sqrt(-2 * log(1 - next_uniform()));

	return radius * cos(6.283185307179586 * next_uniform());
}

static void open_window(const struct ep_groups *groups)
{
	window.left_ns = PERIOD_NS * (0.875 + 0.25 * next_uniform());
	if (option("uneven") > 0)
		window.left_ns *= exp(option("uneven") * next_normal());
	window.group = (uint32_t)(window.n_windows++ % groups->n_groups);
	window.has_trigger = option("ticks") > 0 && window.n_windows > 1;
	if (window.has_trigger)
		window.trigger = arm(groups, window.group);
}

static void put_slice(
	const struct ep_groups *groups, struct ep_sample *s, uint64_t values[N_EVENTS])
{
	struct trigger *trigger = window.has_trigger ? &window.trigger : NULL;
	double counts[N_EVENTS] = { 0 }, ns;
	uint32_t flags = 0, at;

	ns = run_for(window.left_ns, trigger, counts);
	at = program.at;
	window.left_ns -= ns;
	if (trigger)
		flags = ep_sample_trigger_flags(trigger->event, trigger->rarity);
	if (window.left_ns > 0)
		flags |= EP_SAMPLE_AT_EVENT;
	*s = (struct ep_sample){ .cpu_us = (uint64_t)(ns / 1000 + 0.5),
		.wall_us = (uint64_t)(ns / 1000 + 0.5),
		.node_idx = 2 + at,
		.group = (uint16_t)window.group,
		.flags = flags };
	for (uint32_t e = 0; e < N_EVENTS; e++)
		values[e] = (uint64_t)(counts[e] + 0.5);
	if (window.left_ns > 0)
		draw_again(trigger);
	else
		open_window(groups);
}

static void put_stacks(struct trace_writer *writer)
{
	struct ep_stack_node nodes[1 + MOST_PROCEDURES] = { { 0, 0, 0x1010 } };

	for (uint32_t i = 0; i < program.n_procedures; i++)
		nodes[1 + i] = (struct ep_stack_node){ 1, 0, 0x2000 + 0x100 * i + 0x10 };
	trace_put_stacks(writer,
		&(struct ep_stacks){ program.thread, 0, 1, 1 + program.n_procedures, nodes });
}

/* Until there were as many windows as slices are wanted. */
static void put_slices(struct trace_writer *writer)
{
	static struct ep_sample samples[BLOCK_SLICES];
	static uint64_t values[BLOCK_SLICES][N_EVENTS];
	struct ep_groups groups = groups_of_run();
	uint64_t n_windows = (uint64_t)option("slices"), time_us = 0, done = 0;

	program.thread++;
	put_stacks(writer);
	next_turn();
	window = (struct window){ 0 };
	open_window(&groups);
	while (window.n_windows <= n_windows) {
		uint64_t before_us = time_us;
		uint32_t n = 0;

		for (; n < BLOCK_SLICES && window.n_windows <= n_windows; n++) {
			program.phase = option("phases") > 1 && window.n_windows * 2 > n_windows;
			put_slice(&groups, &samples[n], values[n]);
			time_us += samples[n].cpu_us;
		}
		trace_flush(writer);
		trace_put_samples(writer, &groups,
			&(struct ep_samples){ program.thread, 0, n, done, samples, values[0] },
			before_us);
		done += n;
	}
}

static void put_meta(struct trace_writer *writer)
{
	char text[2048];

	snprintf(text, sizeof(text),
		"evprof\t0.1.0\nrun\tnode17:100:5000\npid\t%d\nborn\troot\nexe\t/opt/bin/turns\n"
		"host\tnode17\nkernel\t6.1.0\narch\tx86_64\ncpu\tImagined CPU\nn_cpus\t4\n"
		"realtime_ns\t1700000000000000000\nargv\tturns\nsource\tperf\nclock\ttask-clock\n"
		"period_ns\t%d\nevent\t0\tcycles\talways\tcount\nevent\t1\tinstructions\talways\tcount\n"
		"event\t2\tloads\t-\tcount\nevent\t3\tmisses\t-\tcount\nticks\t%s\n%s",
		PID, PERIOD_NS, option("ticks") > 0 ? "time+events" : "time",
		option("groups") > 1 ? "group\t0\t0,1,2\ngroup\t1\t0,1,3\n"
				     : "group\t0\t0,1,2,3\n");
	trace_put_meta(writer, text);
}

static int put_truth(const char *path)
{
	EP_AUTOFCLOSE FILE *out = fopen(path, "we");

	if (!out)
		return -1;
	puts("1000 100 main");
	for (uint32_t i = 0; i < program.n_procedures; i++) {
		printf("%x 100 p%u\n", 0x2000 + 0x100 * i, i);
		fprintf(out, "p%u %.0f", i, program.time_ns[i] / 1000);
		for (uint32_t e = 0; e < N_EVENTS; e++)
			fprintf(out, " %s=%.0f", event_names[e], program.counts[i][e]);
		fputc('\n', out);
	}
	return ferror(out) ? -1 : 0;
}

int main(int argc, char **argv)
{
	static struct trace_writer writer;

	for (int i = 3; i < argc; i++)
		if (take_option(argv[i])) {
			fprintf(stderr, "turns: no option %s\n", argv[i]);
			return 2;
		}
	if (argc < 3) {
		fprintf(stderr, "usage: turns OUT.gz TRUTH [KEY=VALUE...] > PERF_MAP\n");
		return 2;
	}
	program.n_procedures = (uint32_t)option("procedures");
	trace_writer_init(&writer, fopen(argv[1], "we"));
	writer.key = (struct ep_process_key){ PID, 1000000000000 };
	put_meta(&writer);
	for (int i = 0; i < option("threads"); i++)
		put_slices(&writer);
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
	return put_truth(argv[2]) ? 1 : 0;
}
