/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local variables that own something: EP_AUTOFREE char *p = NULL; EP_AUTOCLOSE int fd = -1; EP_AUTOFCLOSE FILE *f =
 * NULL. Setting the variable to NULL or -1 passes the ownership on.
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
