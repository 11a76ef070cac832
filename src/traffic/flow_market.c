/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_market.c: flows from matrices in MatrixMarket form (Boisvert, Pozo, Remington, The Matrix
 * Market Exchange Formats: Initial Design, NIST 1996): rows are sources, columns destinations, both
 * counted from 1. Coordinate (row column value) and array (all values, column by column); real,
 * integer and pattern (every entry is 1); general and symmetric (the lower triangle stands for
 * both). Cost O(size of the file).
 */
#include "traffic/flow_reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char banner[] = "%%MatrixMarket";

enum { MOST_WORDS = 6 };

typedef struct market {
    flow_reader *r;
    bool array, pattern, symmetric;
    uint64_t rows, columns, entries; /* entries: of coordinate matrices, said in the file */
    char *words[MOST_WORDS];
    unsigned at[MOST_WORDS]; /* columns of the words */
    int num;
} market;

bool flow_is_market(const flow_reader *r)
{
    size_t n = sizeof banner - 1;
    return (size_t)(r->end - r->at) >= n && strncasecmp(r->at, banner, n) == 0;
}

/* ---- words */

static void flow_market_split(market *m, char *line)
{
    m->num = 0;
    for (char *p = line; *p && m->num < MOST_WORDS;) {
        while (isspace((unsigned char)*p))
            p++;
        if (!*p)
            break;
        m->words[m->num] = p;
        m->at[m->num++] = (unsigned)(p - line) + 1;
        while (*p && !isspace((unsigned char)*p))
            p++;
        if (*p)
            *p++ = '\0';
    }
}

/* The next line with words, which is no comment. */
static bool flow_market_next_words(market *m)
{
    char *line;
    while ((line = flow_next_line(m->r))) {
        if (*line == '%')
            continue;
        flow_market_split(m, line);
        if (m->num)
            return true;
    }
    return false;
}

static ik_status flow_market_fail(const market *m, int word, ik_error *err, const char *what,
                                  const char *hint)
{
    const flow_reader *r = m->r;
    if (word < m->num)
        ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, m->at[word], "'%.60s' %s", m->words[word],
                   what);
    else
        ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, 0, "the line ends too early");
    return ik_hint(err, IK_ERR_INPUT, "%s", hint);
}

/* Index of a word among "a|b|c", -1 = none of them. */
static int flow_market_choose(const char *word, const char *choices)
{
    size_t length = strlen(word);
    for (int k = 0; *choices; k++) {
        size_t n = strcspn(choices, "|");
        if (n == length && strncasecmp(word, choices, n) == 0)
            return k;
        choices += n + (choices[n] == '|');
    }
    return -1;
}

static ik_status flow_market_read_banner(market *m, ik_error *err)
{
    static const struct {
        const char *choices, *hint;
    } words[] = {{"matrix", "expected: %%MatrixMarket matrix ..."},
                 {"coordinate|array", "expected: coordinate or array"},
                 {"real|integer|pattern|double", "weights are real, integer or pattern"},
                 {"general|symmetric", "expected: general or symmetric"}};
    int chosen[4];
    flow_market_split(m, flow_next_line(m->r));
    for (int k = 0; k < 4; k++) {
        chosen[k] = k + 1 < m->num ? flow_market_choose(m->words[k + 1], words[k].choices) : -1;
        if (chosen[k] < 0)
            return flow_market_fail(m, k + 1, err, "is not read", words[k].hint);
    }
    if (m->num > 5)
        return flow_market_fail(m, 5, err, "is one word too many",
                                "the line ends after general or symmetric");
    m->array = chosen[1] == 1;
    m->pattern = chosen[2] == 2;
    m->symmetric = chosen[3] == 1;
    if (m->array && m->pattern)
        return flow_market_fail(m, 3, err, "is not for arrays", "pattern goes with coordinate");
    return IK_OK;
}

static bool flow_market_whole_number(const char *word, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = isdigit((unsigned char)*word) ? strtoull(word, &end, 10) : 0;
    return isdigit((unsigned char)*word) && *end == 0 && errno == 0;
}

