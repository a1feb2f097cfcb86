// SPDX-License-Identifier: BSD-3-Clause
/* Formats errors that a person will read. Any thread may call these functions; signal handlers must not. */
#include "common/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/foreign_text.h"

static void set_message(struct ep_error *err, const char *format, va_list args)
{
	vsnprintf(err->message, sizeof(err->message), format, args);
}

static void set_place(struct ep_error *err, struct ep_place place)
{
	if (!place.file)
		err->where[0] = '\0';
	else if (!place.line)
		snprintf(err->where, sizeof(err->where), "%s", place.file);
	else if (!place.column)
		snprintf(err->where, sizeof(err->where), "%s:%u", place.file, place.line);
	else
		snprintf(err->where, sizeof(err->where), "%s:%u:%u", place.file, place.line,
			place.column);
}

int ep_fail(struct ep_error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	err->where[0] = '\0';
	va_start(args, format);
	set_message(err, format, args);
	va_end(args);
	return code;
}

int ep_fail_at(struct ep_error *err, int code, struct ep_place place, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	set_place(err, place);
	va_start(args, format);
	set_message(err, format, args);
	va_end(args);
	return code;
}

void ep_error_print(const struct ep_error *err, const char *program)
{
	const char *separator = err->where[0] ? ": " : "";
	struct ep_error shown =
		*err; /* a copy, to clean: arguments and file names may have control characters */

	ep_foreign_text_clean(shown.where, strlen(shown.where), EP_FOREIGN_LINES);
	ep_foreign_text_clean(shown.message, strlen(shown.message), EP_FOREIGN_LINES);
	fprintf(stderr, "%s: %s%s%s\n", program, shown.where, separator, shown.message);
}

int ep_flush_stdout(const char *program)
{
	int was_lost = ferror(stdout);

	errno = 0;
	if (!fflush(stdout) && !was_lost)
		return 0;
	fprintf(stderr, "%s: cannot write all of it: %s\n", program, strerror(errno ? errno : EIO));
	return 1;
}
