// SPDX-License-Identifier: BSD-3-Clause
/*
 * Hooks of stdio's reads and of fflush and fclose. These functions call read and write inside libc, without evprof's
 * hooks of read and write. A call that the stream's buffer can answer, or that has nothing to write, costs no time
 * stamp: the buffer's pointers show this. Another thread may move the pointers meanwhile under the stream's lock. So
 * the number of bytes is a guess, on which only the time stamps depend. The bytes themselves are read under the lock,
 * or not at all while another thread has the lock.
 */
#undef _FORTIFY_SOURCE

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hooks_waits.h"

#define STREAM_WAIT(stream) EP_WAIT_READ, (stream)->_fileno, 0, 0

/* Returns the number of bytes in the buffer that are not read yet. The positions of the pointers and of the descriptor
 * are fixed by the ABI of FILE, which getc_unlocked compiles into programs. */
static inline size_t at_hand(FILE *stream)
{
	const char *from = *(char *volatile *)&stream->_IO_read_ptr;
	const char *to = *(char *volatile *)&stream->_IO_read_end;

	return from < to ? (size_t)(to - from) : 0;
}

/* Tells whether the buffer holds the end of a line, or as many bytes as the call takes at most. */
static inline bool has_line(FILE *stream, int end, size_t most)
{
	bool found;
	size_t n;

	if (ftrylockfile(stream))
		return false;
	n = at_hand(stream);
	if (n > most)
		n = most;
	found = n && (n == most || memchr(stream->_IO_read_ptr, end, n));
	funlockfile(stream);
	return found;
}

static inline size_t most_of(int size)
{
	return size > 1 ? (size_t)size - 1 : 0;
}

/* Returns the calling thread's record; NULL: the buffer answers the call (may_read is false), or the call is not looked
 * at. */
static inline struct ep_thread *thread_if(bool may_read)
{
	return may_read ? ep_waits_thread(EP_WAIT_READ) : NULL;
}

#define STREAM_HOOK(type, name, parameters, arguments, stream, is_answered)                        \
	EP_WAIT_REAL(type, name, NULL, parameters, arguments)                                      \
	EP_HOOK type name parameters                                                               \
	{                                                                                          \
		struct ep_thread *thread = thread_if(!(is_answered));                              \
                                                                                                   \
		return thread ? EP_WAIT_CALL(name, arguments, STREAM_WAIT(stream))                 \
			      : real_##name arguments;                                             \
	}

char *__fgets_chk(char *bytes, size_t room, int size, FILE *stream);
size_t __fread_chk(void *bytes, size_t room, size_t size, size_t n, FILE *stream);

STREAM_HOOK(int, fgetc, (FILE * stream), (stream), stream, at_hand(stream))
#undef getc
STREAM_HOOK(int, getc, (FILE * stream), (stream), stream, at_hand(stream))
STREAM_HOOK(int, getchar, (void), (), stdin, at_hand(stdin))
STREAM_HOOK(char *, fgets, (char *restrict bytes, int size, FILE *restrict stream),
	(bytes, size, stream), stream, has_line(stream, '\n', most_of(size)))
STREAM_HOOK(char *, __fgets_chk, (char *bytes, size_t room, int size, FILE *stream),
	(bytes, room, size, stream), stream, has_line(stream, '\n', most_of(size)))
STREAM_HOOK(size_t, fread, (void *restrict bytes, size_t size, size_t n, FILE *restrict stream),
	(bytes, size, n, stream), stream, at_hand(stream) / (size ? size : 1) >= n)
STREAM_HOOK(size_t, __fread_chk, (void *bytes, size_t room, size_t size, size_t n, FILE *stream),
	(bytes, room, size, n, stream), stream, at_hand(stream) / (size ? size : 1) >= n)
STREAM_HOOK(ssize_t, getline, (char **restrict line, size_t *restrict size, FILE *restrict stream),
	(line, size, stream), stream, has_line(stream, '\n', SIZE_MAX))
STREAM_HOOK(ssize_t, getdelim,
	(char **restrict line, size_t *restrict size, int end, FILE *restrict stream),
	(line, size, end, stream), stream, has_line(stream, end, SIZE_MAX))
STREAM_HOOK(ssize_t, __getdelim,
	(char **restrict line, size_t *restrict size, int end, FILE *restrict stream),
	(line, size, end, stream), stream, has_line(stream, end, SIZE_MAX))

/* ---- writes ---- */

/* Tells whether there is something to write. fflush(NULL) writes all streams and counts as having something to
 * write. */
static inline bool has_output(FILE *stream)
{
	return !stream || *(char *volatile *)&stream->_IO_write_ptr >
				  *(char *volatile *)&stream->_IO_write_base;
}

EP_WAIT_HOOK_UNLESS(!has_output(stream), int, fflush, (FILE * stream), (stream), EP_WAIT_WRITE,
	stream ? stream->_fileno : -1, 0, 0)

/* A wait of fclose is noted without a descriptor: the descriptor's number may belong to another file by the time that
 * the wait is noted. */
EP_WAIT_REAL(int, fclose, NULL, (FILE * stream), (stream))
EP_HOOK int fclose(FILE *stream)
{
	struct ep_thread *thread;

	if (stream)
		ep_nonblocking_forget(stream->_fileno);
	thread = stream && has_output(stream) ? ep_waits_thread(EP_WAIT_WRITE) : NULL;
	return thread ? EP_WAIT_CALL(fclose, (stream), EP_WAIT_WRITE, -1, 0, 0)
		      : real_fclose(stream);
}
