/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps copies of programs and libraries by build-id in ~/.cache/evprof/programs. If a file is built anew or
 * deleted after a run, its copy still has the names of procedures and lines. For one thread; other processes
 * may keep the same file at the same time.
 */
#ifndef EVPROF_COMMON_PROGRAMS_KEPT_H
#define EVPROF_COMMON_PROGRAMS_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct ep_kept_limits {
	uint64_t file_bytes; /* larger files are not kept */
	/* above this size, the files that were not used for longest are removed */
	uint64_t all_bytes;
};

extern const struct ep_kept_limits ep_kept_default_limits;

/* Tells whether a path belongs to the system's packages. Such files are not kept: updates of packages replace
 * them, and other packages provide the names of their procedures and lines. */
bool ep_kept_is_systems(const char *path);

/* Keeps the file at path. Its build-id becomes the copy's name, so that a search for another build does not
 * find the copy. Returns 0 if the file is kept by this call, was kept already, or another process is copying
 * it; -ENODATA if it is no ELF file of this machine's word size, or has no build-id; -EFBIG; -ENOSPC if the
 * copy would take more than a tenth of the free space; -EBUSY if the file was changed meanwhile; -ENOENT if
 * there is no home folder; ... */
int ep_kept_add(const char *path, const struct ep_kept_limits *limits) EP_MUST_CHECK;

/* Finds the copy of a build-id. Returns false if there is none. The caller checks that the copy has this
 * build-id. */
bool ep_kept_find(const uint8_t *build_id, size_t size, char *out_path, size_t capacity);

#endif
