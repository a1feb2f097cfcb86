/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport compare A... -- B... -- C...: shows three or more programs as a table. */
#ifndef EVPROF_REPORTER_COMMAND_LINEUP_COMMAND_H
#define EVPROF_REPORTER_COMMAND_LINEUP_COMMAND_H

#include "reporter/compare/lineup.h"

struct ep_selection;

struct ep_lineup_request {
	char **names; /* (n_names) traces; "--" separates columns, except the first two */
	int n_names;
	int n_after; /* how many of the names follow the first "--" */
	const char *sysroot;
	struct ep_selection *selection; /* as in struct ep_opened_how */
	struct ep_lineup_page page;     /* ep_lineup_command() sets its series */
	int (*print)(const struct ep_lineup_page *page, FILE *out);
};

/* Tells whether a second "--" separates a third program's traces. */
bool ep_lineup_is_wanted(char *const *names, int n_names, int n_after);
/* Compares the programs and prints the table. Returns the error of a trace that cannot be read,
 * -EINVAL for a column without a trace, or -ENOMEM. */
int ep_lineup_command(struct ep_lineup_request *request, struct ep_error *err) EP_MUST_CHECK;

#endif