static ik_status flow_market_read_sizes(market *m, ik_error *err)
{
    static const char hint[] = "expected: rows columns, and of a coordinate matrix its entries";
    uint64_t hosts = m->r->t->num_hosts, *const values[] = {&m->rows, &m->columns, &m->entries};
    int wanted = m->array ? 2 : 3;
    if (!flow_market_next_words(m))
        return ik_fail_at(err, IK_ERR_INPUT, m->r->path, m->r->line, 0,
                          "the matrix ends before its size");
    for (int k = 0; k < wanted; k++)
        if (k >= m->num || !flow_market_whole_number(m->words[k], values[k]))
            return flow_market_fail(m, k, err, "is not a whole number", hint);
    if (m->num > wanted)
        return flow_market_fail(m, wanted, err, "is one word too many", hint);
    for (int k = 0; k < 2; k++)
        if (*values[k] > hosts) {
            ik_fail_at(err, IK_ERR_INPUT, m->r->path, m->r->line, m->at[k],
                       "a matrix of %llu %s, the fabric has %s", (unsigned long long)*values[k],
                       k ? "columns" : "rows", IK_COUNT(hosts, "host"));
            return ik_hint(err, IK_ERR_INPUT, "row i and column i are host i - 1");
        }
    if (m->symmetric && m->rows != m->columns)
        return flow_market_fail(m, 1, err, "does not make a square, and the matrix is symmetric",
                                hint);
    return IK_OK;
}

/* ---- entries */

static ik_status flow_market_add(market *m, uint64_t row, uint64_t column, int word, ik_error *err)
{
    uint32_t src = (uint32_t)row, dst = (uint32_t)column;
    const char *text = m->pattern ? "1" : m->words[word];
    unsigned at = m->pattern ? 1 : m->at[word];
    ik_status status = flow_add_entry(m->r, src, dst, text, at, err);
    if (status == IK_OK && m->symmetric && src != dst)
        status = flow_add_entry(m->r, dst, src, text, at, err);
    return status;
}

static ik_status flow_market_read_entry(market *m, ik_error *err)
{
    static const char hint[] = "expected: row column value, counted from 1 (pattern: no value)";
    uint64_t place[2];
    int wanted = m->pattern ? 2 : 3;
    for (int k = 0; k < 2; k++)
        if (k >= m->num || !flow_market_whole_number(m->words[k], &place[k]) || place[k] < 1 ||
            place[k] > (k ? m->columns : m->rows))
            return flow_market_fail(
                m, k, err, k ? "is not a column of the matrix" : "is not a row of the matrix",
                hint);
    if (m->num != wanted)
        return flow_market_fail(m, m->num > wanted ? wanted : m->num, err, "is one word too many",
                                hint);
    if (m->symmetric && place[0] < place[1])
        return flow_market_fail(m, 1, err, "is above the diagonal",
                                "a symmetric matrix is given by its lower triangle: row >= column");
    return flow_market_add(m, place[0] - 1, place[1] - 1, 2, err);
}

static ik_status flow_market_fail_end(const market *m, uint64_t got, uint64_t expected,
                                      ik_error *err)
{
    return ik_fail_at(err, IK_ERR_INPUT, m->r->path, m->r->line, 0,
                      "the matrix ends with %llu of %s", (unsigned long long)got,
                      IK_COUNT(expected, "entry"));
}

static ik_status read_coordinates(market *m, ik_error *err)
{
    for (uint64_t n = 0; n < m->entries; n++) {
        if (!flow_market_next_words(m))
            return flow_market_fail_end(m, n, m->entries, err);
        ik_status status = flow_market_read_entry(m, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

static ik_status flow_market_read_array(market *m, ik_error *err)
{
    uint64_t n = 0, expected = m->symmetric ? m->rows * (m->rows + 1) / 2 : m->rows * m->columns;
    for (uint64_t column = 0; column < m->columns; column++)
        for (uint64_t row = m->symmetric ? column : 0; row < m->rows; row++, n++) {
            if (!flow_market_next_words(m))
                return flow_market_fail_end(m, n, expected, err);
            if (m->num > 1)
                return flow_market_fail(m, 1, err, "is one word too many",
                                        "an array has one value per line");
            ik_status status = flow_market_add(m, row, column, 0, err);
            if (status != IK_OK)
                return status;
        }
    return IK_OK;
}

ik_status flow_read_market(flow_reader *r, ik_error *err)
{
    market m = {.r = r};
    r->matrix = true;
    ik_status status = flow_market_read_banner(&m, err);
    if (status == IK_OK)
        status = flow_market_read_sizes(&m, err);
    if (status == IK_OK)
        status = m.array ? flow_market_read_array(&m, err) : read_coordinates(&m, err);
    if (status == IK_OK && flow_market_next_words(&m))
        return flow_market_fail(&m, 0, err, "comes after the last entry",
                                "the size says how many there are");
    return status;
}
