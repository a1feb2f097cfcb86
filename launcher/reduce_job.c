// SPDX-License-Identifier: BSD-3-Clause
/*
 * Implements reduce_job.h. In the folder, a rank that runs has the file RANK. A rank that has ended has RANK.ended,
 * with the names of its traces, one in each line. Used by the launcher only, single-threaded.
 */
#include "reduce_job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/os/cpu.h"
#include "common/os/trace_path.h"
#include "common/trace.h"
#include "launch.h"

#define OUTPUT "job.gz" /* used if no other name is asked for */
#define SUMS "sums"     /* file in the folder with the sums until they are complete */
#define ENDED ".ended"
#define MAX_RANKS (1 << 24)     /* the most ranks of a job: more than any machine has */
#define REDUCED_BY "reduced-by" /* the one rank that makes this folder does the reducing */

struct ep_run_job {
	const char *pattern;   /* the path of the traces, as the setting has it */
	char output[PATH_MAX]; /* the file of the sums */
	char folder[PATH_MAX + 300];
	const char *rank; /* NULL: MPI did not start this process as one of several */
	int n_ranks;
	struct timespec begin; /* the time when the run began, by the clock of the file system */
};

/* ---- names ---- */

/* Makes the name of the job. While the job runs, no other job has the same name, on any host. */
static void name_job(const struct ep_run_job *job, char *out, size_t size)
{
	const char *step = getenv("SLURM_STEP_ID"), *id = getenv("PMIX_NAMESPACE");

	if (!job->rank)
		snprintf(out, size, "%d", (int)getpid());
	else if (id)
		snprintf(out, size, "%.200s", id);
	else if (getenv("SLURM_JOB_ID") && step)
		snprintf(out, size, "%.100s.%.100s", getenv("SLURM_JOB_ID"), step);
	else
		snprintf(out, size, "ranks");
	for (; *out; out++)
		if (*out == '/')
			*out = '-';
}

/* Makes the names of the files. job.gz lies in the folder of the traces. If that folder differs from rank to rank,
 * job.gz lies in the last folder above it that all ranks share. */
static int name_files(struct ep_run_job *job, const char *output, struct ep_error *err)
{
	size_t fixed = output ? 0 : strcspn(job->pattern, "%");
	int size;
	char id[256];

	while (fixed && job->pattern[fixed - 1] != '/')
		fixed--;
	size = snprintf(job->output, sizeof(job->output), "%.*s%s", (int)fixed, job->pattern,
		output ? output : OUTPUT);
	if (size < 0 || (size_t)size >= sizeof(job->output))
		return ep_fail(err, -ENAMETOOLONG, "output '%s': the path is too long",
			output ? output : job->pattern);
	name_job(job, id, sizeof(id));
	snprintf(job->folder, sizeof(job->folder), "%s.%s", job->output, id);
	return 0;
}

static void name_in_folder(
	const struct ep_run_job *job, const char *rank, const char *end, char out[2 * PATH_MAX])
{
	snprintf(out, 2 * PATH_MAX, "%s/%s%s", job->folder, rank ? rank : "0", end);
}

static void name_reducer(const struct ep_run_job *job, char out[2 * PATH_MAX])
{
	snprintf(out, 2 * PATH_MAX, "%s/" REDUCED_BY, job->folder);
}

/* ---- the beginning ---- */

static int fail_at(const struct ep_run_job *job, const char *path, struct ep_error *err)
{
	return ep_fail(err, -errno, "%s: cannot be written: %s; %s will not be there", path,
		strerror(errno), job->output);
}

/* Writes the file of a rank that begins. A job that was killed may have left a file that says that the same rank has
 * ended, and the folder REDUCED_BY; both are removed. */
static int tell_begin(struct ep_run_job *job, struct ep_error *err)
{
	char path[2 * PATH_MAX];
	struct stat st;

	if (mkdir(job->folder, 0777) && errno != EEXIST)
		return fail_at(job, job->folder, err);
	name_in_folder(job, job->rank, ENDED, path);
	unlink(path);
	name_reducer(job, path);
	rmdir(path);
	name_in_folder(job, job->rank, "", path);
	EP_AUTOFCLOSE FILE *file = fopen(path, "we");
	if (!file || fputc('\n', file) < 0 || fflush(file) || fstat(fileno(file), &st))
		return fail_at(job, path, err);
	job->begin = st.st_mtim;
	return 0;
}

struct ep_run_job *ep_run_job_create(
	const struct ep_settings *settings, const char *output, struct ep_error *err)
{
	struct ep_run_job *job = calloc(1, sizeof(*job));

	if (!job) {
		ep_fail(err, -ENOMEM, "out of memory");
		return NULL;
	}
	job->pattern = settings->output[0] ? settings->output : "trace.gz";
	job->n_ranks = ep_cpu_mpi_size();
	if (job->n_ranks > 1)
		job->rank = ep_cpu_mpi_rank();
	if (!job->rank)
		job->n_ranks = 1;
	if (!name_files(job, output, err) && !tell_begin(job, err))
		return job;
	ep_run_job_destroy(job);
	return NULL;
}

