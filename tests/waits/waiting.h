/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the kinds of waiting that a second thread ends and those that nobody has to end. */
#ifndef EVPROF_TESTS_WAITS_WAITING_H
#define EVPROF_TESTS_WAITS_WAITING_H

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>

enum { N_WAITS = 8, HOLD_US = 5000 };

extern pthread_rwlock_t rwlock;
extern sem_t semaphore;
extern int ends[2]; /* of a pipe */

uint64_t now_ns(void);
pthread_mutex_t *the_mutex(void);

/* waiting_stdio.c */
extern FILE *stream; /* reads from the pipe, without more in its buffer than is asked for */
void wait_for_fread(void);
void wait_for_getc(void);
void wait_for_two_lines(void);
void wait_for_two_gets(void);
void wait_for_fflush(void);
void wait_for_fclose(void);

/* waiting_alone.c: each returns the program's exit status. */
int call_freely(void);
int crowd(void);
int sleep_often(void);
int sleep_after_short(void);
int compute_in_calls(void);
int sleep_in_many_ways(void);
int wait_after_flags(void);
int wait_after_fork(void);
int be_killed(void);

#endif
