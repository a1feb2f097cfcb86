/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU time that a process may take by its control groups: containers, services, batch jobs. */
#ifndef EVPROF_COMMON_OS_CPU_QUOTA_H
#define EVPROF_COMMON_OS_CPU_QUOTA_H

/* CPUs, rounded up, of a quota as cpu.max has it ("200000 100000"); 0: no limit, or not understood.
 */
int ep_cpu_quota_parse(const char *text);

/* The least quota among the groups that proc_cgroup (/proc/self/cgroup) names and those above them,
 * as far as they are below mount (/sys/fs/cgroup), of either version; 0: none. Start-up only. */
int ep_cpu_quota(const char *proc_cgroup, const char *mount);

/* The folder of the group whose quota that was, after a walk; "": there is none. Any context. */
const char *ep_cpu_quota_folder(void);

#endif
