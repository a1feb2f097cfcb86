// SPDX-License-Identifier: BSD-3-Clause
/* Sums by event: room as it is needed, changes added replica by replica. */
#include "tests/unit/test.h"

#include <math.h>

#include "reporter/load/load.h"

TEST(rows_and_changes_grow_and_add_up)
{
	struct ep_sums a = { 0 }, b = { 0 };

	CHECK_INT(ep_sums_reserve(&a, 1), 0);
	a.rows[0].measured = 5;
	CHECK_INT(ep_sums_reserve(&b, 2), 0);
	CHECK_INT(ep_sums_reserve_replicas(&b), 0);
	b.rows[0].measured = 1;
	b.rows[1].filled = 7;
	b.replicas[EP_N_REPLICAS + 3] = 2;
	CHECK_INT(ep_sums_add(&a, &b), 0);
	CHECK_INT(ep_sums_add(&a, &b), 0);
	CHECK_INT(a.n_rows, 2);
	CHECK(a.rows[0].measured == 7 && a.rows[1].filled == 14);
	CHECK(a.replicas[3] == 0 && a.replicas[EP_N_REPLICAS + 3] == 4);
	CHECK_INT(ep_sums_reserve(&a, 3), 0);
	CHECK(a.replicas[EP_N_REPLICAS + 3] == 4 && a.replicas[2 * EP_N_REPLICAS + 16] == 0);
	CHECK(b.replicas[3] == 0);
	ep_sums_finish(&a);
	ep_sums_finish(&b);
	CHECK(!a.rows && !a.replicas && !a.n_rows);
}

TEST(without_changes_there_is_no_room_for_them)
{
	struct ep_sums a = { 0 }, b = { 0 };

	CHECK_INT(ep_sums_reserve(&b, 2), 0);
	CHECK_INT(ep_sums_add(&a, &b), 0);
	CHECK(!a.replicas);
	ep_sums_finish(&a);
	ep_sums_finish(&b);
}

/* The jackknife of a mean of n, one left out at a time, is its s^2 / n. */
TEST(variance)
{
	float changes[EP_N_REPLICAS] = { 0 };
	double sum = 0, squares = 0, n = EP_N_REPLICAS;

	CHECK(ep_replica_variance(changes) == 0);
	for (int i = 0; i < EP_N_REPLICAS; i++) {
		sum += i * i;
		squares += (double)i * i * i * i;
	}
	for (int i = 0; i < EP_N_REPLICAS; i++)
		changes[i] = (float)((sum - i * i) / (n - 1) - sum / n);
	CHECK_CLOSE(ep_replica_variance(changes), (squares - sum * sum / n) / (n - 1) / n, 1e-6);
}
