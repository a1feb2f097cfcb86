/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of programs and libraries by build-id, in ~/.cache/evprof/programs: a file that is built anew or
 * deleted after its run is still there to name its procedures and lines. One thread; other processes may
 * keep the same file at the same time.
 */
#ifndef EVPROF_COMMON_PROGRAMS_KEPT_H
#define EVPROF_COMMON_PROGRAMS_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct ep_kept_limits {
	uint64_t file_bytes; /* a larger file is not kept */
	uint64_t all_bytes;  /* beyond it, files that were not used for longest are removed */
};

extern const struct ep_kept_limits ep_kept_default_limits;

/* The system's packages bring their files anew by themselves, and their names with them. */
bool ep_kept_is_systems(const char *path);

/* Keeps the file at path, whose build-id becomes part of the copy's name: no other build is ever found
 * under it. 0: it is kept now, was already, or another process is at it. -ENODATA: no ELF file of this
 * machine's word size, or it has no build-id; -EFBIG; -ENOSPC: the copy would take more than a tenth of the free space;
 * -EBUSY: the file was written to meanwhile; -ENOENT: there is no home; ... */
int ep_kept_add(const char *path, const struct ep_kept_limits *limits) EP_MUST_CHECK;

/* The copy of a build-id; false: there is none. The caller judges whether the copy is what its name says. */
bool ep_kept_find(const uint8_t *build_id, size_t size, char *out_path, size_t capacity);

#endif
