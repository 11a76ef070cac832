/* SPDX-License-Identifier: Apache-2.0
 *
 * quantity.c: quantities as people write them ("6 ns", "100 Gb/s", "192 KiB", "25 %"), kept as
 * exact integers.
 *
 * The number is read as decimal digits, not as a double: 0.1 ns is 100 ps, and 0.0001 ns is refused
 * because it is no whole number of picoseconds.
 */
#include "base/quantity.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct unit {
    const char *name;
    uint64_t factor; /* in base units */
    uint64_t divisor;
} unit;

static const unit units_none[] = {{"", 1, 1}, {NULL, 0, 0}};
static const unit units_time[] = {{"ps", 1, 1},
                                  {"ns", 1000, 1},
                                  {"us", 1000000, 1},
                                  {"ms", 1000000000, 1},
                                  {"s", 1000000000000, 1},
                                  {"\xc2\xb5s", 1000000, 1},
                                  {"min", 60000000000000, 1},
                                  {"h", 3600000000000000, 1},
                                  {NULL, 0, 0}};
static const unit units_rate[] = {{"b/s", 1, 1},
                                  {"kb/s", 1000, 1},
                                  {"Mb/s", 1000000, 1},
                                  {"Gb/s", 1000000000, 1},
                                  {"Tb/s", 1000000000000, 1},
                                  {"B/s", 8, 1},
                                  {"kB/s", 8000, 1},
                                  {"MB/s", 8000000, 1},
                                  {"GB/s", 8000000000, 1},
                                  {"TB/s", 8000000000000, 1},
                                  {"Mbps", 1000000, 1},
                                  {"Gbps", 1000000000, 1},
                                  {"Tbps", 1000000000000, 1},
                                  {NULL, 0, 0}};
static const unit units_size[] = {{"B", 1, 1},
                                  {"KiB", 1024, 1},
                                  {"MiB", 1048576, 1},
                                  {"GiB", 1073741824, 1},
                                  {"TiB", 1099511627776, 1},
                                  {"kB", 1000, 1},
                                  {"MB", 1000000, 1},
                                  {"GB", 1000000000, 1},
                                  {"TB", 1000000000000, 1},
                                  {"b", 1, 8},
                                  {NULL, 0, 0}};
static const unit units_length[] = {
    {"mm", 1, 1}, {"cm", 10, 1}, {"m", 1000, 1}, {"km", 1000000, 1}, {NULL, 0, 0}};

typedef struct dimension {
    const char *what, *example;
    const unit *units;
} dimension;

static const dimension dimensions[] = {
    [IK_DIM_NONE] = {"a whole number", "16", units_none},
    [IK_DIM_TIME] = {"a time with its unit (ps, ns, us, ms, s, min, h)", "6 ns", units_time},
    [IK_DIM_RATE] =
        {"a rate with its unit (b/s, kb/s, Mb/s, Gb/s, Tb/s, or B/s with the same prefixes)",
         "100 Gb/s", units_rate},
    [IK_DIM_SIZE] = {"a size with its unit (B, KiB, MiB, GiB, kB, MB, GB)", "192 KiB", units_size},
    [IK_DIM_FRACTION] = {"a fraction", "25 % or 0.25", units_none},
    [IK_DIM_LENGTH] = {"a length with its unit (mm, cm, m, km)", "2 m", units_length},
};

static ik_status quantity_refuse(ik_error *err, const char *text, ik_dimension dim, const char *why)
{
    ik_fail(err, IK_ERR_INPUT, "'%.60s' is not %s%s%s", text, dimensions[dim].what,
            *why ? ": " : "", why);
    return ik_hint(err, IK_ERR_INPUT, "write it like %s", dimensions[dim].example);
}

/* The same for a value that may have decimals. */
static ik_status quantity_refuse_real(ik_error *err, const char *text, ik_dimension dim,
                                      const char *why)
{
    if (dim == IK_DIM_FRACTION)
        return quantity_refuse(err, text, dim, why);
    ik_fail(err, IK_ERR_INPUT, "'%.60s' is not a number%s%s", text, *why ? ": " : "", why);
    return ik_hint(err, IK_ERR_INPUT, "write it like 0.5");
}

