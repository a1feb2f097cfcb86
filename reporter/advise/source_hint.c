// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/advise/source_hint.h"

#include <fcntl.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"

static bool matches(const char *pattern, const char *text)
{
	regex_t regex;
	bool does;

	if (regcomp(&regex, pattern, REG_NOSUB))
		return false;
	does = !regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return does;
}

#define NAME "\\(^\\|[^A-Za-z_0-9]\\)\\([A-Za-z_][A-Za-z_0-9]*\\) *= *"
#define CAST "\\(([^()]*) *\\)*"
#define END "\\($\\|[^A-Za-z_0-9]\\)"

/* The patterns match if a variable is replaced by a value loaded from the address that the variable holds: p =
 * p->next, i = next[i], p = *p, p = *(T *)p, p = (T *)*p. */
static const char *const links[] = {
	NAME CAST "\\2 *->",
	NAME CAST "[A-Za-z_][A-Za-z_0-9.>-]*\\[ *\\2 *\\]",
	NAME CAST "\\* *" CAST "\\2" END,
};

enum ep_access ep_access_of_text(const char *text)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(links); i++)
		if (matches(links[i], text))
			return EP_ACCESS_LINKED;
	/* matches a name with a bracket inside of open brackets, as in a[b[i]] */
	if (matches("[])A-Za-z_0-9] *\\[[^][]*[A-Za-z_0-9)] *\\[", text))
		return EP_ACCESS_GATHER;
	return EP_ACCESS_UNKNOWN;
}

/* Opens a regular file. The path is from the trace; if it named a pipe, opening would wait for a writer. */
static FILE *open_regular(const char *path)
{
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	FILE *file;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	file = fdopen(fd, "r");
	if (file)
		fd = -1;
	return file;
}

enum ep_access ep_access_of_line(const char *path, uint32_t line)
{
	EP_AUTOFCLOSE FILE *file = path ? open_regular(path) : NULL;
	enum ep_access access = EP_ACCESS_UNKNOWN;
	char text[1024];

	enum ep_access before = EP_ACCESS_UNKNOWN;

	for (uint32_t i = 1; file && i <= line + 1 && fgets(text, sizeof(text), file); i++) {
		if (i + 1 == line)
			before = ep_access_of_text(text);
		if (i >= line && access == EP_ACCESS_UNKNOWN)
			access = ep_access_of_text(text);
	}
	return access == EP_ACCESS_UNKNOWN && before == EP_ACCESS_LINKED ? before : access;
}
