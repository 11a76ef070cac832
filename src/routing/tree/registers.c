/* SPDX-License-Identifier: Apache-2.0
 *
 * registers.c: interval registers (IR) and flexible interval registers (FIR) of tree routings.
 *
 * Down ports hold the contiguous range of hosts below the child. Adaptive up ports all hold the
 * rest, a cyclic interval. FIR makes the way up deterministic: the mask MR leaves one digit of the
 * address, FI = LI = the port's value of that digit, and RRR gives every down port precedence,
 * since a digit says nothing about whether the destination is below.
 *
 * Any tree, not only k a power of two: FIR addresses pack each digit into ceil(log2 m_l) bits, in
 * the same order as the host numbers. A digit rule M mod w fits one mask and interval if w >= m
 * (the digit itself) or if w is a power of two (its low bits); other slimmed trees are refused.
 * With parallel cables down, the cable is chosen by the digit below, which then has to be whole (w
 * * p >= m).
 *
 * Source: Gomez, Gilabert, Gomez, Lopez, Duato, "Deterministic versus Adaptive Routing in
 * Fat-Trees", IPDPS 2007, figures 2 and 4. Departures: an enable bit for ports that match nothing,
 * and digit-packed addresses for any k.
 */
#include "routing/tree/registers.h"
#include "routing/rails.h"
#include "routing/tree/adaptive.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct filling {
    const tree *tree;
    ik_registers *regs;
    unsigned shift[IK_XGFT_MAX_H + 2]; /* of digit l; [h + 1] = bits of an address */
} filling;

void ik_registers_free(ik_registers *registers)
{
    if (!registers)
        return;
    free(registers->address);
    free(registers->enabled);
    free(registers->fi);
    free(registers->li);
    free(registers->mr);
    free(registers->rrr);
    free(registers);
}

static unsigned registers_bits_for(uint32_t values)
{
    assert(values > 0);
    unsigned bits = 0;
    while (((uint64_t)1 << bits) < values)
        bits++;
    return bits;
}

static uint64_t registers_ones(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* ---- addresses */

static void registers_number_plainly(filling *x)
{
    const ik_fabric *f = x->regs->fabric;
    for (uint32_t host = 0; host < f->num_hosts; host++)
        x->regs->address[host] = host;
    x->regs->address_bits = registers_bits_for(f->num_hosts);
}

static ik_status registers_pack_digits(filling *x, ik_error *err)
{
    const ik_xgft *xgft = x->tree->xgft;
    for (uint32_t l = 1; l <= xgft->h; l++)
        x->shift[l + 1] = x->shift[l] + registers_bits_for(xgft->m[l - 1]);
    x->regs->address_bits = x->shift[xgft->h + 1];
    if (x->regs->address_bits > 64)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "an address of %u bits does not fit a register of 64",
                       x->regs->address_bits);
    for (uint32_t host = 0; host < x->regs->fabric->num_hosts; host++)
        for (uint32_t l = 1; l <= xgft->h; l++)
            x->regs->address[host] |= (uint64_t)(host / xgft->prod_m[l - 1] % xgft->m[l - 1])
                                      << x->shift[l];
    return IK_OK;
}

/* ---- ports */

static void registers_set_interval(ik_registers *regs, uint32_t port, uint64_t fi, uint64_t li,
                                   uint64_t mr)
{
    assert(port < regs->num_ports && !regs->enabled[port]);
    regs->enabled[port] = true;
    regs->fi[port] = fi;
    regs->li[port] = li;
    if (regs->flexible)
        regs->mr[port] = mr;
}

/* Hosts first … first + count - 1. */
static void registers_set_hosts(ik_registers *regs, uint32_t port, uint32_t first, uint32_t count)
{
    assert(count > 0 && first + count <= regs->fabric->num_hosts);
    registers_set_interval(regs, port, regs->address[first], regs->address[first + count - 1],
                           registers_ones(regs->address_bits));
}

static void registers_fill_down(filling *x, const tree_switch *s, const tree_level *lv)
{
    uint32_t child = lv->child.by;
    for (uint32_t c = 0; c < lv->arity.by; c++)
        for (uint32_t k = 0; k < lv->num_cables; k++)
            registers_set_hosts(x->regs, s->port_base + c + lv->arity.by * k,
                                s->first_host + c * child, child);
}

