/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes of local variables whose memory or file is freed or closed at the end of the variable's scope: EP_AUTOFREE
 * char *p = NULL; EP_AUTOCLOSE int fd = -1; EP_AUTOFCLOSE FILE *f = NULL. A function that hands the memory or file to
 * its caller sets the variable to NULL or -1, so that nothing is freed or closed.
 */
#ifndef EVPROF_COMMON_CLEANUP_H
#define EVPROF_COMMON_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void ep_cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void ep_cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void ep_cleanup_fclose(FILE **file)
{
	if (*file)
		fclose(*file);
}

#define EP_AUTOFREE __attribute__((cleanup(ep_cleanup_free)))
#define EP_AUTOCLOSE __attribute__((cleanup(ep_cleanup_close)))
#define EP_AUTOFCLOSE __attribute__((cleanup(ep_cleanup_fclose)))

#define EP_ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
