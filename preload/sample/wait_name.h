/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_SAMPLE_WAIT_NAME_H
#define EVPROF_PRELOAD_SAMPLE_WAIT_NAME_H

#include <stddef.h>

#define EP_WAIT_NAME_BYTES 160

/* Writes the name of a descriptor's file or socket; only the end of a long path is kept. Returns the size in bytes; 0:
 * there is no name. Uses system calls alone, so that signal handlers may call it. */
size_t ep_wait_find_name(int fd, char out_text[EP_WAIT_NAME_BYTES]);

#endif
