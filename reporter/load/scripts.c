// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/scripts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/loader.h"

/* Ids count from 1. A larger id than this comes from damage. */
#define ID_MAX (1u << 20)

void ep_scripts_finish(struct ep_scripts *scripts)
{
	for (uint32_t i = 0; i < scripts->n_rows; i++)
		free(scripts->rows[i].table);
	free(scripts->rows);
	ep_index_finish(&scripts->index);
	ep_index_finish(&scripts->by_name);
	*scripts = (struct ep_scripts){ 0 };
}

static bool same_script(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_script *a = &((const struct ep_scripts *)owner)->rows[idx], *b = key;

	return a->name == b->name && a->file == b->file && a->minor == b->minor &&
	       a->first_line == b->first_line && a->table_size == b->table_size &&
	       !memcmp(a->table, b->table, a->table_size);
}

static bool same_name(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_script *a = &((const struct ep_scripts *)owner)->rows[idx], *b = key;

	return a->name == b->name && a->file == b->file;
}

/* Sets script->first_of_name, which is next_idx where no row has the name yet. Returns 0 or -ENOMEM. */
static int find_namesake(
	struct ep_scripts *scripts, struct ep_script *script, uint32_t next_idx, uint64_t name_hash)
{
	struct ep_script *first;

	script->has_namesakes = false;
	script->first_of_name =
		ep_index_find(&scripts->by_name, name_hash, same_name, scripts, script);
	if (script->first_of_name == EP_NONE) {
		script->first_of_name = next_idx;
		return ep_index_add(&scripts->by_name, name_hash, next_idx);
	}
	first = &scripts->rows[script->first_of_name];
	first->has_namesakes |= first->first_line != script->first_line;
	return 0;
}

static int append(struct ep_scripts *scripts, const struct ep_script *script, uint64_t hash,
	uint64_t name_hash)
{
	EP_AUTOFREE uint8_t *table = malloc(script->table_size + 1);
	struct ep_script *row;

	if (!table || EP_ARRAY_RESERVE(scripts->rows, scripts->n_rows, scripts->capacity) ||
		ep_index_add(&scripts->index, hash, scripts->n_rows))
		return -ENOMEM;
	memcpy(table, script->table, script->table_size);
	row = &scripts->rows[scripts->n_rows];
	*row = *script;
	row->table = table;
	table = NULL;
	return find_namesake(scripts, row, scripts->n_rows++, name_hash);
}

int ep_script_add(struct ep_scripts *scripts, const struct ep_script *script, uint32_t *out_idx)
{
	uint64_t name_hash = ep_hash_mix((uintptr_t)script->name, (uintptr_t)script->file);
	uint64_t hash = ep_hash_bytes(
		ep_hash_mix(name_hash, script->first_line), script->table, script->table_size);

	*out_idx = ep_index_find(&scripts->index, hash, same_script, scripts, script);
	if (*out_idx != EP_NONE)
		return 0;
	*out_idx = scripts->n_rows;
	return append(scripts, script, hash, name_hash);
}

/* Returns the path of a script's file. A name that does not begin with / is relative to the folder in which
 * the program began; names such as <string>, which stand for code without a file, stay as they are. */
static const char *keep_file(
	struct ep_trace *trace, const struct ep_trace_process *process, const struct ep_code *code)
{
	const char *folder = process->meta[EP_META_CWD];
	EP_AUTOFREE char *path = NULL;
	int size;

	if (!code->file_size || code->file[0] == '/' || code->file[0] == '<' || !folder ||
		folder[0] != '/')
		return ep_strings_add(&trace->strings, code->file, code->file_size);
	size = asprintf(
		&path, "%s/%.*s", folder[1] ? folder : "", (int)code->file_size, code->file);
	if (size < 0) {
		path = NULL;
		return NULL;
	}
	return ep_strings_add(&trace->strings, path, (size_t)size);
}

static int grow_ids(struct ep_trace_thread *thread, uint32_t id)
{
	while (thread->n_script_ids <= id) {
		if (EP_ARRAY_RESERVE(
			    thread->script_idx, thread->n_script_ids, thread->script_capacity))
			return -ENOMEM;
		thread->script_idx[thread->n_script_ids++] = EP_NONE;
	}
	return 0;
}

static int take_code(
	struct ep_trace *trace, struct ep_trace_thread *thread, const struct ep_code *code)
{
	struct ep_script script = { .minor = code->minor,
		.first_line = code->first_line,
		.table = (uint8_t *)(uintptr_t)code->table,
		.table_size = (uint32_t)code->table_size };

	if (!code->id || code->id > ID_MAX)
		return -EBADMSG;
	script.name = ep_strings_add(&trace->strings, code->name, code->name_size);
	script.file = keep_file(trace, &trace->processes[thread->process_idx], code);
	if (!script.name || !script.file || grow_ids(thread, code->id) ||
		ep_module_of_script(trace, script.file, &script.module_idx))
		return -ENOMEM;
	return ep_script_add(&trace->scripts, &script, &thread->script_idx[code->id]);
}

int ep_scripts_take(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_trace *trace = loader->trace;
	struct ep_trace_thread *thread;
	struct ep_codes_head head;
	struct ep_code code;
	uint32_t idx;
	size_t at;
	int rc = ep_codes_head_decode(block, &at, &head);

	if (rc)
		return rc;
	if (ep_trace_thread_find_or_add(loader, process_idx, head.thread, &idx))
		return -ENOMEM;
	thread = &trace->threads[idx];
	thread->n_unread_frames = head.n_unread;
	while ((rc = ep_codes_next(block, &at, &code)) == 1) {
		rc = take_code(trace, thread, &code);
		if (rc)
			return rc;
	}
	return rc;
}

bool ep_script_find(struct ep_trace *trace, const struct ep_trace_thread *thread, uint64_t address,
	struct ep_path *out_path)
{
	uint64_t id = address << 1 >> (EP_SCRIPT_CODE_SHIFT + 1);
	uint32_t idx = id < thread->n_script_ids ? thread->script_idx[id] : EP_NONE;

	if (idx == EP_NONE)
		return false;
	out_path->module_idx = trace->scripts.rows[idx].module_idx;
	out_path->address = ep_script_place(idx, address);
	return true;
}
