/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_SAMPLE_WAIT_NAME_H
#define EVPROF_PRELOAD_SAMPLE_WAIT_NAME_H

#include <stddef.h>

#define EP_WAIT_NAME_BYTES 160

/* Names the file or socket behind a descriptor; a long path keeps its end. The size, 0 where there is no
 * name. By system calls alone: signal handlers. */
size_t ep_wait_find_name(int fd, char out_text[EP_WAIT_NAME_BYTES]);

#endif
