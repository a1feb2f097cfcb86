// SPDX-License-Identifier: BSD-3-Clause
/* Passes a table of options to getopt_long and handles the results. Only one thread may call these functions. */
#include "common/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define LONG_CODE 256 /* row i has the code LONG_CODE + i, above the code of each letter */

static void print_usage(const struct ep_options *options, FILE *out)
{
	if (options->is_quiet)
		return;
	fputs(options->usage, out);
	if (options->print_more)
		options->print_more(out);
}

static int refused_status(const struct ep_options *options)
{
	return options->refused ? options->refused : 2;
}

int ep_options_refuse(const struct ep_options *options, const char *message)
{
	if (options->is_quiet)
		return refused_status(options);
	if (message)
		fprintf(stderr, "%s: %s\n", options->command, message);
	if (options->hint)
		fputs(options->hint, stderr);
	else
		print_usage(options, stderr);
	return refused_status(options);
}

static int refuse_value(const struct ep_options *options, const struct ep_option *row,
	const char *value, const struct ep_error *err)
{
	if (options->is_quiet)
		return refused_status(options);
	if (row->read) {
		ep_error_print(err, options->command);
		return refused_status(options);
	}
	fprintf(stderr, "%s: --%s %s: expected %s\n", options->command, row->name, value,
		row->expected);
	return ep_options_refuse(options, NULL);
}

static int take_count(const struct ep_option *row, const char *value)
{
	char *end;
	unsigned long count = strtoul(value, &end, 10);

	/* strtoul would also accept blanks and a sign before the digits */
	if (*value < '0' || *value > '9' || *end || (double)count < row->least ||
		(double)count > row->most || count > UINT32_MAX)
		return -EINVAL;
	*row->count = (uint32_t)count;
	return 0;
}

static int take_number(const struct ep_option *row, const char *value)
{
	char *end;
	double number = strtod(value, &end);

	if (end == value || *end || !(number >= row->least && number <= row->most))
		return -EINVAL;
	*row->number = number;
	return 0;
}

static int take_value(const struct ep_option *row, const char *value, struct ep_error *err)
{
	if (row->read)
		return row->read(row->into, row->flag ? "1" : value, err);
	if (row->take)
		return row->take(row->into, value);
	if (row->count)
		return take_count(row, value);
	if (row->number)
		return take_number(row, value);
	if (row->text)
		*row->text = value;
	if (row->flag)
		*row->flag = true;
	return 0;
}

struct getopt_tables {
	struct option longs[EP_OPTIONS_MAX + 2];
	char shorts[2 * EP_OPTIONS_MAX + 3];
};

static int argument_of(const struct ep_option *row)
{
	if (!row->flag)
		return required_argument;
	return row->text ? optional_argument : no_argument;
}

static void make_tables(const struct ep_options *options, struct getopt_tables *out)
{
	const struct ep_option *rows = options->rows;
	char *letter = out->shorts;
	int n = 0;

	if (options->runs_program)
		*letter++ = '+';
	for (; rows[n].name; n++) {
		int argument = argument_of(&rows[n]);

		out->longs[n] = (struct option){ rows[n].name, argument, NULL, LONG_CODE + n };
		if (!rows[n].letter)
			continue;
		*letter++ = rows[n].letter;
		if (argument == required_argument)
			*letter++ = ':';
	}
	*letter++ = 'h';
	*letter = '\0';
	out->longs[n] = (struct option){ "help", no_argument, NULL, 'h' };
	out->longs[n + 1] = (struct option){ 0 };
}

/* Returns the row of a code that getopt_long returned. code is not '?' (an error) or 'h' (help), which have no row. */
static const struct ep_option *row_of(const struct ep_option *rows, int code)
{
	if (code >= LONG_CODE)
		return &rows[code - LONG_CODE];
	while (rows->letter != code)
		rows++;
	return rows;
}

static int read_options(const struct ep_options *options, int argc, char **argv)
{
	struct getopt_tables tables;
	struct ep_error err;
	int code;

	make_tables(options, &tables);
	optind = 0; /* makes getopt begin again if it has read another command line before */
	opterr = !options->is_quiet;
	while ((code = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
		const struct ep_option *row;

		if (code == 'h') {
			print_usage(options, stdout);
			return 0;
		}
		if (code == '?') /* getopt has printed which option is wrong */
			return ep_options_refuse(options, NULL);
		row = row_of(options->rows, code);
		if (take_value(row, optarg, &err))
			return refuse_value(options, row, optarg, &err);
	}
	return EP_OPTIONS_READ;
}

/* Prints a line for each option: the name, the letter and the description of the value, with tabs between. The letter
 * is empty if the option has none. The description is empty if the option needs no value. */
static int list_rows(const struct ep_option *rows)
{
	static const char any_value[] = "a value";

	for (; rows->name; rows++)
		printf("--%s\t%.1s\t%s\n", rows->name, &rows->letter,
			rows->flag       ? ""
			: rows->expected ? rows->expected
					 : any_value);
	return 0;
}

int ep_options_read(const struct ep_options *options, int argc, char **argv)
{
	char *name = argv[0];
	int status;

	if (argc == 2 && !strcmp(argv[1], EP_OPTIONS_LIST))
		return list_rows(options->rows);
	argv[0] = (char *)options->command; /* getopt begins its messages with argv[0] */
	status = read_options(options, argc, argv);
	argv[0] = name;
	return status;
}
