# SPDX-License-Identifier: BSD-3-Clause
# What can be asked of the kernel about processes, threads, signals, timers and descriptors: each a
# fixed number of times, and its own checks pass.
for what in alarm bad-altstack clone close context cyclic daemon dekker dup epoll eventfd exec fault fork fp-error full \
	funccall futex get getrandom handle inotify itimer judy kill lockbus locka malloc memfd mergesort mmap mq msg mutex \
	nanosleep null open peterson pidfd pipe poll prctl pthread ptrace pty rseq schedpolicy seccomp sem sem-sysv \
	sendfile session set shellsort sigabrt sigchld sigfd sigfpe sigio signal signest sigpending sigpipe sigq sigrt \
	sigsegv sigsuspend sigtrap sleep sock splice stack switch tee timer timerfd usersyscall utime vfork vm-splice wait \
	yield zlib zombie; do
	timeout 30 stress-ng --$what 1 --$what-ops 20 --timeout 1 --verify --temp-path . >log 2>&1
	echo "$what: $?"
done
rm -rf log tmp-*