/* Cable k takes the digits k * w … k * w + w - 1 of the level below. */
static ik_status fill_down_by_digit(filling *x, const tree_switch *s, const tree_level *lv,
                                    ik_error *err)
{
    if (lv->num_cables > 1 && s->level > 1 && lv[-1].num_up < lv[-1].arity.by)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "%s chosen by a digit of %s over %u ports fit no interval",
                       IK_COUNT(lv->num_cables, "parallel cable"),
                       IK_COUNT(lv[-1].arity.by, "value"), lv[-1].num_up);
    if (lv->num_cables == 1) {
        registers_fill_down(x, s, lv);
        return IK_OK;
    }
    for (uint32_t c = 0; c < lv->arity.by; c++)
        for (uint32_t k = 0; k < lv->num_cables; k++) {
            uint32_t port = s->port_base + c + lv->arity.by * k,
                     first = s->first_host + c * lv->child.by;
            if (s->level == 1) {
                if (k == 0)
                    registers_set_hosts(x->regs, port, first, lv->child.by);
                continue;
            }
            uint32_t m = lv[-1].arity.by, low = k * lv->num_parents, count = m > low ? m - low : 0,
                     grandchild = lv[-1].child.by;
            if (count > lv->num_parents)
                count = lv->num_parents;
            if (count)
                registers_set_hosts(x->regs, port, first + low * grandchild, count * grandchild);
        }
    return IK_OK;
}

static void registers_fill_up(filling *x, const tree_switch *s, const tree_level *lv)
{
    uint32_t hosts = x->regs->fabric->num_hosts;
    if (lv->num_hosts == hosts)
        return; /* everything is below: nothing left for the up ports */
    uint32_t first = (s->first_host + lv->num_hosts) % hosts,
             last = (s->first_host + hosts - 1) % hosts;
    for (uint32_t u = 0; u < lv->num_up; u++)
        registers_set_interval(x->regs, s->port_base + lv->first_up + u, x->regs->address[first],
                               x->regs->address[last], registers_ones(x->regs->address_bits));
}

static ik_status fill_up_by_digit(filling *x, const tree_switch *s, const tree_level *lv,
                                  ik_error *err)
{
    assert(lv->num_up > 0);
    uint32_t m = lv->arity.by, w = lv->num_up;
    if (w < m && (w & (w - 1)) != 0) {
        ik_fail(err, IK_ERR_UNSUPPORTED, "a digit of %s modulo %s fits no single mask and interval",
                IK_COUNT(m, "value"), IK_COUNT(w, "up port"));
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "as many up ports as children, or a power of two, fit");
    }
    uint64_t mask = registers_ones(registers_bits_for(w < m ? w : m)) << x->shift[s->level];
    for (uint32_t u = 0; u < w && u < m; u++) {
        uint32_t port = s->port_base + lv->first_up + u;
        uint64_t value = (uint64_t)u << x->shift[s->level];
        registers_set_interval(x->regs, port, value, value, mask);
        for (uint32_t down = 0; down < lv->first_up; down++)
            x->regs->rrr[(size_t)port * x->regs->rrr_words + down / 64] |= (uint64_t)1
                                                                           << (down % 64);
    }
    return IK_OK;
}

static ik_status registers_fill_switch(filling *x, uint32_t sw, registers_kind kind, ik_error *err)
{
    const tree_switch *s = &x->tree->sw[sw];
    const tree_level *lv = &x->tree->level[s->level];
    if (kind == REGISTERS_FIR_DMODK) {
        ik_status status = fill_down_by_digit(x, s, lv, err);
        return status == IK_OK && lv->num_up ? fill_up_by_digit(x, s, lv, err) : status;
    }
    registers_fill_down(x, s, lv);
    registers_fill_up(x, s, lv);
    return IK_OK;
}

/* ---- all of it */

