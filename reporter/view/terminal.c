// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/view/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/cleanup.h"

#define DEFAULT_WIDTH 100
#define MIN_WIDTH 40

/* Returns the environment's COLUMNS if it is set, else the width of the terminal or, without a terminal, a default. */
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

int ep_colour_take(void *into, const char *value)
{
	static const char *const words[] = { "auto", "always", "never" };
	enum ep_colour *colour = into;

	for (size_t i = 0; i < EP_ARRAY_SIZE(words); i++) {
		if (strcmp(words[i], value))
			continue;
		*colour = (enum ep_colour)i;
		return 0;
	}
	return -EINVAL;
}

/* Tells whether to use colours. An option typed for one command takes precedence over the environment. */
static bool wants_colour(enum ep_colour colour, bool is_terminal)
{
	const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");

	if (colour != EP_COLOUR_AUTO)
		return colour == EP_COLOUR_ALWAYS;
	return is_terminal && !(no_colour && *no_colour) && term && strcmp(term, "dumb");
}

bool ep_terminal_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

void ep_terminal_look(struct ep_view_options *options, bool is_stdout, enum ep_colour colour)
{
	bool is_terminal = is_stdout && isatty(STDOUT_FILENO);

	options->width = find_width(is_terminal);
	options->utf8 = ep_terminal_is_utf8();
	options->colour = wants_colour(colour, is_terminal);
}
