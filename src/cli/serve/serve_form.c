/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_form.c: the form that asks what would be: read strictly, since anybody who has the address
 * can send one.
 */
#include "serve_form.h"

#include "ikat/json.h"

#include <stdlib.h>
#include <string.h>

enum { FORM_NUMBER = 32 };

/* Names of their values in a form, in the order of `serve_form.value`. */
static const char *const form_names[FORM_VALUES] = {
    "fabric", "routing", "traffic", "fail", "slow", "simulate", "load", "seed", "point"};

static int form_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* text[0..length) without its escapes, in place. false: it has a wrong one, or a character that no
 * value has. */
static bool form_decode(char *text, size_t length)
{
    size_t to = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i] == '+' ? ' ' : text[i];
        if (c == '%') {
            int high = i + 2 < length ? form_digit(text[i + 1]) : -1,
                low = high >= 0 ? form_digit(text[i + 2]) : -1;
            if (low < 0)
                return false;
            c = (char)(16 * high + low);
            i += 2;
        }
        if ((unsigned char)c < ' ' || c == 0x7f)
            return false;
        text[to++] = c;
    }
    text[to] = '\0';
    return true;
}

static bool form_take(serve_form *f, char *item, size_t length, char *why, size_t size)
{
    char *equals = memchr(item, '=', length);
    size_t key = equals ? (size_t)(equals - item) : length;
    for (size_t k = 0; equals && k < FORM_VALUES; k++) {
        if (strlen(form_names[k]) != key || memcmp(form_names[k], item, key) != 0)
            continue;
        if (f->value[k]) {
            snprintf(why, size, "'%s' stands there twice.", form_names[k]);
            return false;
        }
        f->value[k] = equals + 1;
        if (form_decode(equals + 1, length - key - 1))
            return true;
        snprintf(why, size, "'%s' has a wrong escape or a control character.", form_names[k]);
        return false;
    }
    snprintf(why, size,
             "'%.*s' is unknown: there are fabric, routing, traffic, fail, slow, simulate, load, "
             "seed and point.",
             (int)(key < 40 ? key : 40), item);
    return false;
}

/* Only characters of a list of parts, so that it is one value within a spec. */
static bool form_is_list(const char *text, const char *more)
{
    for (; *text; text++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:_-", *text) &&
            !strchr(more, *text))
            return false;
    return true;
}

/* A list of switches and ports, and no share, which begins with a digit and no switch's name. */
static bool form_check_damage(const serve_form *f, char *why, size_t size)
{
    const char *fail = f->value[FORM_FAIL], *slow = f->value[FORM_SLOW];
    const char *share = fail ? fail + strspn(fail, "0123456789.eE-") : "";
    if (fail && (!form_is_list(fail, "") || !*share))
        snprintf(why, size, "'fail' is a list of switches and ports such as sw0:sw1.2.");
    else if (slow && (!form_is_list(slow, "@ /") || !*slow))
        snprintf(why, size, "'slow' is a list of ports and rates such as sw1.2@25Gb/s.");
    else
        return true;
    return false;
}

/* A whole number, or none; false: it is something else. */
static bool form_number(const char *text, uint64_t *number)
{
    return !text || (*text && !text[strspn(text, "0123456789")] &&
                     ik_parse_quantity(text, IK_DIM_NONE, number, NULL) == IK_OK);
}

static bool form_check(serve_form *f, char *why, size_t size)
{
    const char *simulate = f->value[FORM_SIMULATE];
    char *end = NULL;
    for (size_t k = 0; k <= FORM_TRAFFIC; k++)
        if (!f->value[k]) {
            snprintf(why, size, "'%s' is missing.", form_names[k]);
            return false;
        }
    f->seed = 1;
    if (!form_number(f->value[FORM_SEED], &f->seed) ||
        !form_number(f->value[FORM_POINT], &f->point)) {
        snprintf(why, size, "'seed' and 'point' are numbers.");
        return false;
    }
    if ((simulate && strcmp(simulate, "yes") != 0) || !simulate != !f->value[FORM_LOAD]) {
        snprintf(why, size, "'simulate' is yes, with a load, or is left out.");
        return false;
    }
    if (simulate)
        f->load = strtod(f->value[FORM_LOAD], &end);
    if (simulate && (strlen(f->value[FORM_LOAD]) > FORM_NUMBER || *end ||
                     end == f->value[FORM_LOAD] || !(f->load > 0 && f->load <= 1))) {
        snprintf(why, size, "'load' is a fraction above 0, at most 1.");
        return false;
    }
    return form_check_damage(f, why, size);
}

bool serve_form_read(serve_form *f, const char *text, size_t size, char why[SERVE_SENTENCE])
{
    *f = (serve_form){0};
    f->text = malloc(size + 1);
    if (!f->text) {
        snprintf(why, SERVE_SENTENCE, "out of memory");
        return false;
    }
    memcpy(f->text, text, size);
    f->text[size] = '\0';
    bool good = memchr(text, '\0', size) == NULL;
    if (!good)
        snprintf(why, SERVE_SENTENCE, "It is no form.");
    for (char *item = f->text, *next; good && item; item = next) {
        size_t length = strcspn(item, "&");
        next = item[length] ? item + length + 1 : NULL;
        item[length] = '\0';
        good = form_take(f, item, length, why, SERVE_SENTENCE);
    }
    return good && form_check(f, why, SERVE_SENTENCE);
}

void serve_form_free(serve_form *f)
{
    free(f->text);
    *f = (serve_form){0};
}
