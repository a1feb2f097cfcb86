// SPDX-License-Identifier: BSD-3-Clause
/* evreport dump [TRACE]: prints every record on one line, in the order of the file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/foreign_text.h"
#include "common/options.h"
#include "common/trace_made_code.h"
#include "reporter/command/cmd_report.h"
#include "reporter/command/dump_callgrind.h"
#include "reporter/load/loader.h"
#include "reporter/load/reduced.h"

/* Prints text from a file without signs that would control the terminal; tabs are kept. */
static void put_text(const char *text, size_t size)
{
	EP_AUTOFREE char *shown = size ? malloc(size) : NULL;

	if (!shown)
		return;
	memcpy(shown, text, size);
	ep_foreign_text_clean(shown, size, "\t");
	fwrite(shown, 1, size, stdout);
}

static int dump_meta(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_meta_line line;
	size_t at = 0;
	int rc;

	while ((rc = ep_meta_next(block, &at, &line)) == 1) {
		printf("  ");
		put_text(line.key, line.key_size);
		putchar('\t');
		put_text(line.value, line.value_size);
		putchar('\n');
	}
	return rc ? rc : ep_trace_process_take_meta(trace, process, block);
}

static int dump_modules(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_module m;
	size_t at = 0;
	int rc;

	while ((rc = ep_modules_next(block, &at, &m)) == 1) {
		printf("  module %u at %" PRIu64 " us: %#" PRIx64 "-%#" PRIx64 " bias %#" PRIx64
		       " ",
			m.id, m.time_us, m.start, m.end, m.bias);
		put_text(m.path, m.path_size);
		printf(" build-id ");
		for (size_t i = 0; i < m.build_id_size; i++)
			printf("%02x", m.build_id[i]);
		printf("%s\n", m.build_id_size ? "" : "-");
	}
	return rc;
}

static int dump_stacks(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_stacks stacks;
	int rc = ep_stacks_decode(block, &stacks);

	if (rc)
		return rc;
	printf("  thread %u epoch %u\n", stacks.thread, stacks.epoch);
	for (uint32_t i = 0; i < stacks.n_nodes; i++)
		printf("  node %u: parent %u module %u address %#" PRIx64 "\n",
			stacks.first_idx + i, stacks.nodes[i].parent_idx, stacks.nodes[i].module_id,
			stacks.nodes[i].address);
	free(stacks.nodes);
	return 0;
}

static void dump_sample(
	const struct ep_groups *groups, const struct ep_samples *samples, uint32_t i)
{
	const struct ep_sample *s = &samples->samples[i];

	printf("  slice %" PRIu64 ": until %" PRIu64 " us cpu %" PRIu64 " wall %" PRIu64
	       " idle %" PRIu64 " node %u group %u flags %u",
		samples->first_slice + i, s->time_us, s->cpu_us, s->wall_us, s->idle_us,
		s->node_idx, s->group, s->flags);
	for (uint32_t e = 0; e < groups->n_events; e++)
		if (groups->n_groups && groups->holds[(size_t)s->group * groups->n_events + e] &&
			!(s->flags & EP_SAMPLE_NOT_RUN))
			printf(" e%u=%" PRIu64, e,
				samples->values[(size_t)i * groups->n_events + e]);
	printf("\n");
}

static int dump_samples(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_samples samples;
	int rc;

	if (!process->has_meta) {
		printf("  cannot be read without the process's META\n");
		return 0;
	}
	rc = ep_samples_decode(block, &process->groups, &samples);
	if (rc)
		return rc;
	printf("  thread %u epoch %u: %u samples\n", samples.thread, samples.epoch,
		samples.n_samples);
	for (uint32_t i = 0; i < samples.n_samples; i++)
		dump_sample(&process->groups, &samples, i);
	free(samples.samples);
	free(samples.values);
	return 0;
}

static void dump_group_totals(const struct ep_totals *totals, uint32_t g)
{
	const struct ep_group_totals *group = &totals->groups[g];

	printf("  group %u: %" PRIu64 " slices, enabled %" PRIu64 " ns, running %" PRIu64
	       " ns, counts",
		g, group->n_slices, group->enabled_ns, group->running_ns);
	for (uint32_t i = 0; i < group->n_counts; i++)
		printf(" %" PRIu64, totals->counts[group->first_count + i]);
	printf("\n");
}

