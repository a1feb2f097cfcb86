// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/annotate/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"

enum {
	MOST_LINE_BYTES = 4000,
	TAB = 4 /* narrower than usual, since a line has little room */
};
static const off_t most_bytes = 64 << 20;

/* Opens a regular file. Reading a pipe might wait for its writer, and never end. */
static FILE *open_regular(const char *path, struct stat *st)
{
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *file;

	if (fd < 0 || fstat(fd, st) || !S_ISREG(st->st_mode) || st->st_size > most_bytes)
		return NULL;
	file = fdopen(fd, "r");
	if (file)
		fd = -1;
	return file;
}

static FILE *open_source(const struct ep_sources *sources, const char *path, struct stat *st)
{
	char below[4096];

	if (sources->sysroot && (size_t)snprintf(below, sizeof(below), "%s%s", sources->sysroot,
					path) < sizeof(below)) {
		FILE *file = open_regular(below, st);

		if (file)
			return file;
	}
	return open_regular(path, st);
}

/* Keeps a copy of a line, with tabs replaced by blanks up to the next tab stop. The end of a line that is too long
 * is cut off. */
static const char *keep_line(struct ep_sources *sources, const char *line)
{
	char text[MOST_LINE_BYTES + TAB];
	size_t n = 0;

	for (; *line && *line != '\n' && *line != '\r' && n < MOST_LINE_BYTES; line++)
		if (*line == '\t')
			do
				text[n++] = ' ';
			while (n % TAB);
		else
			text[n++] = *line;
	return ep_strings_add(&sources->texts, text, n);
}

static int read_lines(struct ep_sources *sources, FILE *file, struct ep_source_file *source)
{
	EP_AUTOFREE char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, file) >= 0) {
		const char *text = keep_line(sources, line);

		if (!text || EP_ARRAY_RESERVE(source->lines, source->n_lines, source->capacity))
			return -ENOMEM;
		source->lines[source->n_lines++] = text;
	}
	return 0;
}

static int read_source(struct ep_sources *sources, struct ep_source_file *source)
{
	struct stat st;
	EP_AUTOFCLOSE FILE *file = open_source(sources, source->path, &st);

	if (!file)
		return 0;
	source->state = EP_SOURCE_FOUND;
	if (sources->run_start_ns &&
		(uint64_t)st.st_mtim.tv_sec > sources->run_start_ns / 1000000000)
		source->state = EP_SOURCE_NEWER;
	return read_lines(sources, file, source);
}

const struct ep_source_file *ep_sources_open(struct ep_sources *sources, const char *path)
{
	struct ep_source_file source = { .path = path, .state = EP_SOURCE_ABSENT };

	for (uint32_t i = 0; i < sources->n_rows; i++)
		if (!strcmp(sources->rows[i].path, path))
			return &sources->rows[i];
	if (EP_ARRAY_RESERVE(sources->rows, sources->n_rows, sources->capacity) ||
		read_source(sources, &source)) {
		free(source.lines);
		return NULL;
	}
	sources->rows[sources->n_rows] = source;
	return &sources->rows[sources->n_rows++];
}

const char *ep_sources_line(struct ep_sources *sources, const char *path, uint32_t line)
{
	const struct ep_source_file *source = path ? ep_sources_open(sources, path) : NULL;

	return source && line && line <= source->n_lines ? source->lines[line - 1] : NULL;
}

void ep_sources_finish(struct ep_sources *sources)
{
	for (uint32_t i = 0; i < sources->n_rows; i++)
		free(sources->rows[i].lines);
	free(sources->rows);
	ep_strings_finish(&sources->texts);
	sources->rows = NULL;
	sources->n_rows = sources->capacity = 0;
}
