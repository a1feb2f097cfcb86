/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_SAMPLE_WAIT_NAME_H
#define EVPROF_PRELOAD_SAMPLE_WAIT_NAME_H

#include <stddef.h>

#define EP_WAIT_NAME_BYTES 160

/* Writes the name of the file or socket behind a descriptor; of a long path the end is kept. Returns the size; 0: there
 * is no name. Uses system calls alone, for signal handlers. */
size_t ep_wait_find_name(int fd, char out_text[EP_WAIT_NAME_BYTES]);

#endif