static const char *quantity_skip_space(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* A decimal number m * 10^-scale, no sign, no exponent; digits may be grouped by '_'. */
static const char *quantity_read_decimal(const char *text, uint64_t *mantissa, unsigned *scale,
                                         bool *overflow)
{
    bool point = false, digits = false;
    *mantissa = 0;
    *scale = 0;
    *overflow = false;
    for (;; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (*text == '_' && digits)
            continue;
        if (!isdigit((unsigned char)*text))
            break;
        digits = true;
        uint64_t digit = (uint64_t)(*text - '0');
        if (*mantissa > (UINT64_MAX - digit) / 10)
            *overflow = true;
        else
            *mantissa = *mantissa * 10 + digit;
        *scale += point;
    }
    return digits ? text : NULL;
}

static const unit *quantity_find_unit(const unit *units, const char *name, size_t length)
{
    for (; units->name; units++)
        if (strlen(units->name) == length && memcmp(units->name, name, length) == 0)
            return units;
    return NULL;
}

typedef enum scaled { SCALED_EXACTLY, SCALED_NOT_WHOLE, SCALED_TOO_LARGE } scaled;

/* mantissa * 10^-scale * factor / divisor as an exact integer. */
static scaled quantity_scale_exactly(uint64_t mantissa, unsigned scale, const unit *u,
                                     uint64_t *value)
{
    while (scale > 0 && mantissa % 10 == 0) {
        mantissa /= 10;
        scale--;
    }
    if (scale > 19)
        return SCALED_NOT_WHOLE;
    uint64_t ten = 1;
    for (unsigned i = 0; i < scale; i++)
        ten *= 10;
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)mantissa * u->factor, below = (wide)ten * u->divisor;
    if (product / below > UINT64_MAX)
        return SCALED_TOO_LARGE;
    if (product % below != 0)
        return SCALED_NOT_WHOLE;
    *value = (uint64_t)(product / below);
    return SCALED_EXACTLY;
}

/* The unit that this is but for upper and lower case; NULL = none. Of several the first. */
static const unit *quantity_find_like(const unit *units, const char *name, size_t length)
{
    for (; units->name; units++)
        if (length && strlen(units->name) == length && strncasecmp(units->name, name, length) == 0)
            return units;
    return NULL;
}

const char *ik_quantity_meant(const char *text, ik_dimension dim)
{
    uint64_t mantissa;
    unsigned scale;
    bool overflow;
    const char *rest =
        quantity_read_decimal(quantity_skip_space(text), &mantissa, &scale, &overflow);
    rest = rest ? quantity_skip_space(rest) : "";
    size_t length = strlen(rest);
    while (length > 0 && isspace((unsigned char)rest[length - 1]))
        length--;
    if (quantity_find_unit(dimensions[dim].units, rest, length))
        return NULL;
    const unit *like = quantity_find_like(dimensions[dim].units, rest, length);
    return like ? like->name : NULL;
}

/* "1..4", of which a number with its point may have been read. */
static bool quantity_is_range(const char *rest)
{
    return rest[0] == '.' && (rest[1] == '.' || rest[-1] == '.');
}

/* What is wrong with the text behind the number. */
static const char *quantity_wrong_rest(const char *rest, ik_dimension dim)
{
    if (quantity_is_range(rest))
        return "only swept values of an experiment can be a range";
    if (dimensions[dim].units == units_none)
        return "there is something after the number";
    if (!*rest)
        return "the unit is missing";
    bool sign = *rest && (rest[1] == '+' || rest[1] == '-');
    return (*rest == 'e' || *rest == 'E') && isdigit((unsigned char)rest[1 + sign])
               ? "powers of ten are written out"
               : "its unit does not fit";
}

