/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Go's runtime beside us. Goroutines run on stacks of a few KiB: a signal frame must go to the
 * alternate stack that Go gives each of its threads, as os/signal's documentation demands of handlers
 * in programs that contain Go ("Go programs that use cgo or SWIG").
 */
#ifndef EVPROF_COMMON_OS_GO_H
#define EVPROF_COMMON_OS_GO_H

#include <stdbool.h>

/* Has Go's linker made the ELF file behind fd? By its section headers; nothing in it is trusted. */
bool ep_go_is_in(int fd);

/* Is a Go program or shared object loaded? By the program's sections and the others' notes. Never in a signal handler. */
bool ep_go_is_loaded(void);

/* Is the program Go without any library? Its runtime then takes the thread pointer for itself, in
 * the main thread, too: no thread-local variable of ours can be read. */
bool ep_go_runs_alone(void);

#endif
