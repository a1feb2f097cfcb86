// SPDX-License-Identifier: BSD-3-Clause
/* Interprets call frame information (DWARF 5, section 6.4; LSB 5.0 for .eh_frame_hdr) for the
 * columns that a stack walk needs: CFA, return address, frame pointer, and on x86 rbx. Runs in
 * signal handlers: it allocates nothing, takes no locks, and reads only inside the module. */
#include "cfi.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cfi_read.h"

#define WORD_BYTES 8
#define STATE_STACK_DEPTH 8
#define CFA_BITS 20
#if defined(__x86_64__)
#define RA_BITS 6
#define SLOT_BITS 13
#else
#define RA_BITS 16
#define SLOT_BITS 16
#endif

struct rule_slot {
	enum { SLOT_SAME, SLOT_SAVED, SLOT_SAVED_AT_FP, SLOT_UNDEFINED, SLOT_OTHER } kind;
	int64_t offset; /* distance from the CFA, or from the frame pointer */
};

struct row {
	uint64_t cfa_reg;
	int64_t cfa_offset;
	const uint8_t *cfa_expression; /* NULL: the CFA is a register and an offset */
	size_t cfa_expression_size;
	struct rule_slot ra, fp, bx;
};

struct machine {
	struct row row;
	struct row initial; /* the row after the CIE's instructions */
	struct row stack[STATE_STACK_DEPTH];
	unsigned depth;
	uint64_t location;
};

static struct rule_slot *slot_of(struct row *row, uint64_t reg)
{
	if (reg == EP_REG_RA)
		return &row->ra;
	if (reg == (uint64_t)EP_REG_BX)
		return &row->bx;
	return reg == EP_REG_FP ? &row->fp : NULL;
}

static void set_slot(struct row *row, uint64_t reg, int kind, int64_t offset)
{
	struct rule_slot *slot = slot_of(row, reg);

	if (slot)
		*slot = (struct rule_slot){ kind, offset };
}

static void restore_slot(struct machine *m, uint64_t reg)
{
	struct rule_slot *slot = slot_of(&m->row, reg), *initial = slot_of(&m->initial, reg);

	if (slot)
		*slot = *initial;
}

static void skip_block(struct ep_cfi_cursor *c)
{
	uint64_t size = ep_cfi_take_uleb(c);

	if (size > (size_t)(c->end - c->at)) {
		c->bad = true;
		c->at = c->end;
		return;
	}
	c->at += size;
}

/* Reads an expression that gives the address of a saved register. Only "bregFP offset" is understood, which compilers
 * write for registers that are saved on a realigned stack. */
static void set_slot_expression(struct row *row, uint64_t reg, struct ep_cfi_cursor *c)
{
	struct ep_cfi_cursor block = *c;
	int64_t offset;

	skip_block(c);
	ep_cfi_take_uleb(&block);
	block.end = c->at;
	if (ep_cfi_take_bytes(&block, 1) == 0x70 + EP_REG_FP) {
		offset = ep_cfi_take_sleb(&block);
		if (block.at == block.end && !block.bad) {
			set_slot(row, reg, SLOT_SAVED_AT_FP, offset);
			return;
		}
	}
	set_slot(row, reg, SLOT_OTHER, 0);
}

/* Multiplies as unsigned numbers: a damaged table may give any product, and the overflow of a signed
 * product is undefined. */
static int64_t scaled(uint64_t factored, int64_t data_align)
{
	return (int64_t)(factored * (uint64_t)data_align);
}

static void define_cfa(struct row *row, uint64_t reg, int64_t offset)
{
	row->cfa_reg = reg;
	row->cfa_offset = offset;
	row->cfa_expression = NULL;
}

static void define_cfa_expression(struct row *row, struct ep_cfi_cursor *c)
{
	uint64_t size = ep_cfi_take_uleb(c);

	if (size > (size_t)(c->end - c->at)) {
		c->bad = true;
		return;
	}
	row->cfa_expression = c->at;
	row->cfa_expression_size = size;
	c->at += size;
}

static void push_state(struct machine *m, struct ep_cfi_cursor *c)
{
	if (m->depth == STATE_STACK_DEPTH)
		c->bad = true;
	else
		m->stack[m->depth++] = m->row;
}

static void pop_state(struct machine *m, struct ep_cfi_cursor *c)
{
	if (!m->depth)
		c->bad = true;
	else
		m->row = m->stack[--m->depth];
}

/* Executes an instruction that changes the CFA. Returns false if op is another instruction. */
static bool step_cfa(
	struct row *row, const struct ep_cfi_cie *cie, uint8_t op, struct ep_cfi_cursor *c)
{
	uint64_t reg;

