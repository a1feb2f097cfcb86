/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions whose frames are of every kind that compilers make. frames.c and frames_throw.cc are
 * compiled without frame pointers, so that nothing but the unwind tables leads through them.
 */
#ifndef EVPROF_TESTS_UNIT_FRAMES_H
#define EVPROF_TESTS_UNIT_FRAMES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Each calls leaf() from inside frames of its kind and returns something of what it computed. */
typedef int (*frames_fn)(void (*leaf)(void));

int frames_plain(void (*leaf)(void));
int frames_many_arguments(void (*leaf)(void));
int frames_deep(void (*leaf)(void));     /* 150 frames */
int frames_too_deep(void (*leaf)(void)); /* 1000 frames */
int frames_alloca(void (*leaf)(void));
int frames_realigned(void (*leaf)(void));
int frames_tail_call(void (*leaf)(void));
int frames_plt(void (*leaf)(void)); /* libc calls back: qsort, bsearch */
int frames_cleanup(void (*leaf)(void));
int frames_throw(void (*leaf)(void)); /* C++: leaf is called in the catch clause and in cleanups */

#ifdef __cplusplus
}
#endif

#endif
