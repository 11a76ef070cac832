/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/yaml/prices.c: lists of prices. The built-in list is text as in a file, so that there
 * is one reader.
 */
#include "ikat/prices.h"
#include "base/yaml/ytree.h"

#include <stdlib.h>
#include <string.h>

/* Round numbers that were assumed: they come from no source. docs/designing.md shows them too. */
static const char built_in[] = "currency: USD\n"
                               "switches:\n"
                               "  - {ports: 36, rate: 100 Gb/s, price: 12000, watts: 150}\n"
                               "  - {ports: 64, rate: 100 Gb/s, price: 20000, watts: 300}\n"
                               "  - {ports: 128, rate: 100 Gb/s, price: 32000, watts: 550}\n"
                               "  - {ports: 40, rate: 200 Gb/s, price: 20000, watts: 300}\n"
                               "  - {ports: 64, rate: 200 Gb/s, price: 30000, watts: 500}\n"
                               "  - {ports: 128, rate: 200 Gb/s, price: 55000, watts: 900}\n"
                               "  - {ports: 32, rate: 400 Gb/s, price: 30000, watts: 500}\n"
                               "  - {ports: 64, rate: 400 Gb/s, price: 50000, watts: 900}\n"
                               "  - {ports: 128, rate: 400 Gb/s, price: 95000, watts: 1600}\n"
                               "adapters:\n"
                               "  - {rate: 100 Gb/s, price: 700, watts: 15}\n"
                               "  - {rate: 200 Gb/s, price: 1000, watts: 20}\n"
                               "  - {rate: 400 Gb/s, price: 1700, watts: 25}\n"
                               "copper_cables:\n"
                               "  - {rate: 100 Gb/s, price: 80, watts: 0}\n"
                               "  - {rate: 200 Gb/s, price: 130, watts: 0}\n"
                               "  - {rate: 400 Gb/s, price: 250, watts: 0}\n"
                               "optical_cables:\n"
                               "  - {rate: 100 Gb/s, price: 350, watts: 6}\n"
                               "  - {rate: 200 Gb/s, price: 700, watts: 10}\n"
                               "  - {rate: 400 Gb/s, price: 1500, watts: 18}\n";

enum { MOST_BYTES = 1 << 20 };
static const char *const kinds[] = {"switches",       "adapters", "copper_cables",
                                    "optical_cables", "currency", NULL};

typedef struct price {
    uint64_t ports, rate_bps;
    double price, watts;
    const char *source;
    bool assumed;
} price;

struct ik_prices {
    ik_arena arena;
    const char *currency;
    price *rows[IK_NUM_PARTS];
    size_t num[IK_NUM_PARTS];
};

static const ik_param row_params[] = {
    {"rate", IK_PARAM_RATE, NULL, 1, 1e15, NULL, "of a port"},
    {"price", IK_PARAM_REAL, NULL, 0, 1e12, NULL, "in the list's currency"},
    {"watts", IK_PARAM_REAL, NULL, 0, 1e12, NULL, "typical power"},
    {"source", IK_PARAM_STRING, "", 0, 0, NULL, "where price and watts come from, and the year"},
    {0},
};
static const ik_param switch_params[] = {
    {"ports", IK_PARAM_UINT, NULL, 1, 65535, NULL, "of a switch"},
    {0},
};

static ik_status prices_keep_row(ik_arena *arena, const ik_params *params, unsigned kind,
                                 price *out, ik_error *err)
{
    /* -0 becomes 0 */
    *out = (price){kind == IK_PART_SWITCH ? ik_params_uint(params, "ports") : 0,
                   ik_params_uint(params, "rate"),
                   ik_params_real(params, "price") + 0.0,
                   ik_params_real(params, "watts") + 0.0,
                   ik_arena_strdup(arena, ik_params_text(params, "source")),
                   false};
    return out->source ? IK_OK : ik_fail_memory(err, 1, "a list of prices");
}

static ik_status prices_read_row(ik_arena *arena, const ytree *node, unsigned kind, price *out,
                                 ik_error *err)
{
    ik_params params;
    if (node->kind != YTREE_MAP)
        return ytree_fail(node, err, "a row of '%s' is a mapping, found %s", kinds[kind],
                          ytree_kind_name(node->kind));
    ik_status status =
        ik_params_init(&params, row_params, kind == IK_PART_SWITCH ? switch_params : NULL, err);
    if (status != IK_OK)
        return status;
    for (size_t i = 0; status == IK_OK && i < node->num; i++) {
        const ytree *key = node->keys[i], *value = node->items[i];
        status = value->kind == YTREE_SCALAR
                     ? ik_params_set(&params, kinds[kind], key->text, value->text, 0, 0, err)
                     : ik_fail(err, IK_ERR_INPUT, "'%.60s' is a single value, found %s", key->text,
                               ytree_kind_name(value->kind));
        if (status != IK_OK)
            ik_error_at(err, key->file, key->line, key->column);
    }
    if (status == IK_OK)
        status = ik_params_finish(&params, kinds[kind], err);
    if (status == IK_OK)
        status = prices_keep_row(arena, &params, kind, out, err);
    else
        ik_error_at(err, node->file, node->line, node->column);
    ik_params_free(&params);
    return status;
}

/* Replaces the rows of one kind. */
static ik_status prices_read_rows(ik_prices *p, const ytree *node, unsigned kind, ik_error *err)
{
    if (node->kind != YTREE_LIST || node->num == 0)
        return ytree_fail(node, err, "'%s' is a list of rows, found %s", kinds[kind],
                          node->kind == YTREE_LIST ? "none" : ytree_kind_name(node->kind));
    p->rows[kind] = ik_arena_alloc(&p->arena, node->num * sizeof *p->rows[kind]);
    if (!p->rows[kind])
        return ik_fail_memory(err, node->num * sizeof *p->rows[kind], "a list of prices");
    p->num[kind] = node->num;
    ik_status status = IK_OK;
    for (size_t i = 0; status == IK_OK && i < node->num; i++) {
        p->rows[kind][i] = (price){0};
        status = prices_read_row(&p->arena, node->items[i], kind, &p->rows[kind][i], err);
    }
    return status;
}

