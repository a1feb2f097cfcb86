// SPDX-License-Identifier: BSD-3-Clause
/* Writes and continues measurement tables, which have counts of G events in R repetitions by T threads at P points. */
#include "kernels/measure/measure_table.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "kernels/derive/select.h"
#include "kernels/report/output.h"

static int write_labelled(const char *folder, const char *file, const struct ep_labelled *matrix,
	const char *corner, struct ep_error *err)
{
	EP_AUTOFREE char *text = NULL;
	char path[PATH_MAX];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return ep_fail(err, -ENOMEM, "out of memory");
	ep_labelled_write(matrix, corner, out);
	fclose(out);
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return ep_output_write(path, text, size, err);
}

static int write_params(const char *folder, const struct ep_params *params, size_t n_reps,
	size_t n_threads, struct ep_error *err)
{
	struct json_object *root = json_object_new_object();
	char path[PATH_MAX];

	json_object_object_add(root, "tau", json_object_new_double(params->tau));
	json_object_object_add(root, "alpha", json_object_new_double(params->alpha));
	json_object_object_add(
		root, "projection_cut", json_object_new_double(params->projection_cut));
	json_object_object_add(root, "coefficient_tolerance",
		json_object_new_double(params->coefficient_tolerance));
	json_object_object_add(root, "title", json_object_new_string(params->title));
	json_object_object_add(root, "cpu", json_object_new_string(params->cpu));
	json_object_object_add(root, "cpu_key", json_object_new_string(params->cpu_key));
	json_object_object_add(root, "kernel", json_object_new_string(params->kernel));
	json_object_object_add(root, "date", json_object_new_string(params->date));
	json_object_object_add(root, "repetitions", json_object_new_int64((int64_t)n_reps));
	json_object_object_add(root, "threads", json_object_new_int64((int64_t)n_threads));
	const char *text = json_object_to_json_string_ext(
		root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	snprintf(path, sizeof(path), "%s/params.json", folder);
	int rc = ep_output_write(path, text, strlen(text), err);
	json_object_put(root);
	return rc;
}

static int make_folder(const char *folder, struct ep_error *err)
{
	if (mkdir(folder, 0777) && errno != EEXIST)
		return ep_fail_at(err, -errno, (struct ep_place){ folder, 0, 0 },
			"cannot make the folder: %s", strerror(errno));
	return 0;
}

static char *print_header(const struct ep_run *run)
{
	const struct ep_labels *points = &run->set.basis.rows;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("event,rep,thread", out);
	for (size_t p = 0; p < points->n; p++)
		fprintf(out, ",%s", points->items[p]);
	fputc('\n', out);
	fclose(out);
	return text;
}

/* Returns the length of the event's name, which ends at the line's first comma. */
static size_t name_length(const char *line)
{
	return strcspn(line, ",\n");
}

/* Copies the lines of one event to kept, if all of them are there and complete. Returns where the next event
 * begins. */
static const char *take_event(struct ep_measure_table *rows, const char *text, FILE *kept)
{
	size_t length = name_length(text), n_lines = 0, n_wanted = rows->n_reps * rows->n_threads;
	const char *line = text, *newline;

	while (*line && name_length(line) == length && !memcmp(line, text, length)) {
		newline = strchr(line, '\n');
		if (!newline)
			return line + strlen(line);
		n_lines++;
		line = newline + 1;
	}
	if (n_lines == n_wanted)
		fwrite(text, 1, (size_t)(line - text), kept);
	return line;
}

/* Lists the events of the lines; cuts the text in place. */
static int list_done(struct ep_measure_table *rows, char *text)
{
	while (*text) {
		char *newline = strchr(text, '\n');
		size_t idx;
		int is_new;

		text[name_length(text)] = '\0';
		if (ep_labels_add(&rows->done, text, &idx, &is_new))
			return -ENOMEM;
		text = newline + 1;
	}
	return 0;
}

/* Continues the table of an earlier run: writes the complete events to a new file. */
static int continue_table(
	struct ep_measure_table *rows, const char *old, const char *header, struct ep_error *err)
{
	size_t header_size = strlen(header), size;
	FILE *kept = open_memstream(&rows->old_text, &size);

	if (!kept)
		return ep_fail(err, -ENOMEM, "out of memory");
	fputs(header, kept);
	for (const char *at = old + header_size; *at;)
		at = take_event(rows, at, kept);
	fclose(kept);
	int rc = ep_output_write(rows->path, rows->old_text, size, err);
	if (!rc && list_done(rows, rows->old_text + header_size))
		rc = ep_fail(err, -ENOMEM, "out of memory");
	return rc;
}

static int begin_table(struct ep_measure_table *rows, struct ep_error *err)
{
	EP_AUTOFREE char *header = print_header(rows->run);
	EP_AUTOFREE char *old = NULL;
	size_t size;

	if (!header)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (access(rows->path, F_OK))
		return ep_output_write(rows->path, header, strlen(header), err);
	int rc = ep_file_read(rows->path, &old, &size, err);
	if (rc)
		return rc;
	if (strncmp(old, header, strlen(header)))
		return ep_fail_at(err, -EEXIST, (struct ep_place){ rows->path, 1, 0 },
			"holds other points than this machine's; give another folder");
	return continue_table(rows, old, header, err);
}

int ep_measure_table_open(struct ep_measure_table *rows, const char *folder,
	const struct ep_run *run, size_t n_reps, struct ep_error *err)
{
	int rc = make_folder(folder, err);

	*rows = (struct ep_measure_table){
		.run = run, .fd = -1, .n_reps = n_reps, .n_threads = run->n_threads
	};
	if (!rc && asprintf(&rows->path, "%s/%s", folder,
			   run->kernel->has_basis ? "events.csv" : "curves.csv") < 0)
		rc = ep_fail(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = begin_table(rows, err);
	if (!rc)
		rc = write_labelled(folder, "basis.csv", &run->set.basis, "point", err);
	if (!rc)
		rc = write_labelled(folder, "signatures.csv", &run->set.signatures, "metric", err);
	if (!rc)
		rc = write_params(folder, &run->set.params, n_reps, run->n_threads, err);
	if (!rc) {
		rows->fd = open(rows->path, O_WRONLY | O_APPEND | O_CLOEXEC);
		if (rows->fd < 0)
			rc = ep_fail_at(err, -errno, (struct ep_place){ rows->path, 0, 0 },
				"cannot append: %s", strerror(errno));
	}
	if (rc)
		ep_measure_table_close(rows);
	return rc;
}

static void print_event(
	const struct ep_measure_table *rows, const char *name, const double *values, FILE *out)
{
	size_t n_points = rows->run->set.basis.rows.n;

	for (size_t r = 0; r < rows->n_reps; r++)
		for (size_t t = 0; t < rows->n_threads; t++) {
			fprintf(out, "%s,%zu,%zu", name, r, t);
			for (size_t p = 0; p < n_points; p++)
				fprintf(out, ",%.12g", *values++);
			fputc('\n', out);
		}
}

int ep_measure_table_append(struct ep_measure_table *rows, const char *const *names,
	size_t n_events, const double *values, struct ep_error *err)
{
	size_t n_values = rows->n_reps * rows->n_threads * rows->run->set.basis.rows.n, size;
	EP_AUTOFREE char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t g = 0; g < n_events; g++)
		print_event(rows, names[g], values + g * n_values, out);
	fclose(out);
	if (write(rows->fd, text, size) != (ssize_t)size)
		return ep_fail_at(err, -EIO, (struct ep_place){ rows->path, 0, 0 },
			"cannot write: %s", strerror(errno));
	return 0;
}

void ep_measure_table_close(struct ep_measure_table *rows)
{
	if (rows->fd >= 0)
		close(rows->fd);
	ep_labels_finish(&rows->done);
	free(rows->old_text);
	free(rows->path);
	*rows = (struct ep_measure_table){ .fd = -1 };
}