static int dump_totals(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_totals t;
	int rc = ep_totals_decode(block, &t);

	if (rc)
		return rc;
	printf("  thread %u tid %u ", t.thread, t.tid);
	put_text(t.name, t.name_size);
	printf("%s: %" PRIu64 "-%" PRIu64 " us, cpu %" PRIu64 " ns, %" PRIu64 " samples, %" PRIu64
	       " lost, own %" PRIu64 " ns\n",
		t.final ? " final" : "", t.start_us, t.end_us, t.cpu_ns, t.n_samples, t.n_lost,
		t.own_ns);
	printf("  faults %" PRIu64 " minor %" PRIu64 " major, switches %" PRIu64
	       " voluntary %" PRIu64 " involuntary\n",
		t.n_minor_faults, t.n_major_faults, t.n_voluntary, t.n_involuntary);
	for (uint32_t g = 0; g < t.n_groups; g++)
		dump_group_totals(&t, g);
	free(t.groups);
	free(t.counts);
	return 0;
}

static int dump_end(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_end e;
	int rc = ep_end_decode(block, &e);

	if (rc)
		return rc;
	printf("  at %" PRIu64 " us, how %d, status %u, user %" PRIu64 " us, system %" PRIu64
	       " us, peak %" PRIu64 " KiB, note ",
		e.time_us, e.how, e.status, e.user_us, e.system_us, e.peak_rss_kib);
	put_text(e.note, e.note_size);
	putchar('\n');
	return 0;
}

static int dump_children(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	uint64_t us;
	int rc = ep_children_decode(block, &us);

	if (!rc)
		printf("  children waited for: cpu %" PRIu64 " us\n", us);
	return rc;
}

static int dump_note(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	uint64_t size = 0;
	size_t n = ep_varint_get(block->body, block->body + block->size_bytes, &size);

	if (!n || size != block->size_bytes - n)
		return -EBADMSG;
	printf("  ");
	put_text((const char *)block->body + n, size);
	putchar('\n');
	return 0;
}

static int dump_ready(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_ready_time time;
	int rc = ep_ready_time_decode(block, &time);

	if (rc)
		return rc;
	printf("  thread %u: %" PRIu64 " ns ready without a CPU, %" PRIu64 " turns on one\n",
		time.thread, time.ready_ns, time.n_turns);
	return 0;
}

static int dump_codes(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_codes_head head;
	struct ep_code code;
	size_t at;
	int rc = ep_codes_head_decode(block, &at, &head);

	if (rc)
		return rc;
	printf("  thread %u: %" PRIu64 " frames not named\n", head.thread, head.n_unread);
	while ((rc = ep_codes_next(block, &at, &code)) == 1) {
		printf("  code %u: Python 3.%u line %u table %zu bytes ", code.id, code.minor,
			code.first_line, code.table_size);
		put_text(code.name, code.name_size);
		printf(" of ");
		put_text(code.file, code.file_size);
		printf("\n");
	}
	return rc;
}

static int dump_machine(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	static const char *const names[EP_N_MACHINE_TIMES] = { "", "busy us", "stolen us",
		"periods", "periods stopped", "stopped us", "package uJ", "memory uJ",
		"memory bytes read", "memory bytes written", "memory bytes read and written" };
	struct ep_machine_times times;
	int rc = ep_machine_times_decode(block, &times);

	if (rc)
		return rc;
	printf("  at %" PRIu64 " us:", times.time_us);
	for (int i = 1; i < EP_N_MACHINE_TIMES; i++)
		if (times.is_known[i])
			printf(" %s %" PRIu64, names[i], times.values[i]);
	printf("\n");
	return 0;
}

static int dump_costs(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_costs_piece piece;
	int rc = ep_costs_decode(block, &piece);

	if (!rc)
		printf("  callgrind's file %u: %zu bytes%s\n", piece.file, piece.size,
			piece.is_last ? ", the last" : "");
	return rc;
}

static void dump_wait_sum(const struct ep_wait_sum *sum)
{
	if (!sum->off_ns) {
		printf("  kind %u: %" PRIu64 " calls not looked at\n", sum->kind, sum->n_waits);
		return;
	}
	printf("  node %u: kind %u, %" PRIu64 " waits, %" PRIu64 " ns, longest %" PRIu64
	       " ns, module %u address %#" PRIx64 ", name %u, holder %u at node %u kind %u\n",
		sum->node_idx, sum->kind, sum->n_waits, sum->off_ns, sum->longest_ns,
		sum->object_module, sum->object, sum->name, sum->holder, sum->holder_node,
		sum->holder_kind);
}

