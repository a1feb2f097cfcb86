# SPDX-License-Identifier: BSD-3-Clause
# What can be asked of the kernel about processes, threads, signals, timers and descriptors: each a
# fixed number of times, or for a second, and its own checks pass. 3 means that a stressor could not begin,
# as where the host of a virtual machine took that second: then again.
for what in alarm bad-altstack clone close context cyclic daemon dekker dup epoll eventfd exec fault fork fp-error full \
	funccall futex get getrandom handle inotify itimer judy kill lockbus locka malloc memfd mergesort mmap mq msg mutex \
	nanosleep null open peterson pidfd pipe poll prctl pthread ptrace pty rseq schedpolicy seccomp sem sem-sysv \
	sendfile session set shellsort sigabrt sigchld sigfd sigfpe sigio signal signest sigpending sigpipe sigq sigrt \
	sigsegv sigsuspend sigtrap sleep sock splice stack switch tee timer timerfd usersyscall utime vfork vm-splice wait \
	yield zlib zombie; do
	for try in 1 2 3; do
		timeout 60 stress-ng --$what 1 --$what-ops 20 --timeout 1 --verify --temp-path . >log 2>&1
		status=$?
		[ $status = 3 ] || break
	done
	echo "$what: $status"
done
rm -rf log tmp-*