	switch (op) {
	case 0x0c: /* def_cfa */
		reg = ep_cfi_take_uleb(c);
		define_cfa(row, reg, ep_cfi_take_uleb(c));
		return true;
	case 0x0d: /* def_cfa_register */
		define_cfa(row, ep_cfi_take_uleb(c), row->cfa_offset);
		return true;
	case 0x0e: /* def_cfa_offset */
		row->cfa_offset = ep_cfi_take_uleb(c);
		return true;
	case 0x0f:
		define_cfa_expression(row, c);
		return true;
	case 0x12: /* def_cfa_sf */
		reg = ep_cfi_take_uleb(c);
		define_cfa(row, reg, scaled((uint64_t)ep_cfi_take_sleb(c), cie->data_align));
		return true;
	case 0x13: /* def_cfa_offset_sf */
		row->cfa_offset = scaled((uint64_t)ep_cfi_take_sleb(c), cie->data_align);
		return true;
	default:
		return false;
	}
}

/* Executes instructions whose opcode is a whole byte (DWARF 5, table 7.29, and GNU additions). */
static void step_extended(
	struct machine *m, const struct ep_cfi_cie *cie, uint8_t op, struct ep_cfi_cursor *c)
{
	struct row *row = &m->row;
	uint64_t reg;

	switch (op) {
	case 0x00: /* nop */
	case 0x2d: /* AARCH64_negate_ra_state: the walker removes a return address's signature itself */
		break;
	case 0x01: /* set_loc */
		m->location = ep_cfi_take_encoded(c, cie->pointer_encoding, 0);
		break;
	case 0x02: /* advance_loc1, 2, 4 */
		m->location += ep_cfi_take_bytes(c, 1) * cie->code_align;
		break;
	case 0x03:
		m->location += ep_cfi_take_bytes(c, 2) * cie->code_align;
		break;
	case 0x04:
		m->location += ep_cfi_take_bytes(c, 4) * cie->code_align;
		break;
	case 0x05: /* offset_extended */
		reg = ep_cfi_take_uleb(c);
		set_slot(row, reg, SLOT_SAVED, scaled(ep_cfi_take_uleb(c), cie->data_align));
		break;
	case 0x06: /* restore_extended */
		restore_slot(m, ep_cfi_take_uleb(c));
		break;
	case 0x07: /* undefined */
		set_slot(row, ep_cfi_take_uleb(c), SLOT_UNDEFINED, 0);
		break;
	case 0x08: /* same_value */
		set_slot(row, ep_cfi_take_uleb(c), SLOT_SAME, 0);
		break;
	case 0x09: /* register */
		reg = ep_cfi_take_uleb(c);
		ep_cfi_take_uleb(c);
		set_slot(row, reg, SLOT_OTHER, 0);
		break;
	case 0x0a:
		push_state(m, c);
		break;
	case 0x0b:
		pop_state(m, c);
		break;
	case 0x10: /* expression */
		reg = ep_cfi_take_uleb(c);
		set_slot_expression(row, reg, c);
		break;
	case 0x16: /* val_expression */
		reg = ep_cfi_take_uleb(c);
		skip_block(c);
		set_slot(row, reg, SLOT_OTHER, 0);
		break;
	case 0x11: /* offset_extended_sf */
		reg = ep_cfi_take_uleb(c);
		set_slot(row, reg, SLOT_SAVED,
			scaled((uint64_t)ep_cfi_take_sleb(c), cie->data_align));
		break;
	case 0x14: /* val_offset and val_offset_sf give a value, not the address of one */
	case 0x15:
		reg = ep_cfi_take_uleb(c);
		ep_cfi_take_uleb(c);
		set_slot(row, reg, SLOT_OTHER, 0);
		break;
	case 0x2e: /* GNU_args_size */
		ep_cfi_take_uleb(c);
		break;
	case 0x2f: /* GNU_negative_offset_extended */
		reg = ep_cfi_take_uleb(c);
		set_slot(row, reg, SLOT_SAVED, scaled(-ep_cfi_take_uleb(c), cie->data_align));
		break;
	default:
		c->bad |= !step_cfa(row, cie, op, c);
	}
}

/* Executes the instructions up to the row that is valid for pc. */
static bool run_program(
	struct machine *m, const struct ep_cfi_cie *cie, struct ep_cfi_cursor c, uint64_t pc)
{
	while (c.at < c.end && !c.bad) {
		uint8_t op = ep_cfi_take_bytes(&c, 1);

		switch (op & 0xc0) {
		case 0x40:
			m->location += (op & 0x3f) * cie->code_align;
			break;
		case 0x80:
			set_slot(&m->row, op & 0x3f, SLOT_SAVED,
				scaled(ep_cfi_take_uleb(&c), cie->data_align));
			break;
		case 0xc0:
			restore_slot(m, op & 0x3f);
			break;
		default:
			step_extended(m, cie, op, &c);
		}
		if (m->location > pc)
			break;
	}
	return !c.bad;
}

static bool fits_words(int64_t offset_bytes, unsigned n_bits)
{
	int64_t limit = 1ll << (n_bits - 1), n_words = offset_bytes / WORD_BYTES;

	return offset_bytes % WORD_BYTES == 0 && n_words >= -limit && n_words < limit;
}

