// SPDX-License-Identifier: BSD-3-Clause
#include "loaded_symbol.h"

#include <link.h>
#include <string.h>

#define MAX_HEADERS 32
#define MAX_CHAIN 256
#define MAX_NAME_BYTES 64
/* entries of a dynamic section that are read by one system call, if the memory is as long as that */
#define USUAL_ENTRIES 32

static bool find_dynamic(struct ep_peek *peek, uint64_t start, uint64_t bias, uint64_t *out_at)
{
	const ElfW(Ehdr) *elf = ep_peek_get(peek, start, sizeof(*elf));
	uint32_t n;
	uint64_t at;

	if (!elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_phentsize != sizeof(ElfW(Phdr)))
		return false;
	n = elf->e_phnum < MAX_HEADERS ? elf->e_phnum : MAX_HEADERS;
	at = start + elf->e_phoff;
	ep_peek_want(peek, at, n * (uint32_t)sizeof(ElfW(Phdr)));
	for (uint32_t i = 0; i < n; i++, at += sizeof(ElfW(Phdr))) {
		const ElfW(Phdr) *header = ep_peek_get(peek, at, sizeof(*header));

		if (header && header->p_type == PT_DYNAMIC) {
			*out_at = bias + header->p_vaddr;
			return true;
		}
	}
	return false;
}

/* Returns an address from the dynamic section as an absolute address. The loader has made these addresses absolute in
 * most modules; in the vDSO they are as in the file. */
static uint64_t absolute(uint64_t value, uint64_t bias)
{
	return value < bias ? value + bias : value;
}

bool ep_symbol_tables_find(
	struct ep_peek *peek, uint64_t start, uint64_t bias, struct ep_symbol_tables *out)
{
	uint64_t at = 0;

	*out = (struct ep_symbol_tables){ .bias = bias };
	if (!find_dynamic(peek, start, bias, &at))
		return false;
	ep_peek_want(peek, at, USUAL_ENTRIES * sizeof(ElfW(Dyn)));
	for (uint32_t i = 0; i < 64; i++, at += sizeof(ElfW(Dyn))) {
		const ElfW(Dyn) *entry = ep_peek_get(peek, at, sizeof(*entry));

		if (!entry || entry->d_tag == DT_NULL)
			break;
		if (entry->d_tag == DT_GNU_HASH)
			out->hash = absolute(entry->d_un.d_ptr, bias);
		else if (entry->d_tag == DT_SYMTAB)
			out->symbols = absolute(entry->d_un.d_ptr, bias);
		else if (entry->d_tag == DT_STRTAB)
			out->strings = absolute(entry->d_un.d_ptr, bias);
	}
	return out->hash && out->symbols && out->strings;
}

/* Returns the hash that the GNU ABI's tables use. */
static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

static uint32_t half(struct ep_peek *peek, uint64_t address)
{
	const void *word = ep_peek_get(peek, address, sizeof(uint32_t));

	return word ? ep_half_at(word, 0) : 0;
}

static bool is_it(struct ep_peek *peek, const struct ep_symbol_tables *tables, uint32_t idx,
	const char *name, struct ep_loaded_symbol *out)
{
	const ElfW(Sym) *found =
		ep_peek_get(peek, tables->symbols + (uint64_t)idx * sizeof(*found), sizeof(*found));
	size_t size = strlen(name) + 1;
	const char *its_name;
	ElfW(Sym) symbol;

	if (!found || size > MAX_NAME_BYTES)
		return false;
	symbol = *found;
	its_name = ep_peek_get(peek, tables->strings + symbol.st_name, (uint32_t)size);
	if (!its_name || symbol.st_shndx == SHN_UNDEF || memcmp(its_name, name, size))
		return false;
	*out = (struct ep_loaded_symbol){ tables->bias + symbol.st_value, symbol.st_size };
	return true;
}

/* Looks a symbol up in the hash table. The table has nbuckets, symoffset, bloom_size and bloom_shift, then the filter,
 * the buckets and the chains. */
bool ep_loaded_symbol_find(struct ep_peek *peek, const struct ep_symbol_tables *tables,
	const char *name, struct ep_loaded_symbol *out)
{
	const void *found = ep_peek_get(peek, tables->hash, 16);
	uint32_t hash = hash_of(name), n_buckets, first, n_filter, idx;
	uint64_t buckets, chains;

	if (!found)
		return false;
	n_buckets = ep_half_at(found, 0);
	first = ep_half_at(found, 4);
	n_filter = ep_half_at(found, 8);
	if (!n_buckets)
		return false;
	buckets = tables->hash + 16 + (uint64_t)n_filter * sizeof(ElfW(Addr));
	chains = buckets + (uint64_t)n_buckets * 4;
	idx = half(peek, buckets + (uint64_t)(hash % n_buckets) * 4);
	if (idx < first || !idx)
		return false;
	for (uint32_t i = 0; i < MAX_CHAIN; i++, idx++) {
		uint32_t other = half(peek, chains + (uint64_t)(idx - first) * 4);

		if ((other | 1) == (hash | 1) && is_it(peek, tables, idx, name, out))
			return true;
		if (other & 1)
			return false;
	}
	return false;
}