void ep_run_job_destroy(struct ep_run_job *job)
{
	free(job);
}

/* ---- traces of this process ---- */

static bool is_new(const struct ep_run_job *job, const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	return st.st_mtim.tv_sec != job->begin.tv_sec ? st.st_mtim.tv_sec > job->begin.tv_sec
						      : st.st_mtim.tv_nsec >= job->begin.tv_nsec;
}

/* Writes the path of rank k's trace to file, and returns whether the rank has a trace. Ranks that are started
 * elsewhere, as by srun, are not below this process, and each writes a trace of its own. */
static bool put_rank(const struct ep_run_job *job, int k, pid_t pid, FILE *file)
{
	char plain[PATH_MAX], path[PATH_MAX], rank[16];
	struct ep_error err;

	snprintf(rank, sizeof(rank), "%d", k);
	if (ep_trace_path_expand(job->pattern, (int)pid, rank, plain, sizeof(plain), &err))
		return false;
	if (ep_trace_path_has(job->pattern, 'r'))
		snprintf(path, sizeof(path), "%s", plain);
	else if (ep_trace_path_beside(plain, rank, path, sizeof(path), &err))
		return false;
	if (!is_new(job, path))
		return false;
	fprintf(file, "%s\n", path);
	return true;
}

/* Writes the path of the program's own trace to file. If another run's trace is at that path, the library leaves it
 * alone and writes the trace beside it, with the process's id in the name. */
static int put_own(const struct ep_run_job *job, pid_t pid, FILE *file, struct ep_error *err)
{
	char path[PATH_MAX], beside[PATH_MAX], id[16];
	int rc = ep_trace_path_of_rank(job->pattern, (int)pid, path, sizeof(path), err);

	snprintf(id, sizeof(id), "%d", (int)pid);
	if (!rc)
		rc = ep_trace_path_beside(path, id, beside, sizeof(beside), err);
	if (rc)
		return rc;
	if (is_new(job, beside))
		fprintf(file, "%s\n", beside);
	else if (is_new(job, path))
		fprintf(file, "%s\n", path);
	return 0;
}

/* Writes the file of a rank that has ended. The file appears under its final name only when it is complete. */
static int tell_end(const struct ep_run_job *job, pid_t pid, struct ep_error *err)
{
	char path[2 * PATH_MAX], ended[2 * PATH_MAX];
	int n_looked = job->rank ? 0 : MAX_RANKS;
	bool is_bad;
	int rc;

	name_in_folder(job, job->rank, "", path);
	name_in_folder(job, job->rank, ENDED, ended);
	FILE *file = fopen(path, "we");
	if (!file)
		return fail_at(job, path, err);
	rc = put_own(job, pid, file, err);
	for (int k = ep_trace_path_has(job->pattern, 'r'); k < n_looked; k++)
		if (!put_rank(job, k, pid, file))
			break;
	is_bad = ferror(file);
	if (fclose(file) || is_bad || (!rc && rename(path, ended)))
		return fail_at(job, path, err);
	return rc;
}

/* ---- traces of all ---- */

/* Tells whether name is the file of a rank of this job that has ended. A killed job with more ranks may have left files
 * under the same name: those ranks do not belong to this job. */
static bool tells_end(const struct ep_run_job *job, const char *name)
{
	char *end;
	long rank = strtol(name, &end, 10);

	return end != name && !strcmp(end, ENDED) && rank >= 0 && rank < job->n_ranks;
}

/* Tells whether this rank is the last one and is to reduce the traces. MPI ends no rank before all have begun, and by
 * then each rank has removed what a killed job left under its number. If several ranks see that all have ended, only
 * one of them can make the folder REDUCED_BY. */
static bool is_last(const struct ep_run_job *job)
{
	char path[2 * PATH_MAX];
	int n_ended = 0;
	DIR *list = opendir(job->folder);

	for (struct dirent *entry; list && (entry = readdir(list));)
		n_ended += tells_end(job, entry->d_name);
	if (list)
		closedir(list);
	name_reducer(job, path);
	return n_ended >= job->n_ranks && !mkdir(path, 0777);
}

struct words {
	char **rows; /* (n) NULL is after the last word */
	uint32_t n, capacity;
};

static void words_finish(struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->rows[i]);
	free(words->rows);
}

static int add_word(struct words *words, const char *text)
{
	if (EP_ARRAY_RESERVE(words->rows, words->n + 1, words->capacity))
		return -ENOMEM;
	words->rows[words->n] = strdup(text);
	if (!words->rows[words->n])
		return -ENOMEM;
	words->rows[++words->n] = NULL;
	return 0;
}