static int dump_waits(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_waits waits;
	int rc = ep_waits_decode(block, &waits);

	if (rc)
		return rc;
	printf("  thread %u epoch %u: %" PRIu64 " waits lost\n", waits.thread, waits.epoch,
		waits.n_lost);
	for (uint32_t i = 0; i < waits.n_names; i++) {
		printf("  name %u: ", i + 1);
		put_text(waits.names[i].text, waits.names[i].size);
		putchar('\n');
	}
	for (uint32_t i = 0; i < waits.n_sums; i++)
		dump_wait_sum(&waits.sums[i]);
	free(waits.sums);
	return 0;
}

static int dump_wait_regions(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_wait_regions regions;
	int rc = ep_wait_regions_decode(block, &regions);

	if (rc)
		return rc;
	printf("  thread %u:", regions.thread);
	for (uint32_t i = 0; i < regions.n_sums; i++)
		printf(" %u", regions.nodes[i]);
	putchar('\n');
	free(regions.nodes);
	return 0;
}

/* Prints only which sums a block of a reduced file has, since its numbers are of use to evreport only. */
static int dump_reduced(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	uint64_t kind = EP_N_REDUCED_KINDS;

	if (!ep_varint_get(block->body, block->body + block->size_bytes, &kind) ||
		kind >= EP_N_REDUCED_KINDS)
		return -EBADMSG;
	printf("  %s\n", ep_reduced_names[kind]);
	return 0;
}

static int dump_perf_map(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	const char *line = (const char *)block->body, *end = line + block->size_bytes;

	while (line < end) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));

		stop = stop ? stop : end;
		fputs("  ", stdout);
		put_text(line, (size_t)(stop - line));
		putchar('\n');
		line = stop + 1;
	}
	return 0;
}

static void dump_lines(const struct ep_made_code *code)
{
	struct ep_made_line line = { .address = code->start };
	size_t at = 0;

	while (ep_made_line_next(code, &at, &line)) {
		printf("    from %" PRIx64 " on line %u of ", line.address, line.line);
		put_text(line.file, line.file_size);
		putchar('\n');
	}
}

static int dump_made_code(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_made_code code;
	size_t at = 0;
	int rc;

	while ((rc = ep_made_code_next(block, &at, &code)) == 1) {
		printf("  %" PRIu64 " us: %" PRIx64 " %" PRIx64 " ", code.time_us, code.start,
			code.size_bytes);
		if (code.kind == EP_MADE_MOVE)
			printf("from %" PRIx64, code.old_start);
		else
			put_text(code.name, code.name_size);
		putchar('\n');
		dump_lines(&code);
	}
	return rc;
}

static int dump_regions(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_regions regions;
	int rc = ep_regions_decode(block, &regions);

	if (rc)
		return rc;
	printf("  thread %u, lost %" PRIu64 ", unmatched %" PRIu64 ", left %" PRIu64 ", open %u\n",
		regions.thread, regions.n_lost, regions.n_unmatched, regions.n_left,
		regions.n_open);
	for (uint32_t i = 0; i < regions.n_nodes; i++) {
		printf("  region %u in %u ", regions.first_node + i, regions.nodes[i].parent);
		put_text(regions.nodes[i].name, regions.nodes[i].name_size);
		putchar('\n');
	}
	for (uint32_t i = 0; i < regions.n_sums; i++)
		printf("  of region %u: entered %" PRIu64 " times, %" PRIu64 " ns\n",
			regions.sums[i].node, regions.sums[i].n_entries, regions.sums[i].wall_ns);
	for (uint32_t i = 0; i < regions.n_changes; i++)
		printf("  from slice %" PRIu64 " on region %u\n", regions.changes[i].slice,
			regions.changes[i].node);
	ep_regions_finish(&regions);
	return 0;
}

