/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace file: packs members and appends them. A process has one, behind a lock for which signal handlers do not
 * wait. Every write checks that the descriptor still leads to evprof's file.
 */
#ifndef EVPROF_PRELOAD_RECORDING_OUT_H
#define EVPROF_PRELOAD_RECORDING_OUT_H

#include "common/error.h"
#include "common/trace.h"

#include <stdbool.h>

struct ep_out {
	char path[4096];
	int fd;                 /* -1: it is closed between writes, where descriptors are scarce */
	uint64_t device, inode; /* the file's identity, by which it is recognised */
	bool is_regular;
	bool was_writable; /* the file permitted writing when this process began */
	/* evprof stop has removed that permission, or the file has reached --max-size: measuring ends */
	_Atomic bool is_stopped;
	_Atomic bool is_removed; /* the file has no name any more: data written to it are lost */
	uint64_t max_bytes;      /* 0: no limit */
	/* the negative errno of the write that ended measuring; 0: none failed */
	_Atomic int failure;
	/* tells whether another run writes its trace to path; NULL: this is not checked */
	bool (*is_live)(const char *path);
	/* the block that is written may use the room that is kept for the last one */
	bool is_last_word;
	struct ep_packer *packer;
	struct ep_wire raw; /* the blocks of the next member */
	uint8_t *packed;    /* (EP_MEMBER_MAX_BYTES) the member after packing */
};

/* Allocates memory and the state of deflate. Called before any signal handler runs. */
int ep_out_init(struct ep_out *out, struct ep_error *err) EP_MUST_CHECK;

/* Creates the file at path; an older regular file is moved to PATH.old. Other kinds of file are written as they are, or
 * refused. Returns -EPERM where a file is there that is no trace, -EEXIST where another run writes its trace there or
 * has just created it. */
int ep_out_create(struct ep_out *out, const char *path, struct ep_error *err) EP_MUST_CHECK;

/* Continues an existing trace. path may be a link in /proc. */
int ep_out_join(struct ep_out *out, const char *path, struct ep_error *err) EP_MUST_CHECK;

/* Tells whether evprof stop has ended the run with the trace behind fd, or whether the trace has reached max_bytes. */
bool ep_out_was_stopped(int fd, uint64_t max_bytes);

/* The lock. Signal handlers try it; the ends of threads and processes wait for it, and give up after a second. */
bool ep_out_try_lock(struct ep_out *out);
bool ep_out_wait_lock(struct ep_out *out);
void ep_out_unlock(struct ep_out *out);

/* Tells whether a write can succeed now: not while the program uses all descriptors. It may close some later. Called
 * under the lock. */
bool ep_out_is_ready(struct ep_out *out);

/* Makes room for the trace's descriptor in a process that ends now and whose program uses all descriptors: takes two of
 * them, which the kernel would close next. Other threads keep them (Linux 5.9 and later; before, nothing is taken).
 * Called under the lock. */
void ep_out_make_room(struct ep_out *out);
/* Makes room in exit(), after which stdio still writes its buffers: it takes only descriptors that are open for reading
 * alone. */
void ep_out_make_room_before_stdio(struct ep_out *out);

/* Packs the blocks in raw, appends the member and empties raw. Returns 0, or a negative errno, after which nothing more
 * is written. Called under the lock. */
int ep_out_flush(struct ep_out *out);

/* Does the same for a thread that goes on: smaller members are compressed, too. */
int ep_out_flush_running(struct ep_out *out);

/* Does the same without compression, for the first member, which later processes of the tree read at their start. */
int ep_out_flush_stored(struct ep_out *out);

/* Appends bytes as they are (the end-of-file member). Called under the lock. */
int ep_out_write(struct ep_out *out, const void *bytes, size_t size);

#endif
