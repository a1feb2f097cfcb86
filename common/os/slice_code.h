/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_COMMON_OS_SLICE_CODE_H
#define EVPROF_COMMON_OS_SLICE_CODE_H

/* Marks a function that runs in every slice. The linker puts these functions side by side: after some milliseconds of
 * the program their code is no longer in the caches, and each further page of code costs another miss. */
#define EP_SLICE_CODE __attribute__((hot))

#endif