static const struct {
	const char *name;
	int (*dump)(struct ep_trace *trace, struct ep_trace_process *process,
		const struct ep_block *block);
} types[] = {
	[EP_BLOCK_META] = { "META", dump_meta },
	[EP_BLOCK_MODULES] = { "MODULES", dump_modules },
	[EP_BLOCK_STACKS] = { "STACKS", dump_stacks },
	[EP_BLOCK_SAMPLES] = { "SAMPLES", dump_samples },
	[EP_BLOCK_TOTALS] = { "TOTALS", dump_totals },
	[EP_BLOCK_END] = { "END", dump_end },
	[EP_BLOCK_NOTE] = { "NOTE", dump_note },
	[EP_BLOCK_READY] = { "READY", dump_ready },
	[EP_BLOCK_CHILDREN] = { "CHILDREN", dump_children },
	[EP_BLOCK_MACHINE] = { "MACHINE", dump_machine },
	[EP_BLOCK_COSTS] = { "COSTS", dump_costs },
	[EP_BLOCK_WAITS] = { "WAITS", dump_waits },
	[EP_BLOCK_CODE] = { "CODE", dump_codes },
	[EP_BLOCK_REDUCED] = { "REDUCED", dump_reduced },
	[EP_BLOCK_PERF_MAP] = { "PERF_MAP", dump_perf_map },
	[EP_BLOCK_REGIONS] = { "REGIONS", dump_regions },
	[EP_BLOCK_MADE_CODE] = { "MADE_CODE", dump_made_code },
	[EP_BLOCK_WAIT_REGIONS] = { "WAIT_REGIONS", dump_wait_regions },
};

static int dump_block(void *context, const struct ep_block *block, uint64_t member_at)
{
	struct ep_trace *trace = context;
	bool is_known = block->type < EP_ARRAY_SIZE(types) && types[block->type].dump;
	uint32_t idx;

	printf("@%" PRIu64 " %s pid %u birth %" PRIu64 ", %zu bytes\n", member_at,
		is_known ? types[block->type].name : "unknown type", block->key.pid,
		block->key.birth_ns, block->size_bytes);
	if (!is_known)
		return 0;
	if (ep_trace_process_find_or_add(trace, block->key, &idx))
		return -ENOMEM;
	if (types[block->type].dump(trace, &trace->processes[idx], block) == -EBADMSG)
		printf("  makes no sense\n");
	return ferror(stdout) ? -ECANCELED : 0;
}

static void print_damage(const struct ep_reader_stats *stats)
{
	if (stats->n_damages)
		printf("# %" PRIu64 " bytes in %" PRIu64
		       " places are damaged, the first at %" PRIu64 "\n",
			stats->damaged_bytes, stats->n_damages, stats->first_damage_at);
	if (stats->cut_bytes)
		printf("# cut: %" PRIu64 " bytes of a block at the end\n", stats->cut_bytes);
	printf("# %s\n", stats->ends_well ? "end mark" : "no end mark");
}

int ep_cmd_dump(int argc, char **argv)
{
	static const char usage[] =
		"usage: evreport dump [TRACE]\n"
		"       evreport dump --callgrind FOLDER [TRACE]\n\n"
		"Every record, one line each, in the order of the file; docs/trace-format.md explains them.\n"
		"--callgrind: in place of that, what callgrind wrote of each process (evprof run --source\n"
		"valgrind) as files in FOLDER, for KCachegrind and callgrind_annotate.\n";
	static const struct ep_reader_ops ops = { .block = dump_block };
	const char *folder = NULL, *path;
	const struct ep_option rows[] = { { "callgrind", .text = &folder, .expected = "a folder" },
		{ NULL } };
	const struct ep_options options = { "evreport dump", usage, .rows = rows };
	struct ep_trace *trace;
	struct ep_reader_stats stats;
	struct ep_error err;
	int rc = ep_options_read(&options, argc, argv);

	if (rc != EP_OPTIONS_READ)
		return rc;
	if (argc - optind > 1)
		return ep_options_refuse(&options, "name one trace");
	path = optind < argc ? argv[optind] : EP_DEFAULT_TRACE;
	if (folder)
		return ep_dump_callgrind(folder, path);
	trace = calloc(1, sizeof(*trace));
	if (!trace) {
		ep_fail(&err, -ENOMEM, "out of memory");
		ep_error_print(&err, "evreport dump");
		return 1;
	}
	rc = ep_reader_run(path, &ops, trace, &stats, &err);
	ep_trace_destroy(trace);
	if (rc == -ECANCELED) /* main() reports that stdout cannot be written */
		return 0;
	if (rc)
		ep_error_print(&err, "evreport dump");
	else
		print_damage(&stats);
	return rc ? 1 : 0;
}
