// SPDX-License-Identifier: BSD-3-Clause
/* Prints waits as JSON: by place, by lock and by thread. */
#include "reporter/view/view_json_private.h"

static struct json_object *holders_json(const struct ep_report_wait *wait)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < wait->n_holders; i++) {
		struct json_object *object = json_object_new_object();

		put_text(object, "path", wait->holders[i].path);
		put_text(object, "waits_for", wait->holders[i].kind);
		put_count(object, "ns", wait->holders[i].ns);
		json_object_array_add(array, object);
	}
	return array;
}

struct json_object *ep_noted_waits_json(const struct ep_report *r)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < r->n_noted_waits_shown; i++) {
		const struct ep_report_wait *row = &r->noted_waits[i];
		struct json_object *object = json_object_new_object();

		put_text(object, "kind", row->kind);
		put_text(object, "what", row->what);
		put_text(object, "path", row->path);
		put_text(object, "procedure", row->procedure);
		json_object_object_add(object, "holders", holders_json(row));
		put_count(object, "n_threads", row->n_threads);
		put_count(object, "n_waits", row->n_waits);
		put_count(object, "ns", row->ns);
		put_count(object, "longest_ns", row->longest_ns);
		put_number(object, "share", row->share);
		put_flag(object, "is_estimate", row->is_estimate);
		json_object_array_add(array, object);
	}
	return array;
}

struct json_object *ep_locks_json(const struct ep_report *r)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < r->n_locks_shown; i++) {
		const struct ep_report_lock *lock = &r->locks[i];
		struct json_object *object = json_object_new_object();

		put_text(object, "kind", lock->kind);
		put_text(object, "name", lock->name);
		put_count(object, "pid", lock->pid);
		put_count(object, "address", lock->address);
		put_text(object, "path", lock->path);
		put_text(object, "procedure", lock->procedure);
		put_count(object, "n_threads", lock->n_threads);
		put_count(object, "n_waits", lock->n_waits);
		put_count(object, "ns", lock->ns);
		put_count(object, "longest_ns", lock->longest_ns);
		put_number(object, "share", lock->share);
		put_flag(object, "is_estimate", lock->is_estimate);
		json_object_array_add(array, object);
	}
	return array;
}

/* Returns the waits of threads. Each one refers to a row of "waits" by its index; therefore waits whose row is not
 * shown are left out. */
struct json_object *ep_thread_waits_json(const struct ep_report *r)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < r->n_thread_waits; i++) {
		const struct ep_report_thread_wait *row = &r->thread_waits[i];
		struct json_object *object;

		if (row->wait_idx >= r->n_noted_waits_shown)
			continue;
		object = json_object_new_object();
		put_count(object, "pid", r->threads[row->thread_idx].pid);
		put_count(object, "tid", r->threads[row->thread_idx].tid);
		put_count(object, "wait", row->wait_idx);
		put_count(object, "n_waits", row->n_waits);
		put_count(object, "ns", row->ns);
		put_count(object, "longest_ns", row->longest_ns);
		json_object_array_add(array, object);
	}
	return array;
}