static void set_cfa(struct ep_frame_rule *rule, enum ep_cfa_kind kind, int64_t offset)
{
	if (!fits_words(offset, CFA_BITS))
		return;
	rule->cfa = kind;
	rule->cfa_words = offset / WORD_BYTES;
}

/*
 * Applies the expressions that compilers, linkers and OpenSSL write for a CFA.
 * For a PLT: breg7 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus. For a known pc this is sp plus a constant.
 * For a realigned stack: bregFP offset, deref. For code that keeps the old stack pointer in its frame: bregSP offset,
 * deref, plus_uconst 8.
 */
static void apply_expression(const struct row *row, uint64_t pc, struct ep_frame_rule *rule)
{
	static const uint8_t plt[] = { 0x77, 8, 0x80, 0, 0x3f, 0x1a };
	struct ep_cfi_cursor c = { row->cfa_expression,
		row->cfa_expression + row->cfa_expression_size, false };
	uint8_t base;
	int64_t offset;

	if (row->cfa_expression_size == 11 && !memcmp(row->cfa_expression, plt, sizeof(plt))) {
		unsigned bound = row->cfa_expression[6] - 0x30; /* lit11, or lit10 for CET */

		rule->reg = EP_REG_SP;
		set_cfa(rule, EP_CFA_REGISTER, (pc & 15) >= bound ? 16 : 8);
		return;
	}
	base = ep_cfi_take_bytes(&c, 1);
	offset = ep_cfi_take_sleb(&c);
	if (ep_cfi_take_bytes(&c, 1) != 0x06 || c.bad)
		return;
	if (base == 0x70 + EP_REG_FP && c.at == c.end)
		set_cfa(rule, EP_CFA_FP_DEREF, offset);
	else if (base == 0x70 + EP_REG_SP && c.end - c.at == 2 && c.at[0] == 0x23 && c.at[1] == 8)
		set_cfa(rule, EP_CFA_SP_DEREF, offset);
}

static void pack_slots(const struct row *row, struct ep_frame_rule *rule)
{
	if (row->ra.kind == SLOT_SAVED) {
		rule->ra = EP_SLOT_SAVED;
		rule->ra_words = row->ra.offset / WORD_BYTES;
	}
	if ((row->fp.kind == SLOT_SAVED || row->fp.kind == SLOT_SAVED_AT_FP) &&
		fits_words(row->fp.offset, SLOT_BITS)) {
		rule->fp = row->fp.kind == SLOT_SAVED ? EP_SLOT_SAVED : EP_SLOT_SAVED_AT_FP;
		rule->fp_words = row->fp.offset / WORD_BYTES;
	}
#if defined(__x86_64__)
	if (row->bx.kind == SLOT_SAVED && fits_words(row->bx.offset, SLOT_BITS)) {
		rule->bx = EP_SLOT_SAVED;
		rule->bx_words = row->bx.offset / WORD_BYTES;
	}
#endif
}

static struct ep_frame_rule pack_rule(
	const struct row *row, const struct ep_cfi_cie *cie, uint64_t pc)
{
	struct ep_frame_rule rule = { .cfa = EP_CFA_UNKNOWN };

	if (cie->is_signal) {
		rule.cfa = EP_CFA_SIGNAL;
		return rule;
	}
	if (row->ra.kind == SLOT_UNDEFINED) {
		rule.cfa = EP_CFA_OUTERMOST;
		return rule;
	}
	if (row->ra.kind != SLOT_SAME &&
		(row->ra.kind != SLOT_SAVED || !fits_words(row->ra.offset, RA_BITS)))
		return rule;
	pack_slots(row, &rule);
	if (row->cfa_expression) {
		apply_expression(row, pc, &rule);
	} else if (row->cfa_reg < 32) {
		rule.reg = row->cfa_reg;
		set_cfa(&rule, EP_CFA_REGISTER, row->cfa_offset);
	}
	return rule;
}

struct ep_frame_rule ep_cfi_find(
	uint64_t pc, const uint8_t *eh_frame_header, uint64_t low, uint64_t high)
{
	struct ep_frame_rule unknown = { .cfa = EP_CFA_UNKNOWN };
	const uint8_t *entry = ep_cfi_search(pc, eh_frame_header, high);
	struct machine m;
	struct ep_cfi_cie cie;
	struct ep_cfi_fde fde;

	if (!entry || !ep_cfi_parse(entry, low, high, &cie, &fde) || pc < fde.begin ||
		pc >= fde.end || cie.ra_reg != EP_REG_RA)
		return unknown;
	m.depth = 0;
	memset(&m.row, 0, sizeof(m.row));
	/* m.initial is read by a restore instruction in the CIE, which only a damaged table has */
	m.initial = m.row;
	m.location = 0;
	if (!run_program(&m, &cie, cie.program, UINT64_MAX))
		return unknown;
	m.initial = m.row;
	m.location = fde.begin;
	if (!run_program(&m, &cie, fde.program, pc))
		return unknown;
	return pack_rule(&m.row, &cie, pc);
}
