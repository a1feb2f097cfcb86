/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU time that a process may use by its control groups: containers, services, batch jobs. */
#ifndef EVPROF_COMMON_OS_CPU_QUOTA_H
#define EVPROF_COMMON_OS_CPU_QUOTA_H

/* Returns a quota in CPUs, rounded up, from the text of cpu.max ("200000 100000"); 0: there is no limit, or the text is
 * not understood. */
int ep_cpu_quota_parse(const char *text);

/* Returns the least quota of the groups that proc_cgroup (/proc/self/cgroup) names, and of the groups above them, as
 * far as their folders are in mount (/sys/fs/cgroup), of version 1 or 2; 0: there is no quota. Called only
 * at start-up. */
int ep_cpu_quota(const char *proc_cgroup, const char *mount);

/* Returns the folder of the group whose quota ep_cpu_quota has returned; "": there is none. Allowed in any context. */
const char *ep_cpu_quota_folder(void);

#endif