ik_status ik_parse_quantity(const char *text, ik_dimension dim, uint64_t *value, ik_error *err)
{
    const char *start = quantity_skip_space(text);
    uint64_t mantissa;
    unsigned scale;
    bool overflow;
    if (*start == '-')
        return quantity_refuse(err, text, dim, "it is negative");
    const char *rest = quantity_read_decimal(start, &mantissa, &scale, &overflow);
    if (!rest)
        return quantity_refuse(err, text, dim, "");
    rest = quantity_skip_space(rest);
    size_t length = strlen(rest);
    while (length > 0 && isspace((unsigned char)rest[length - 1]))
        length--;
    const unit *u = quantity_find_unit(dimensions[dim].units, rest, length);
    if (!u && length == 0 && mantissa == 0 && !overflow)
        u = dimensions[dim].units; /* zero needs no unit */
    if (!u) {
        const char *meant = ik_quantity_meant(text, dim);
        quantity_refuse(err, text, dim, quantity_wrong_rest(rest, dim));
        return ik_meant(err, IK_ERR_INPUT, meant);
    }
    uint64_t result;
    scaled done = overflow ? SCALED_TOO_LARGE : quantity_scale_exactly(mantissa, scale, u, &result);
    if (done == SCALED_TOO_LARGE) {
        char most[32];
        ik_fail(err, IK_ERR_INPUT, "'%.60s' is too large", text);
        return ik_hint(err, IK_ERR_INPUT, "at most %s can be counted",
                       ik_format_quantity(most, sizeof most, UINT64_MAX, dim));
    }
    if (done == SCALED_NOT_WHOLE)
        return quantity_refuse(err, text, dim,
                               dim == IK_DIM_NONE
                                   ? "it has decimals"
                                   : "it is not a whole number of the smallest unit");
    *value = result;
    return IK_OK;
}

bool ik_quantity_is_huge(const char *text, ik_dimension dim)
{
    uint64_t mantissa, value;
    unsigned scale;
    bool overflow;
    const char *rest =
        quantity_read_decimal(quantity_skip_space(text), &mantissa, &scale, &overflow);
    if (!rest)
        return false;
    rest = quantity_skip_space(rest);
    size_t length = strlen(rest);
    while (length > 0 && isspace((unsigned char)rest[length - 1]))
        length--;
    const unit *u = quantity_find_unit(dimensions[dim].units, rest, length);
    return u &&
           (overflow || quantity_scale_exactly(mantissa, scale, u, &value) == SCALED_TOO_LARGE);
}

ik_status ik_parse_real(const char *text, ik_dimension dim, double *value, ik_error *err)
{
    const char *start = quantity_skip_space(text);
    /* strtod alone would take "inf", "nan" and hexadecimal. */
    if (!isdigit((unsigned char)*start) && *start != '.' && *start != '-' && *start != '+')
        return quantity_refuse_real(err, text, dim, "");
    for (const char *c = start; *c; c++)
        if (*c == 'x' || *c == 'X' || *c == 'n' || *c == 'N')
            return quantity_refuse_real(err, text, dim, "");
    char *end;
    double result = strtod(start, &end);
    if (end == start || !isfinite(result))
        return quantity_refuse_real(err, text, dim, "");
    const char *rest = quantity_skip_space(end);
    if (*rest == '%' && dim == IK_DIM_FRACTION) {
        result /= 100.0;
        rest = quantity_skip_space(rest + 1);
    }
    if (*rest)
        return quantity_refuse_real(err, text, dim,
                                    quantity_is_range(rest)
                                        ? "only swept values of an experiment can be a range"
                                        : "there is something after the number");
    *value = result;
    return IK_OK;
}

/* The value in a unit, with all decimals that are not zero; the unit's factor is a power of ten. */
static void quantity_print_in(char *buffer, size_t size, uint64_t value, const unit *u)
{
    uint64_t rest = value % u->factor;
    int digits = 0;
    for (uint64_t f = u->factor; f > 1; f /= 10)
        digits++;
    while (digits && rest % 10 == 0) {
        rest /= 10;
        digits--;
    }
    if (digits)
        snprintf(buffer, size, "%" PRIu64 ".%0*" PRIu64 " %s", value / u->factor, digits & 15, rest,
                 u->name);
    else
        snprintf(buffer, size, "%" PRIu64 " %s", value / u->factor, u->name);
}