static ik_status registers_alloc(const ik_fabric *f, registers_kind kind, ik_registers **out,
                                 ik_error *err)
{
    uint32_t ports = f->port_base[f->num_switches];
    ik_registers *regs = ik_calloc(1, sizeof *regs);
    if (!regs)
        return ik_fail_memory(err, sizeof *regs, "registers");
    regs->fabric = f;
    regs->num_ports = ports;
    regs->flexible = kind != REGISTERS_IR;
    regs->deterministic = kind == REGISTERS_FIR_DMODK;
    regs->address = ik_calloc(f->num_hosts, sizeof *regs->address);
    regs->enabled = ik_calloc((size_t)ports + 1, sizeof *regs->enabled);
    regs->fi = ik_calloc((size_t)ports + 1, sizeof *regs->fi);
    regs->li = ik_calloc((size_t)ports + 1, sizeof *regs->li);
    bool complete = regs->address && regs->enabled && regs->fi && regs->li;
    if (regs->flexible) {
        regs->rrr_words = (ik_max_radix(f) + 63) / 64;
        regs->mr = ik_calloc((size_t)ports + 1, sizeof *regs->mr);
        regs->rrr = ik_calloc(((size_t)ports + 1) * regs->rrr_words, sizeof *regs->rrr);
        complete = complete && regs->mr && regs->rrr;
    }
    if (!complete) {
        ik_registers_free(regs);
        return ik_fail_memory(err, (size_t)ports * 17, "registers");
    }
    *out = regs;
    return IK_OK;
}

ik_status registers_fill(const ik_fabric *f, const char *routing, registers_kind kind,
                         ik_registers **out, ik_error *err)
{
    tree *t = NULL;
    filling x = {0};
    ik_status status = tree_new(f, routing, &t, err);
    if (status == IK_OK)
        status = registers_alloc(f, kind, &x.regs, err);
    if (status == IK_OK) {
        x.tree = t;
        if (kind == REGISTERS_IR)
            registers_number_plainly(&x);
        else
            status = registers_pack_digits(&x, err);
    }
    for (uint32_t sw = 0; status == IK_OK && sw < f->num_switches; sw++)
        status = registers_fill_switch(&x, sw, kind, err);
    tree_free(t);
    if (status != IK_OK) {
        ik_registers_free(x.regs);
        return status;
    }
    *out = x.regs;
    return IK_OK;
}

ik_status ik_registers_compile(const ik_routing *r, bool flexible, ik_registers **out,
                               ik_error *err)
{
    const char *name = r->family->name;
    /* registers hold hosts; which of a host's ports comes with the way */
    if (r->rails && r->rails->inner)
        r = r->rails->inner;
    if (strcmp(name, "dmodk") == 0 || strcmp(name, "fir") == 0 || strcmp(name, "ir") == 0) {
        bool digits = r->kind == IK_ROUTE_DETERMINISTIC;
        if (digits && !flexible) {
            ik_fail(err, IK_ERR_UNSUPPORTED,
                    "D-mod-K picks ports by one digit of the destination, which plain intervals "
                    "cannot");
            return ik_hint(err, IK_ERR_UNSUPPORTED, "flexible interval registers (fir) hold it");
        }
        return registers_fill(r->fabric, name,
                              !flexible ? REGISTERS_IR
                              : digits  ? REGISTERS_FIR_DMODK
                                        : REGISTERS_FIR_ADAPTIVE,
                              out, err);
    }
    if (strcmp(name, "adaptive_tree") == 0) {
        const adaptive *a = r->impl;
        if (a->delta == 1 && a->stages == UINT32_MAX)
            return registers_fill(r->fabric, name, flexible ? REGISTERS_FIR_ADAPTIVE : REGISTERS_IR,
                                  out, err);
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "registers hold the unrestricted adaptive routing, not '%s'", r->spec);
        return ik_hint(err, IK_ERR_UNSUPPORTED, "leave 'stages' and 'delta' at their defaults");
    }
    ik_fail(err, IK_ERR_UNSUPPORTED, "routing '%s' has no interval registers", r->spec);
    return ik_hint(err, IK_ERR_UNSUPPORTED, "'dmodk' (fir) and 'adaptive_tree' (ir and fir) have");
}
