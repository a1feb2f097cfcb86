// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/view/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_WIDTH 100
#define MIN_WIDTH 40

/* COLUMNS as the shell sets it, where the user exports it; else the terminal's own. */
static uint32_t find_width(bool is_terminal)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint32_t width = columns ? (uint32_t)strtoul(columns, NULL, 10) : 0;

	if (!width && is_terminal && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		width = size.ws_col;
	if (!width)
		return DEFAULT_WIDTH;
	return width < MIN_WIDTH ? MIN_WIDTH : width;
}

void ep_terminal_look(struct ep_view_options *options, bool is_stdout)
{
	bool is_terminal = is_stdout && isatty(STDOUT_FILENO);
	const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");

	options->width = find_width(is_terminal);
	options->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	options->colour = is_terminal && !(no_colour && *no_colour) && term && strcmp(term, "dumb");
}
