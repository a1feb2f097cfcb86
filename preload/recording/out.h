/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace file: packing members and appending them. One per process, behind a lock that handlers
 * only try. Every write is checked to still go to our file.
 */
#ifndef EVPROF_PRELOAD_RECORDING_OUT_H
#define EVPROF_PRELOAD_RECORDING_OUT_H

#include "common/error.h"
#include "common/trace.h"

#include <stdbool.h>

struct ep_out {
	char path[4096];
	int fd;                 /* -1 between writes where descriptors are scarce */
	uint64_t device, inode; /* of our file, to know it again */
	bool is_regular;
	bool was_writable;       /* the file permitted writing when we began */
	_Atomic bool is_stopped; /* evprof stop took that away, or the file has reached
				    --max-size: measuring ends */
	_Atomic bool is_removed; /* the file has no name any more: what is written there is lost */
	uint64_t max_bytes;      /* 0: no limit */
	_Atomic int failure;     /* negative errno of the write that turned us off */
	bool (*is_live)(const char *
			path); /* does another run write its trace there? NULL: this is not asked */
	bool is_last_word;     /* the block that is written has the room kept for it */
	struct ep_packer *packer;
	struct ep_wire raw; /* the member being made */
	uint8_t *packed;    /* (EP_MEMBER_MAX_BYTES) */
};

/* Memory and deflate state; before any handler runs. */
int ep_out_init(struct ep_out *out, struct ep_error *err) EP_MUST_CHECK;

/* Creates the file at path, moving an older regular file aside to PATH.old. Other kinds of file
 * are written as they are, or refused: -EPERM, the file there is no trace; -EEXIST: another run writes
 * its trace there, or made it just now. */
int ep_out_create(struct ep_out *out, const char *path, struct ep_error *err) EP_MUST_CHECK;

/* Goes on in an existing trace. path may be a link in /proc. */
int ep_out_join(struct ep_out *out, const char *path, struct ep_error *err) EP_MUST_CHECK;

/* Did evprof stop end the run whose trace fd is, or has the trace reached max_bytes? */
bool ep_out_was_stopped(int fd, uint64_t max_bytes);

/* The lock. try: signal handlers; wait: at the ends of things, gives up after a second. */
bool ep_out_try_lock(struct ep_out *out);
bool ep_out_wait_lock(struct ep_out *out);
void ep_out_unlock(struct ep_out *out);

/* Whether writing now has a chance: not while the program holds every descriptor there is, which it may
 * give back. Under the lock. */
bool ep_out_is_ready(struct ep_out *out);

/* For a process that ends now, whose program holds every descriptor there is: takes two of them, which the kernel
 * would close next. Other threads keep them (Linux 5.9 and later; before, nothing is taken). Under the lock. */
void ep_out_make_room(struct ep_out *out);
/* The same in exit(), behind which stdio still writes its buffers: only descriptors that cannot be written go. */
void ep_out_make_room_before_stdio(struct ep_out *out);

/* Packs what is in raw, appends it and empties raw. 0, or a negative errno, after which nothing
 * more is written. Under the lock. */
int ep_out_flush(struct ep_out *out);

/* The same for a thread that goes on: small members are compressed, too. */
int ep_out_flush_running(struct ep_out *out);

/* The same without compressing: the first member, which later processes of the tree read as they
 * start. */
int ep_out_flush_stored(struct ep_out *out);

/* Appends bytes as they are (the end-of-file member). Under the lock. */
int ep_out_write(struct ep_out *out, const void *bytes, size_t size);

#endif
