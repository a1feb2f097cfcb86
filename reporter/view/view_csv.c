// SPDX-License-Identifier: BSD-3-Clause
/* Prints one table as CSV with a header line (RFC 4180): procedures, or the table that --by names. An empty cell
 * means that the value is not known. */
#include <inttypes.h>
#include <math.h>

#include "common/cleanup.h"
#include "common/table.h"
#include "reporter/text/ended.h"
#include "reporter/view/view.h"

static void put_event_names(FILE *out, const struct ep_report *report)
{
	static const char *const columns[] = { "", " error", " measured_share" };

	for (uint32_t e = 0; e < report->n_events; e++)
		for (size_t i = 0; i < EP_ARRAY_SIZE(columns); i++) {
			char name[512];

			snprintf(name, sizeof(name), "%s%s", report->events[e].name, columns[i]);
			fputc(',', out);
			ep_table_put_text(out, name);
		}
	fputc('\n', out);
}

static void put_values(
	FILE *out, const struct ep_report *report, const struct ep_report_value *values)
{
	for (uint32_t e = 0; e < report->n_events; e++) {
		const struct ep_quantity *count = &values[e].count;

		if (!ep_quantity_is_known(count))
			fputs(",,,", out);
		else if (count->state == EP_QUANTITY_ROUGH)
			fprintf(out, ",%.17g,,%.4g", count->value, values[e].measured_share);
		else
			fprintf(out, ",%.17g,%.4g,%.4g", count->value, count->error,
				values[e].measured_share);
	}
	fputc('\n', out);
}

static void put_table(
	FILE *out, const struct ep_report *report, const struct ep_report_table *table)
{
	fputs("name,module,file,line,hot_file,hot_line,inlined,n_samples,self_ns,total_ns,self_share,self_share_error,total_share,total_share_error",
		out);
	put_event_names(out, report);
	for (uint32_t i = 0; i < table->n_shown; i++) {
		const struct ep_report_row *row = &table->rows[i];
		char line[16] = "", hot_line[16] = "";

		if (row->line)
			snprintf(line, sizeof(line), "%u", row->line);
		if (row->hot_line)
			snprintf(hot_line, sizeof(hot_line), "%u", row->hot_line);
		ep_table_put_text(out, row->name);
		fputc(',', out);
		ep_table_put_text(out, row->module);
		fputc(',', out);
		ep_table_put_text(out, row->file);
		fprintf(out, ",%s,", line);
		ep_table_put_text(out, row->hot_file);
		fprintf(out, ",%s,%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64, hot_line, row->is_inlined,
			row->n_samples, row->self_ns, row->total_ns);
		fprintf(out, ",%.6g,%.4g,%.6g,%.4g", row->self_share, row->self_error,
			row->total_share, row->total_error);
		put_values(out, report, row->values);
	}
}

static void put_procedures(FILE *out, const struct ep_report *report)
{
	put_table(out, report, &report->procedures);
}

static void put_lines(FILE *out, const struct ep_report *report)
{
	put_table(out, report, &report->lines);
}

static void put_loops(FILE *out, const struct ep_report *report)
{
	put_table(out, report, &report->loops);
}

static void put_modules(FILE *out, const struct ep_report *report)
{
	put_table(out, report, &report->modules);
}

static void put_languages(FILE *out, const struct ep_report *report)
{
	put_table(out, report, &report->languages);
}

static void put_waits(FILE *out, const struct ep_report_waits *waits)
{
	fputc(',', out);
	if (!waits->is_unknown)
		fprintf(out, "%" PRIu64, waits->all_ns);
	fputc(',', out);
	if (!waits->has_unknown)
		fprintf(out, "%" PRIu64, waits->ready_ns);
}

static void put_threads(FILE *out, const struct ep_report *report)
{
	fputs("pid,tid,program,name,start_s,duration_s,cpu_ns,hidden_kernel_ns,waiting_ns,ready_ns,n_samples,n_lost,n_minor_faults,n_major_faults,n_voluntary_switches,n_involuntary_switches",
		out);
	put_event_names(out, report);
	for (uint32_t i = 0; i < report->n_threads_shown; i++) {
		const struct ep_report_thread *row = &report->threads[i];

		fprintf(out, "%u,%u,", row->pid, row->tid);
		ep_table_put_text(out, row->program);
		fputc(',', out);
		ep_table_put_text(out, row->name);
		fprintf(out, ",%.6f,", row->start_s);
		if (!isnan(row->duration_s))
			fprintf(out, "%.6f", row->duration_s);
		fprintf(out, ",%" PRIu64 ",%" PRIu64, row->cpu_ns, row->hidden_ns);
		put_waits(out, &row->waits);
		fprintf(out, ",%" PRIu64 ",%" PRIu64, row->n_samples, row->n_lost);
		if (row->has_usage)
			fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
				row->n_minor_faults, row->n_major_faults, row->n_voluntary,
				row->n_involuntary);
		else
			fputs(",,,,", out);
		put_values(out, report, row->values);
	}
}