static ik_status prices_read_currency(ik_prices *p, const ytree *node, ik_error *err)
{
    bool word = node->kind == YTREE_SCALAR && node->text[0] && strlen(node->text) <= 16;
    for (const char *c = node->text; word && *c; c++)
        word = (unsigned char)*c > ' ' && *c != 0x7f && *c != ',' && *c != '"';
    if (!word)
        return ytree_fail(node, err, "'currency' is a word of at most 16 letters, such as EUR");
    p->currency = node->text;
    return IK_OK;
}

static ik_status prices_read_text(ik_prices *p, const char *text, size_t size, const char *file,
                                  ik_error *err)
{
    ytree *root = NULL;
    ik_status status = ytree_parse(text, size, file, &p->arena, &root, err);
    if (status == IK_OK && root->kind != YTREE_MAP)
        status = ytree_fail(root, err, "a list of prices is a mapping, found %s",
                            ytree_kind_name(root->kind));
    for (size_t i = 0; status == IK_OK && i < root->num; i++) {
        unsigned k = 0;
        while (kinds[k] && strcmp(kinds[k], root->keys[i]->text) != 0)
            k++;
        if (!kinds[k])
            status = ik_fail_unknown(err, "key of a list of prices", root->keys[i]->text, kinds);
        else if (k == IK_NUM_PARTS)
            status = prices_read_currency(p, root->items[i], err);
        else
            status = prices_read_rows(p, root->items[i], k, err);
        if (status != IK_OK)
            ik_error_at(err, root->keys[i]->file, root->keys[i]->line, root->keys[i]->column);
    }
    return status;
}

ik_status ik_prices_read(const char *path, ik_prices **out, ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    ik_prices *p = ik_calloc(1, sizeof *p);
    if (!p)
        return ik_fail_memory(err, sizeof *p, "a list of prices");
    ik_status status = prices_read_text(p, built_in, sizeof built_in - 1, "built-in", err);
    for (unsigned k = 0; status == IK_OK && k < IK_NUM_PARTS; k++)
        for (size_t i = 0; i < p->num[k]; i++)
            p->rows[k][i].assumed = true;
    if (status == IK_OK && path)
        status = ik_text_read(path, MOST_BYTES, &text, &size, err);
    if (status == IK_OK && path)
        status = prices_read_text(p, text, size, path, err);
    free(text);
    if (status == IK_OK)
        *out = p;
    else
        ik_prices_free(p);
    return status;
}

void ik_prices_free(ik_prices *prices)
{
    if (!prices)
        return;
    ik_arena_free(&prices->arena);
    free(prices);
}

const char *ik_prices_currency(const ik_prices *prices)
{
    return prices->currency;
}

/* The cheapest row of this rate with enough ports, else the one with the most ports. */
static const price *prices_find(const ik_prices *p, unsigned kind, uint64_t rate, uint32_t ports)
{
    const price *found = NULL;
    for (size_t i = 0; i < p->num[kind]; i++) {
        const price *row = &p->rows[kind][i];
        if (row->rate_bps != rate)
            continue;
        bool enough = row->ports >= ports, other = found && found->ports >= ports;
        if (!found || (enough && !other) || (enough && row->price < found->price) ||
            (!enough && !other && row->ports > found->ports))
            found = row;
    }
    return found;
}

ik_status ik_prices_part(const ik_prices *prices, ik_part part, uint64_t rate_bps, uint32_t radix,
                         ik_part_price *out, ik_error *err)
{
    uint32_t ports = part == IK_PART_SWITCH ? radix : 0;
    const price *row = prices_find(prices, part, rate_bps, ports);
    if (!row) {
        char rate[48];
        ik_fail(err, IK_ERR_INPUT, "the list of prices has no %s of %s", kinds[part],
                ik_format_quantity(rate, sizeof rate, rate_bps, IK_DIM_RATE));
        return ik_hint(err, IK_ERR_INPUT, "add a row to '%s' of a file for --prices", kinds[part]);
    }
    double share = row->ports < ports ? (double)ports / (double)row->ports : 1;
    *out = (ik_part_price){row->price * share, row->watts * share, row->ports, share,
                           row->source,        row->assumed};
    return IK_OK;
}

ik_status ik_prices_cost(const ik_prices *prices, const ik_purchase *what, ik_cost *out,
                         ik_error *err)
{
    const double number[] = {what->switches, what->adapters, what->copper_cables,
                             what->optical_cables};
    double cost[IK_NUM_PARTS] = {0}, watts = 0;
    for (unsigned part = 0; part < IK_NUM_PARTS; part++) {
        ik_part_price one;
        ik_status status =
            ik_prices_part(prices, (ik_part)part, what->rate_bps, what->radix, &one, err);
        if (status != IK_OK)
            return status;
        cost[part] = number[part] * one.price;
        watts += number[part] * one.watts;
    }
    *out = (ik_cost){.switches = cost[IK_PART_SWITCH],
                     .adapters = cost[IK_PART_ADAPTER],
                     .copper_cables = cost[IK_PART_COPPER_CABLE],
                     .optical_cables = cost[IK_PART_OPTICAL_CABLE],
                     .watts = watts};
    out->total = out->switches + out->adapters + out->copper_cables + out->optical_cables;
    return IK_OK;
}
