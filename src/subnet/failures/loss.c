/* SPDX-License-Identifier: Apache-2.0
 *
 * loss.c: what fails at once, as text.
 */
#include "ikat/failures.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {"cables", "switches", "racks", "trays", NULL};
static const char *const one[] = {"cable", "switch", "rack", "tray"};

const char *ik_loss_kind_name(ik_loss_kind kind)
{
    return kinds[kind];
}

static bool loss_is_of_floor(ik_loss_kind kind)
{
    return kind == IK_LOSS_RACKS || kind == IK_LOSS_TRAYS;
}

static ik_status loss_refuse(const char *text, const ik_loss *loss, ik_error *err)
{
    ik_fail(err, IK_ERR_USAGE, "'%.60s' does not say what fails", text);
    if (loss_is_of_floor(loss->kind))
        return ik_hint(err, IK_ERR_USAGE,
                       "%s=2 is a number of %s, %s=5%% a share of them, from 0%% to 100%%; their "
                       "names differ from network to network",
                       kinds[loss->kind], kinds[loss->kind], kinds[loss->kind]);
    return ik_hint(err, IK_ERR_USAGE,
                   "a share from 0%% to 100%% of the cables between switches, as in 2%%, or of the "
                   "switches, as in switches=2%%; racks=1 and trays=1 fail as a whole");
}

/* A number of racks or trays, with digits alone. */
static bool loss_read_number(const char *amount, ik_loss *loss)
{
    uint64_t number = 0;
    loss->counted =
        loss_is_of_floor(loss->kind) && *amount && amount[strspn(amount, "0123456789")] == '\0' &&
        ik_parse_quantity(amount, IK_DIM_NONE, &number, NULL) == IK_OK && number <= UINT32_MAX;
    loss->amount = (double)number;
    return loss->counted;
}

ik_status ik_loss_read(const char *text, ik_loss *out, ik_error *err)
{
    const char *sign = strchr(text, '=');
    char name[32];
    ik_loss loss = {.kind = IK_LOSS_CABLES};
    snprintf(name, sizeof name, "%.*s", sign ? (int)strnlen(text, (size_t)(sign - text)) : 0, text);
    while (sign && kinds[loss.kind] && strcmp(name, kinds[loss.kind]) != 0)
        loss.kind++;
    if (loss.kind == IK_NUM_LOSS_KINDS)
        return ik_fail_unknown(err, "kind of part that fails", name, kinds);
    const char *amount = sign ? sign + 1 : text;
    if (!loss_read_number(amount, &loss)) {
        bool needs_sign = loss_is_of_floor(loss.kind) && !strchr(amount, '%');
        if (needs_sign || ik_parse_real(amount, IK_DIM_FRACTION, &loss.amount, NULL) != IK_OK ||
            !(loss.amount >= 0 && loss.amount <= 1))
            return loss_refuse(text, &loss, err);
        loss.amount += 0.0; /* -0 is 0 */
    }
    *out = loss;
    return IK_OK;
}

char *ik_loss_text(const ik_loss *loss, char *text, size_t size)
{
    if (loss->counted)
        snprintf(text, size, "%s", IK_COUNT((uint64_t)llround(loss->amount), one[loss->kind]));
    else
        snprintf(text, size, "%.6g %%%s%s", 100 * loss->amount,
                 loss->kind == IK_LOSS_CABLES ? "" : " of ",
                 loss->kind == IK_LOSS_CABLES ? "" : kinds[loss->kind]);
    return text;
}
