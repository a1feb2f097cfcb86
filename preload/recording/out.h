/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace file: packs gzip members and appends them. A process has one trace file, under a lock; signal handlers only
 * try this lock. Every write checks that the descriptor still leads to evprof's file.
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
	/* evprof stop has removed the permission to write, or the file has reached --max-size: measuring ends */
	_Atomic bool is_stopped;
	_Atomic bool is_removed; /* the file has no name any more: data written to it are lost */
	uint64_t max_bytes;      /* 0: no limit */
	/* the negative errno of the write that ended measuring; 0: none failed */
	_Atomic int failure;
	/* tells whether another run writes its trace to path; NULL: this is not checked */
	bool (*is_live)(const char *path);
	/* the next member may use the bytes below RLIMIT_FSIZE that are kept for the last block */
	bool is_last_word;
	struct ep_packer *packer;
	struct ep_wire raw; /* the blocks of the next member */
	uint8_t *packed;    /* (EP_MEMBER_MAX_BYTES) the member after packing */
};

/* Allocates memory and the state of deflate. Called before any signal handler runs. */
int ep_out_init(struct ep_out *out, struct ep_error *err) EP_MUST_CHECK;

/* Creates the file at path; an older trace there is moved to PATH.old. Other kinds of file, such as pipes, are written
 * to as they are, or refused. Returns -EPERM if a regular file is there that is no trace, and -EEXIST if another run
 * writes its trace there or has just created it. */
int ep_out_create(struct ep_out *out, const char *path, struct ep_error *err) EP_MUST_CHECK;

/* Continues an existing trace. path may be a link in /proc. */
int ep_out_join(struct ep_out *out, const char *path, struct ep_error *err) EP_MUST_CHECK;

/* Tells whether evprof stop has ended the run whose trace is open as fd, or whether the trace has reached max_bytes. */
bool ep_out_was_stopped(int fd, uint64_t max_bytes);

/* The lock of the trace. Signal handlers only try it. Threads and processes that end wait for it, and give up after a
 * second. */
bool ep_out_try_lock(struct ep_out *out);
bool ep_out_wait_lock(struct ep_out *out);
void ep_out_unlock(struct ep_out *out);

/* Tells whether a write can succeed now. While the program uses all descriptors, the file cannot be opened for a write;
 * the program may close some of them later. Called under the lock. */
bool ep_out_is_ready(struct ep_out *out);

/* Makes room for the trace's descriptor in a process that is ending and whose program uses all descriptors: closes two
 * of the program's descriptors, which the kernel would close next. They are closed in the calling thread alone, so that
 * other threads keep them (Linux 5.9 and later; on older ones nothing is closed). Called under the lock. */
void ep_out_make_room(struct ep_out *out);
/* Makes room as ep_out_make_room does, but in exit(), before stdio writes its buffers: only descriptors that are open
 * for reading alone are closed. */
void ep_out_make_room_before_stdio(struct ep_out *out);

/* Packs the blocks in raw, appends the member and empties raw. Returns 0, or a negative errno, after which nothing more
 * is written. Called under the lock. */
int ep_out_flush(struct ep_out *out);

/* Does what ep_out_flush does, for a thread that goes on: smaller members are compressed, too. */
int ep_out_flush_running(struct ep_out *out);

/* Does what ep_out_flush does, without compression. Used for the first member, which later processes of the tree read
 * at their start. */
int ep_out_flush_stored(struct ep_out *out);

/* Appends bytes as they are (the end-of-file member). Called under the lock. */
int ep_out_write(struct ep_out *out, const void *bytes, size_t size);

#endif