static void put_processes(FILE *out, const struct ep_report *report)
{
	fputs("pid,program,command,rank,born,ended,start_s,duration_s,n_threads,n_samples,n_lost,cpu_ns,hidden_kernel_ns,waiting_ns,ready_ns,evprof_ns,user_s,system_s,peak_rss_kib\n",
		out);
	for (uint32_t i = 0; i < report->n_processes_shown; i++) {
		const struct ep_report_process *row = &report->processes[i];
		char ended[EP_ENDED_BYTES];
		const char *texts[] = { row->program, row->command, row->rank,
			ep_born_names[row->born], ep_ended_text(row, ended) };

		fprintf(out, "%u", row->pid);
		for (size_t t = 0; t < EP_ARRAY_SIZE(texts); t++) {
			fputc(',', out);
			ep_table_put_text(out, texts[t]);
		}
		fprintf(out, ",%.6f,%.6f,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			row->start_s, row->duration_s, row->n_threads, row->n_samples, row->n_lost,
			row->cpu_ns, row->hidden_ns);
		put_waits(out, &row->waits);
		fprintf(out, ",%" PRIu64, row->own_ns);
		if (ep_quantity_is_known(&row->user_s))
			fprintf(out, ",%.6f,%.6f,%" PRIu64 "\n", row->user_s.value,
				row->system_s.value, row->peak_rss_kib);
		else
			fputs(",,,\n", out);
	}
}

static void put_noted_waits(FILE *out, const struct ep_report *report)
{
	fputs("kind,what,path,holder,n_threads,n_waits,ns,longest_ns,share,is_estimate\n", out);
	for (uint32_t i = 0; i < report->n_noted_waits_shown; i++) {
		const struct ep_report_wait *row = &report->noted_waits[i];
		const char *texts[] = { row->kind, row->what, row->path,
			row->n_holders ? row->holders[0].path : NULL };

		for (size_t t = 0; t < EP_ARRAY_SIZE(texts); t++) {
			if (texts[t])
				ep_table_put_text(out, texts[t]);
			fputc(',', out);
		}
		fprintf(out, "%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6g,%d\n", row->n_threads,
			row->n_waits, row->ns, row->longest_ns, row->share, row->is_estimate);
	}
}

static void put_groups(FILE *out, const struct ep_report_group *rows, uint32_t n)
{
	fputs("name,host,n_ranks,n_processes,n_threads,cpu_ns,ready_ns,own_s,mpi_share,slowest_rank,ghz,stolen_share,n_minor_faults,n_major_faults\n",
		out);
	for (uint32_t i = 0; i < n; i++) {
		ep_table_put_text(out, rows[i].name);
		fputc(',', out);
		ep_table_put_text(out, rows[i].host);
		fprintf(out, ",%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%.6f,", rows[i].n_ranks,
			rows[i].n_processes, rows[i].n_threads, rows[i].cpu_ns, rows[i].ready_ns,
			rows[i].own_s);
		if (!isnan(rows[i].mpi_share))
			fprintf(out, "%.6g", rows[i].mpi_share);
		fputc(',', out);
		if (rows[i].slowest_rank)
			ep_table_put_text(out, rows[i].slowest_rank);
		fputc(',', out);
		if (rows[i].counted_us > 0)
			fprintf(out, "%.6g", ep_group_ghz(&rows[i]));
		fputc(',', out);
		if (!isnan(rows[i].stolen_share))
			fprintf(out, "%.6g", rows[i].stolen_share);
		fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", rows[i].n_minor_faults,
			rows[i].n_major_faults);
	}
}

static void put_ranks(FILE *out, const struct ep_report *report)
{
	put_groups(out, report->rank_rows, report->n_rank_rows);
}

static void put_hosts(FILE *out, const struct ep_report *report)
{
	put_groups(out, report->host_rows, report->n_host_rows);
}

/* Writes a region's numbers; errors are known only if there is a sample. */
static void put_region_numbers(FILE *out, const struct ep_report_region *row)
{
	const double numbers[] = { (double)row->n_entries, row->wall_s, (double)row->self_ns,
		(double)row->total_ns, row->self_share, row->self_error, row->total_share,
		row->total_error, row->waiting_s, row->waiting_error_s };

	for (size_t i = 0; i < EP_ARRAY_SIZE(numbers); i++) {
		fputc(',', out);
		if (!isnan(numbers[i]))
			fprintf(out, "%.17g", numbers[i]);
	}
	fprintf(out, ",%d\n", row->is_estimate);
}

static void put_regions(FILE *out, const struct ep_report *report)
{
	fputs("name,depth,n_entries,wall_s,self_ns,total_ns,self_share,self_error,total_share,total_error,waiting_s,waiting_error_s,is_estimate\n",
		out);
	for (uint32_t i = 0; i < report->n_regions; i++) {
		ep_table_put_text(out, report->regions[i].name);
		fprintf(out, ",%u", report->regions[i].depth);
		put_region_numbers(out, &report->regions[i]);
	}
}

static void (*const tables[])(FILE *out, const struct ep_report *report) = {
	[EP_BY_ALL] = put_procedures,
	[EP_BY_PROCEDURES] = put_procedures,
	[EP_BY_LINES] = put_lines,
	[EP_BY_MODULES] = put_modules,
	[EP_BY_THREADS] = put_threads,
	[EP_BY_PROCESSES] = put_processes,
	[EP_BY_WAITS] = put_noted_waits,
	[EP_BY_LOOPS] = put_loops,
	[EP_BY_LANGUAGES] = put_languages,
	[EP_BY_RANKS] = put_ranks,
	[EP_BY_HOSTS] = put_hosts,
	[EP_BY_REGIONS] = put_regions,
};

static int print_csv(
	FILE *out, const struct ep_report *report, const struct ep_view_options *options)
{
	tables[options->by](out, report);
	return 0;
}

const struct ep_report_view ep_report_view_csv = { "csv", print_csv };