static int add_traces_of(const struct ep_run_job *job, int k, struct words *words)
{
	char path[2 * PATH_MAX], rank[16];
	EP_AUTOFREE char *line = NULL;
	size_t size = 0;
	int rc = 0;

	snprintf(rank, sizeof(rank), "%d", k);
	name_in_folder(job, rank, ENDED, path);
	EP_AUTOFCLOSE FILE *file = fopen(path, "re");
	for (ssize_t n; !rc && file && (n = getline(&line, &size, file)) > 0;) {
		line[n - 1] = '\0';
		rc = add_word(words, line);
	}
	return rc;
}

static void remove_folder(const struct ep_run_job *job)
{
	DIR *list = opendir(job->folder);

	for (struct dirent *entry; list && (entry = readdir(list));)
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(list), entry->d_name,
				strcmp(entry->d_name, REDUCED_BY) ? 0 : AT_REMOVEDIR);
	if (list)
		closedir(list);
	rmdir(job->folder);
}

/* Runs evreport, which itself is not measured. */
static bool run(char *const argv[])
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		unsetenv("LD_PRELOAD");
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		execv(argv[0], argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* ---- the sums of an earlier job ---- */

static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

/* Tells whether path is a file of evprof's, and, if has_sums, one that evreport reduce wrote. */
static bool is_ours(const char *path, bool has_sums)
{
	uint8_t start[EP_TRACE_START_BYTES + 2];
	struct stat st;

	if (lstat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	EP_AUTOFCLOSE FILE *file = fopen(path, "re");
	return file && fread(start, sizeof(start), 1, file) == 1 && ep_trace_is_start(start) &&
	       (!has_sums || start[EP_TRACE_START_BYTES + 1] == EP_BLOCK_REDUCED);
}

static int refuse_place(const struct ep_run_job *job, const char *path, struct ep_error *err)
{
	return ep_fail(err, -EEXIST,
		"%s is there and was not written by evreport reduce: it is left alone, and %s is not written; evreport reduce -o FILE TRACE... writes the sums elsewhere",
		path, job->output);
}

static void name_old(const struct ep_run_job *job, char out[2 * PATH_MAX])
{
	snprintf(out, 2 * PATH_MAX, "%s.old", job->output);
}

/* Refuses to write the sums where a file lies that is not the sums of a job. A trace is refused as well, since it may
 * belong to this job. */
static int check_place(const struct ep_run_job *job, struct ep_error *err)
{
	char old[2 * PATH_MAX];

	name_old(job, old);
	if (!is_there(job->output))
		return 0;
	if (!is_ours(job->output, true))
		return refuse_place(job, job->output, err);
	return is_there(old) && !is_ours(old, false) ? refuse_place(job, old, err) : 0;
}

/* Moves the sums to their place. The sums of the job before are kept as .old, as traces of earlier runs are. */
static int put_in_place(const struct ep_run_job *job, const char *sums, struct ep_error *err)
{
	char old[2 * PATH_MAX];

	name_old(job, old);
	if (is_there(job->output) && rename(job->output, old))
		return fail_at(job, old, err);
	return rename(sums, job->output) ? fail_at(job, job->output, err) : 0;
}

static int reduce(const struct ep_run_job *job, struct ep_error *err)
{
	__attribute__((cleanup(words_finish))) struct words words = { 0 };
	char evreport[PATH_MAX], sums[2 * PATH_MAX];
	const char *const options[] = { "reduce", "-o", sums, "--" };
	int rc = ep_launch_find_evreport(evreport, err);
	size_t n_options;

	if (rc)
		return rc;
	name_in_folder(job, SUMS, "", sums);
	rc = add_word(&words, evreport);
	for (size_t i = 0; i < EP_ARRAY_SIZE(options) && !rc; i++)
		rc = add_word(&words, options[i]);
	n_options = words.n;
	for (int k = 0; k < job->n_ranks && !rc; k++)
		rc = add_traces_of(job, k, &words);
	if (rc)
		return ep_fail(err, rc, "out of memory");
	if (words.n == n_options)
		return ep_fail(err, -ENOENT,
			"%s is not written: the program left no trace to reduce", job->output);
	if (!run(words.rows))
		return ep_fail(err, -EIO,
			"%s is not written: evreport reduce failed; evreport reduce -o %s TRACE... tries once more",
			job->output, job->output);
	return put_in_place(job, sums, err);
}

int ep_run_job_end(struct ep_run_job *job, pid_t pid, struct ep_error *err)
{
	int rc = tell_end(job, pid, err);

	if (rc || !is_last(job))
		return rc;
	rc = check_place(job, err);
	if (!rc)
		rc = reduce(job, err);
	remove_folder(job);
	return rc;
}