/* The largest unit in which the value has at most three decimals; sizes are whole, in powers of
 * 1000 from MB on where these are larger units ("1 TB", not "976562500 KiB"). A rate that has more
 * than four digits before the point then is in the largest unit, with all its decimals. */
char *ik_format_quantity(char *buffer, size_t size, uint64_t value, ik_dimension dim)
{
    static const char *const order[][9] = {
        [IK_DIM_TIME] = {"s", "ms", "us", "ns", "ps"},
        [IK_DIM_RATE] = {"Tb/s", "Gb/s", "Mb/s", "kb/s", "b/s"},
        [IK_DIM_SIZE] = {"TiB", "TB", "GiB", "GB", "MiB", "MB", "KiB", "B"},
        [IK_DIM_LENGTH] = {"km", "m", "cm", "mm"},
        [IK_DIM_FRACTION] = {NULL},
    };
    const unit *largest = NULL;
    snprintf(buffer, size, "%" PRIu64, value);
    for (unsigned i = 0; dim != IK_DIM_NONE && order[dim][i]; i++) {
        const unit *u =
            quantity_find_unit(dimensions[dim].units, order[dim][i], strlen(order[dim][i]));
        if (value < u->factor && (value > 0 || u->factor > 1))
            continue;
        largest = largest ? largest : u;
        uint64_t rest = value % u->factor;
        bool short_one = rest == 0 || (dim != IK_DIM_SIZE && u->factor % 1000 == 0 &&
                                       rest % (u->factor / 1000) == 0);
        if (!short_one)
            continue;
        if (dim == IK_DIM_RATE && value / u->factor > 9999)
            u = largest;
        if (rest == 0 && u != largest)
            snprintf(buffer, size, "%" PRIu64 " %s", value / u->factor, u->name);
        else
            quantity_print_in(buffer, size, value, u);
        break;
    }
    return buffer;
}

char *ik_format_rate(char *buffer, size_t size, uint64_t rate_bps)
{
    char exact[64];
    ik_format_quantity(exact, sizeof exact, rate_bps, IK_DIM_RATE);
    const char *point = strchr(exact, '.');
    if (!point || strspn(point + 1, "0123456789") <= 3) {
        snprintf(buffer, size, "%.40s", exact);
        return buffer;
    }
    /* Rounded as a whole number, which may need the next unit: 999.9996 Gb/s is 1 Tb/s. */
    uint64_t step = 1;
    while (rate_bps / step >= 1000)
        step *= 10;
    uint64_t up = rate_bps % step >= step - step / 2;
    ik_format_quantity(exact, sizeof exact, (rate_bps / step + up) * step, IK_DIM_RATE);
    snprintf(buffer, size, "%.40s", exact);
    return buffer;
}

char *ik_format_count(char *buffer, size_t size, uint64_t count, const char *noun)
{
    const char *both = strchr(noun, '|');
    size_t length = both ? (size_t)(both - noun) : strlen(noun);
    assert(length >= 2);
    const char *last = noun + length - 1, *ending = "";
    if (count != 1 && both) {
        noun = both + 1;
        length = strlen(noun);
    } else if (count != 1) {
        bool turns = *last == 'y' && !strchr("aeiou", last[-1]); /* "entry", "entries" */
        bool hisses = strchr("sxz", *last) || (*last == 'h' && strchr("cs", last[-1]));
        length -= turns;
        ending = turns ? "ies" : hisses ? "es" : "s";
    }
    int used = snprintf(buffer, size, "%" PRIu64 " %.*s%s", count, (int)length, noun, ending);
    assert(used > 0 && (size_t)used < size);
    (void)used;
    return buffer;
}

uint64_t ik_transmit_ps(uint64_t bytes, uint64_t rate_bps)
{
    __extension__ typedef unsigned __int128 wide;
    wide bits_ps = (wide)bytes * 8 * 1000000000000u;
    wide ps = (bits_ps + rate_bps / 2) / rate_bps;
    if (bytes && !ps)
        return 1; /* what waits for its end would not be told of it */
    return ps < UINT64_MAX ? (uint64_t)ps : UINT64_MAX;
}

uint64_t ik_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}
