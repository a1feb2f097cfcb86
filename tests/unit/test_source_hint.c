// SPDX-License-Identifier: BSD-3-Clause
/* Gathers and linked lists by the look of a line. */
#include "tests/unit/test.h"

#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/advise/source_hint.h"

TEST(lines)
{
	static const struct {
		const char *text;
		enum ep_access access;
	} rows[] = {
		{ "s += v[idx[i]];", EP_ACCESS_GATHER },
		{ "y[row] += a[k] * x[ col [ k ] ];", EP_ACCESS_GATHER },
		{ "u[mesh->node[3 * e + 1]] = 0;", EP_ACCESS_GATHER },
		{ "m[i][table[j]] = 1;", EP_ACCESS_GATHER },
		{ "c[i][j] += a[i][k] * b[k][j];", EP_ACCESS_UNKNOWN },
		{ "y[i] = x[i + 1] - x[i];", EP_ACCESS_UNKNOWN },
		{ "for (p = list; p; p = p->next)", EP_ACCESS_LINKED },
		{ "node=node -> left;", EP_ACCESS_LINKED },
		{ "p = q->next;", EP_ACCESS_UNKNOWN },
		{ "i = next[i];", EP_ACCESS_LINKED },
		{ "at = list->next[ at ];", EP_ACCESS_LINKED },
		{ "p = *(void **)p;", EP_ACCESS_LINKED },
		{ "p = (struct node *)*p;", EP_ACCESS_LINKED },
		{ "p = *p;", EP_ACCESS_LINKED },
		{ "p = (struct node *)p->next;", EP_ACCESS_LINKED },
		{ "x = a * x;", EP_ACCESS_UNKNOWN },
		{ "x = a[i];", EP_ACCESS_UNKNOWN },
		{ "at[i] = next[i];", EP_ACCESS_UNKNOWN },
		{ "y = *x;", EP_ACCESS_UNKNOWN },
		{ "", EP_ACCESS_UNKNOWN },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_MSG(ep_access_of_text(rows[i].text) == rows[i].access, "%s", rows[i].text);
}

TEST(a_line_and_the_next)
{
	char path[] = "/tmp/evprof-hint-XXXXXX";
	static const char text[] =
		"int x;\nfor (i = 0; i < n; i++)\n\ts += v[idx[i]];\nreturn s;\n";
	int fd = mkstemp(path);

	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	CHECK_INT(ep_access_of_line(path, 1), EP_ACCESS_UNKNOWN);
	CHECK_INT(ep_access_of_line(path, 2), EP_ACCESS_GATHER);
	CHECK_INT(ep_access_of_line(path, 3), EP_ACCESS_GATHER);
	CHECK_INT(ep_access_of_line(path, 4), EP_ACCESS_UNKNOWN);
	CHECK_INT(ep_access_of_line(path, 99), EP_ACCESS_UNKNOWN);
	unlink(path);
	CHECK_INT(ep_access_of_line(path, 2), EP_ACCESS_UNKNOWN);
	CHECK_INT(ep_access_of_line(NULL, 2), EP_ACCESS_UNKNOWN);
}
