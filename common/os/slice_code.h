/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_COMMON_OS_SLICE_CODE_H
#define EVPROF_COMMON_OS_SLICE_CODE_H

/* A function of every slice. The linker puts them side by side: after milliseconds of the program
 * they are cold, and the way to a page of code costs as much as what is on it. */
#define EP_SLICE_CODE __attribute__((hot))

#endif
