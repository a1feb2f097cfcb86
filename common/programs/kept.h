/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of programs and libraries by build-id in ~/.cache/evprof/programs. If a file is built anew or deleted after a
 * run, its copy still has the names of procedures and lines. For one thread; other processes may keep the same file at
 * the same time.
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

/* Tells whether a path belongs to the system's packages. They replace their files, and have packages for the names, so
 * that these are not kept. */
bool ep_kept_is_systems(const char *path);

/* Keeps the file at path. Its build-id becomes part of the copy's name, so that no other build is found by it. Returns
 * 0 where the file is kept now, was kept already, or another process is copying it; -ENODATA where it is no ELF file of
 * this machine's word size, or has no build-id; -EFBIG; -ENOSPC where the copy would take more than a tenth of the free
 * space; -EBUSY where the file was changed meanwhile; -ENOENT where there is no home folder; ... */
int ep_kept_add(const char *path, const struct ep_kept_limits *limits) EP_MUST_CHECK;

/* Finds the copy of a build-id. Returns false where there is none. The caller checks that the copy has this build-id. */
bool ep_kept_find(const uint8_t *build_id, size_t size, char *out_path, size_t capacity);

#endif
