/* SPDX-License-Identifier: Apache-2.0
 *
 * registers_match.c: routing from the registers alone, and printing them. */
#include "routing/tree/registers.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_WORDS = 1024 }; /* 65,536 ports */

static bool registers_match_hits(const ik_registers *regs, uint32_t port, uint64_t address)
{
    assert(port < regs->num_ports);
    if (!regs->enabled[port])
        return false;
    uint64_t value = regs->flexible ? address & regs->mr[port] : address, fi = regs->fi[port],
             li = regs->li[port];
    return fi <= li ? fi <= value && value <= li : value >= fi || value <= li;
}

/* Every comparator works at the same time: a port yields to the raw matches that its RRR names. */
static uint32_t match_flexible(const ik_registers *regs, uint32_t base, uint32_t radix,
                               uint64_t address, uint32_t *out)
{
    assert(radix <= 64 * MAX_WORDS);
    uint64_t raw[MAX_WORDS];
    uint32_t words = (radix + 63) / 64, n = 0;
    memset(raw, 0, words * sizeof *raw);
    for (uint32_t i = 0; i < radix; i++)
        if (registers_match_hits(regs, base + i, address))
            raw[i / 64] |= (uint64_t)1 << (i % 64);
    for (uint32_t i = 0; i < radix; i++) {
        if (!(raw[i / 64] >> (i % 64) & 1))
            continue;
        const uint64_t *before = regs->rrr + (size_t)(base + i) * regs->rrr_words;
        bool yields = false;
        for (uint32_t word = 0; word < words; word++)
            yields |= (raw[word] & before[word]) != 0;
        if (!yields)
            out[n++] = base + i;
    }
    return n;
}

uint32_t ik_registers_match(const ik_registers *registers, uint32_t sw, uint32_t dst, uint32_t *out)
{
    assert(sw < registers->fabric->num_switches && dst < registers->fabric->num_hosts);
    const ik_fabric *f = registers->fabric;
    uint32_t base = f->port_base[sw], radix = ik_radix(f, sw), n = 0;
    uint64_t address = registers->address[dst];
    if (registers->flexible)
        return match_flexible(registers, base, radix, address, out);
    for (uint32_t i = 0; i < radix; i++)
        if (registers_match_hits(registers, base + i, address))
            out[n++] = base + i;
    return n;
}

uint32_t registers_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                        uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    *preferred = 0;
    return ik_registers_match(r->impl, sw, pk->dst, out);
}

void registers_destroy(ik_routing *r)
{
    ik_registers_free(r->impl);
}

static void registers_match_print_bits(const uint64_t *words, uint32_t bits, FILE *out)
{
    for (uint32_t i = bits; i-- > 0;)
        fputc((int)('0' + (words[i / 64] >> (i % 64) & 1)), out);
}

ik_status ik_registers_print(const ik_registers *registers, FILE *out, ik_error *err)
{
    const ik_fabric *f = registers->fabric;
    char name[128];
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint32_t base = f->port_base[sw], radix = ik_radix(f, sw);
        fprintf(out, "switch %" PRIu32 " (%s)\n", sw, ik_node_describe(f, sw, name, sizeof name));
        for (uint32_t i = 0; i < radix; i++) {
            if (!registers->enabled[base + i]) {
                fprintf(out, "  link %" PRIu32 " matches nothing\n", i);
                continue;
            }
            fprintf(out, "  link %" PRIu32 " FI %" PRIu64 " LI %" PRIu64, i,
                    registers->fi[base + i], registers->li[base + i]);
            if (registers->flexible) {
                fputs(" MR ", out);
                registers_match_print_bits(&registers->mr[base + i], registers->address_bits, out);
                fputs(" RRR ", out);
                registers_match_print_bits(
                    registers->rrr + (size_t)(base + i) * registers->rrr_words, radix, out);
            }
            fputc('\n', out);
        }
    }
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write registers: %s", strerror(errno))
                       : IK_OK;
}
