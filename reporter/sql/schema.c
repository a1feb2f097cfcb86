// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/sql/schema.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* The columns for a count of an event. Several tables have them; ep_row_value() fills them. */
#define COUNT_COLUMNS                                                                              \
	" event INTEGER REFERENCES events, value REAL, estimate INTEGER, measured_share REAL,"     \
	" error REAL, mixed INTEGER, low REAL, high REAL, n_ticks INTEGER"
#define USAGE_COLUMNS                                                                              \
	" n_samples INTEGER, n_lost INTEGER, cpu_ns INTEGER, hidden_kernel_ns INTEGER,"            \
	" waiting_ns INTEGER, ready_ns INTEGER, evprof_ns INTEGER"

const char ep_sql_tables[] = "PRAGMA application_id = " TEXT(
	EP_SQL_APPLICATION_ID) ";"
			       "PRAGMA user_version = " TEXT(
				       EP_SQL_VERSION) ";"
						       "CREATE TABLE run (evprof TEXT, trace TEXT, selection TEXT, command TEXT, host TEXT,"
						       " n_hosts INTEGER, cpu TEXT, kernel TEXT, n_cpus INTEGER, load REAL, started REAL,"
						       " from_s REAL, duration_s REAL, n_processes INTEGER, n_threads INTEGER, n_ranks INTEGER,"
						       " n_samples INTEGER, n_lost INTEGER, source TEXT, clock TEXT, period_ms REAL,"
						       " schedulers_share REAL, cpu_ns INTEGER, sampled_ns INTEGER, exact INTEGER,"
						       " n_not_exact INTEGER, outside_s REAL, hidden_kernel_ns INTEGER, waiting_ns INTEGER,"
						       " ready_ns INTEGER, others_cpus REAL, stolen_share REAL, stolen_cpu_ns INTEGER,"
						       " limited_share REAL, limited_s REAL, evprof_ns INTEGER, missing TEXT, estimator TEXT,"
						       " bin_s REAL);"
						       "CREATE TABLE in_short (line INTEGER PRIMARY KEY, text TEXT);"
						       "CREATE TABLE findings (finding INTEGER PRIMARY KEY, kind TEXT, text TEXT);"
						       "CREATE TABLE events (event INTEGER PRIMARY KEY, name TEXT, unit TEXT, total REAL,"
						       " estimate INTEGER, partial INTEGER, error REAL, estimator TEXT, holdout_error REAL,"
						       " n_slices INTEGER, n_slices_measured INTEGER, slices_column TEXT);"
						       "CREATE TABLE metrics (metric INTEGER PRIMARY KEY, model TEXT, name TEXT, value REAL,"
						       " standard_error REAL, bar REAL, coverage REAL, base TEXT, unit TEXT, valid INTEGER,"
						       " contradicted INTEGER);"
						       "CREATE TABLE places (place INTEGER PRIMARY KEY, kind TEXT, name TEXT, short_name TEXT,"
						       " module TEXT, file TEXT, line INTEGER, hot_file TEXT, hot_line INTEGER, known INTEGER,"
						       " inlined INTEGER, n_samples INTEGER, self_ns INTEGER, total_ns INTEGER,"
						       " self_share REAL, total_share REAL, self_latency_share REAL, total_latency_share REAL,"
						       " alone_share REAL, self_share_error REAL, total_share_error REAL);"
						       "CREATE TABLE counts (place INTEGER REFERENCES places," COUNT_COLUMNS
						       ", total REAL,"
						       " PRIMARY KEY (place, event)) WITHOUT ROWID;"
						       "CREATE TABLE callers (place INTEGER REFERENCES places, position INTEGER, name TEXT,"
						       " ns INTEGER, PRIMARY KEY (place, position)) WITHOUT ROWID;"
						       "CREATE TABLE tree (node INTEGER PRIMARY KEY, parent INTEGER REFERENCES tree,"
						       " depth INTEGER, place INTEGER REFERENCES places, name TEXT, n_samples INTEGER,"
						       " self_ns INTEGER, total_ns INTEGER, n_calls INTEGER);"
						       "CREATE TABLE tree_counts (node INTEGER REFERENCES tree, event INTEGER REFERENCES events,"
						       " measured REAL, filled REAL, PRIMARY KEY (node, event)) WITHOUT ROWID;"
						       "CREATE TABLE files (file INTEGER PRIMARY KEY, path TEXT, pid INTEGER, build_id TEXT);"
						       "CREATE TABLE loops (loop INTEGER PRIMARY KEY, name TEXT, around INTEGER REFERENCES loops,"
						       " depth INTEGER, procedure TEXT, path TEXT, line INTEGER, file INTEGER REFERENCES files,"
						       " address INTEGER, place INTEGER REFERENCES places);"
						       "CREATE TABLE paths (path INTEGER PRIMARY KEY, parent INTEGER REFERENCES paths,"
						       " node INTEGER REFERENCES tree, file INTEGER REFERENCES files, address INTEGER, loop INTEGER REFERENCES loops,"
						       " n_samples INTEGER, self_ns INTEGER);"
						       /* sql_slices.c adds a column for each event after these
						        * columns. */
						       "CREATE TABLE slices (slice INTEGER PRIMARY KEY, thread INTEGER REFERENCES threads,"
						       " path INTEGER REFERENCES paths, end_us INTEGER, wall_us INTEGER, cpu_us INTEGER,"
						       " sample INTEGER);"
						       "CREATE TABLE threads (thread INTEGER PRIMARY KEY, process INTEGER REFERENCES processes,"
						       " pid INTEGER, tid INTEGER, program TEXT, name TEXT, start_s REAL, duration_s REAL," USAGE_COLUMNS
						       ","
						       " n_minor_faults INTEGER, n_major_faults INTEGER, n_voluntary_switches INTEGER,"
						       " n_involuntary_switches INTEGER);"
						       "CREATE TABLE thread_counts (thread INTEGER REFERENCES threads," COUNT_COLUMNS
						       ","
						       " PRIMARY KEY (thread, event)) WITHOUT ROWID;"
						       "CREATE TABLE thread_bins (thread INTEGER REFERENCES threads, bin INTEGER, busy REAL,"
						       " PRIMARY KEY (thread, bin)) WITHOUT ROWID;"
						       "CREATE TABLE processes (process INTEGER PRIMARY KEY, pid INTEGER, program TEXT,"
						       " command TEXT, rank TEXT, host TEXT, mpi_share REAL, born TEXT, ended TEXT,"
						       " start_s REAL, duration_s REAL, n_threads INTEGER," USAGE_COLUMNS
						       ","
						       " cpus_allowed TEXT, n_cpus_allowed INTEGER, user_s REAL, system_s REAL,"
						       " peak_rss_kib INTEGER);"
						       "CREATE TABLE programs (program INTEGER PRIMARY KEY, name TEXT, n_processes INTEGER,"
						       " n_threads INTEGER, cpu_ns INTEGER);"
						       "CREATE TABLE bins (bin INTEGER PRIMARY KEY, start_s REAL, cpus_busy REAL);"
						       "CREATE TABLE parallel (n_threads INTEGER PRIMARY KEY, time_s REAL);"
						       "CREATE TABLE bin_counts (bin INTEGER REFERENCES bins, event INTEGER REFERENCES events,"
						       " per_s REAL, PRIMARY KEY (bin, event)) WITHOUT ROWID;"
						       "CREATE TABLE activities (activity INTEGER PRIMARY KEY, name TEXT, title TEXT,"
						       " ns INTEGER, share REAL, share_error REAL);"
						       "CREATE TABLE waits (wait INTEGER PRIMARY KEY, kind TEXT, what TEXT, path TEXT,"
						       " procedure TEXT, n_threads INTEGER, n_waits INTEGER, ns INTEGER,"
						       " longest_ns INTEGER, share REAL, estimate INTEGER);"
						       "CREATE TABLE holders (wait INTEGER REFERENCES waits, position INTEGER, path TEXT,"
						       " waits_for TEXT, ns INTEGER, PRIMARY KEY (wait, position)) WITHOUT ROWID;"
						       "CREATE TABLE thread_waits (thread INTEGER REFERENCES threads,"
						       " wait INTEGER REFERENCES waits, n_waits INTEGER, ns INTEGER, longest_ns INTEGER,"
						       " PRIMARY KEY (thread, wait)) WITHOUT ROWID;"
						       "CREATE TABLE locks (lock INTEGER PRIMARY KEY, kind TEXT, name TEXT, pid INTEGER,"
						       " address INTEGER, path TEXT, procedure TEXT, n_threads INTEGER, n_waits INTEGER,"
						       " ns INTEGER, longest_ns INTEGER, share REAL);"
						       "CREATE TABLE regions (region INTEGER PRIMARY KEY, around INTEGER REFERENCES regions,"
						       " depth INTEGER, name TEXT, n_entries INTEGER, wall_s REAL, self_ns INTEGER,"
						       " total_ns INTEGER, self_share REAL, total_share REAL, self_error REAL,"
						       " total_error REAL, waiting_s REAL, waiting_error_s REAL, is_estimate INTEGER);"
						       "CREATE TABLE entries (activity INTEGER REFERENCES activities, position INTEGER,"
						       " name TEXT, ns INTEGER, caller TEXT, caller_ns INTEGER,"
						       " PRIMARY KEY (activity, position)) WITHOUT ROWID;";

const char ep_sql_views[] =
	"CREATE VIEW procedures AS SELECT * FROM places WHERE kind = 'procedure';"
	"CREATE VIEW lines AS SELECT * FROM places WHERE kind = 'line';"
	"CREATE VIEW modules AS SELECT * FROM places WHERE kind = 'module';"
	"CREATE VIEW ranks AS SELECT * FROM processes WHERE rank IS NOT NULL;";
