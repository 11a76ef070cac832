/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `booksim`: the network of a configuration file of the simulator BookSim 2.
 *
 *     // an 8x8 torus
 *     topology = torus;
 *     k = 8;
 *     n = 2;
 *
 * Of a setting that is given twice, the last one counts. Networks are as its sources build them
 * (src/networks), by the family of ikat that is the same graph; cmesh, which is none, link by link.
 * Latencies and rates are not read. O(size + links).
 */
#include "format/generated.h"
#include "format/raw_graph.h"
#include "format/scan.h"
#include "format/simulators/sim_net.h"
#include "format/text_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BOOKSIM_MAX_CMESH = 1000 };

enum { TOPOLOGY, NETWORK_FILE, K, N, C, NOC, SUBNETS, LINK_FAILURES, NUM_SETTINGS };

typedef struct booksim_setting {
    const char *name;
    bool is_text;
    slice text;
    uint64_t number; /* the default of BookSim, until it is given */
    unsigned line, column;
} booksim_setting;

typedef struct booksim_reader {
    scan s;
    booksim_setting set[NUM_SETTINGS];
    name_map ignored;
    ik_builder *b;
    ik_error *err;
} booksim_reader;

typedef struct booksim_topology {
    const char *name;
    uint64_t k;            /* which alone is possible, 0 = any */
    uint64_t least, most;  /* of n; 0: there is no n, nor k */
    uint64_t c;            /* as k; 1: it has no c */
    const char *otherwise; /* a hint where that does not hold */
    /* what ikat builds: K and C stand for their values, D for k n times, W for 1 and k n - 1 times;
     * NULL = build does */
    const char *spec;
    ik_status (*build)(booksim_reader *r);
    const char *latencies; /* of channels, by use_noc_latency; NULL = all are the same */
} booksim_topology;

static const booksim_setting booksim_settings[NUM_SETTINGS] = {
    [TOPOLOGY] = {.name = "topology", .is_text = true},
    [NETWORK_FILE] = {.name = "network_file", .is_text = true},
    [K] = {.name = "k", .number = 8},
    [N] = {.name = "n", .number = 2},
    [C] = {.name = "c", .number = 1},
    [NOC] = {.name = "use_noc_latency", .number = 1},
    [SUBNETS] = {.name = "subnets", .number = 1},
    [LINK_FAILURES] = {.name = "link_failures"},
};

/* ---- statements */

static bool booksim_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr("_-/.{", c));
}

static bool booksim_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A name, or what stands behind '=': a number ends where none can go on. */
static slice booksim_token(scan *s)
{
    slice token = {s->at, 0};
    const char *digit = s->at;
    while (digit < s->end && strchr("-.", *digit))
        digit++;
    bool number = digit < s->end && booksim_is_digit(*digit);
    while (s->at < s->end && *s->at &&
           (booksim_is_digit(*s->at) || strchr("-.+", *s->at) ||
            (number ? *s->at == 'e' || *s->at == 'E'
                    : booksim_is_letter(*s->at) || strchr("(,)}", *s->at))))
        s->at++;
    token.length = (size_t)(s->at - token.at);
    return token;
}

/* NAME = VALUE ; as far as it goes: what is missing, or NULL. */
static const char *booksim_statement(scan *s, slice *name, slice *value, scan *at_value)
{
    if (!booksim_is_letter(*s->at))
        return "expected the name of a setting";
    *name = booksim_token(s);
    if (!sim_next(s, false) || !scan_char(s, '='))
        return "expected '='";
    bool more = sim_next(s, false);
    *at_value = *s;
    *value = booksim_token(s);
    if (!more || !value->length)
        return "expected a value";
    return sim_next(s, false) && scan_char(s, ';') ? NULL : "expected ';' behind the value";
}

static ik_status booksim_take(booksim_reader *r, slice name, slice value, const scan *at)
{
    bool is_new;
    for (size_t i = 0; i < NUM_SETTINGS; i++) {
        booksim_setting *set = &r->set[i];
        uint64_t number = 0;
        if (!slice_is(name, set->name))
            continue;
        set->text = value;
        set->line = at->line;
        set->column = (unsigned)(at->at - at->line_start) + 1;
        if (!set->is_text && !slice_uint(value, INT32_MAX, &number))
            return scan_fail(at, r->err, "%s: expected a whole number from 0 to 2147483647",
                             set->name);
        set->number = number;
        return IK_OK;
    }
    if (name_map_add(&r->ignored, name, &is_new) == IK_NONE)
        return ik_fail_memory(r->err, 24, "names of settings");
    return IK_OK;
}

static ik_status booksim_read_settings(booksim_reader *r)
{
    ik_status status = IK_OK;
    while (status == IK_OK && sim_next(&r->s, false)) {
        slice name, value;
        scan at;
        const char *wrong = booksim_statement(&r->s, &name, &value, &at);
        if (!wrong) {
            status = booksim_take(r, name, value, &at);
            continue;
        }
        scan_fail(&r->s, r->err, "%s", wrong);
        return r->s.at == r->s.end && r->s.next == r->s.text_end
                   ? ik_hint(r->err, IK_ERR_INPUT, "the file seems to be cut off")
                   : ik_hint(r->err, IK_ERR_INPUT,
                             "a line of a configuration is like \"topology = torus;\"");
    }
    return status;
}

/* ---- networks */

static ik_status booksim_refuse(booksim_reader *r, int about, const char *what, const char *hint)
{
    const booksim_setting *set = &r->set[about];
    ik_fail_at(r->err, IK_ERR_INPUT, r->s.file, set->line, set->column, "%s", what);
    return ik_hint(r->err, IK_ERR_INPUT, "%s", hint);
}

/* A spec from its pattern. */
static ik_status booksim_build_spec(booksim_reader *r, const char *pattern)
{
    char spec[512];
    size_t used = 0;
    for (; *pattern; pattern++) {
        uint64_t k = r->set[K].number, n = strchr("DW", *pattern) ? r->set[N].number : 1;
        for (uint64_t i = 0; strchr("DWKC", *pattern) && i < n; i++)
            used += (size_t)snprintf(spec + used, sizeof spec - used, i ? ":%" PRIu64 : "%" PRIu64,
                                     *pattern == 'C'             ? r->set[C].number
                                     : *pattern == 'W' && i == 0 ? 1
                                                                 : k);
        if (!strchr("DWKC", *pattern))
            spec[used++] = *pattern;
    }
    spec[used] = '\0';
    ik_status status = generated_build(spec, r->b, r->err);
    if (status != IK_ERR_USAGE && status != IK_ERR_INPUT && status != IK_ERR_UNSUPPORTED)
        return status;
    const booksim_setting *set = &r->set[TOPOLOGY];
    ik_error_at(r->err, r->s.file, set->line, set->column);
    return status;
}

/* In a ring of two routers there are two cables between them. */
static ik_status booksim_build_torus(booksim_reader *r)
{
    return booksim_build_spec(r, r->set[K].number == 2 ? "hyperx:dims=D,p=1,k=2" : "torus:dims=D");
}

static ik_status booksim_build_flatfly(booksim_reader *r)
{
    if (r->set[C].number > 1)
        ik_builder_finding(
            r->b, IK_NOTE, "host-numbers", NULL,
            "hosts are numbered router by router; BookSim numbers those of a flatfly "
            "with c = %" PRIu64 " by their places on the chip (x, y, xr, yr), which "
            "matters for permutations",
            r->set[C].number);
    return booksim_build_spec(r, "hyperx:dims=D,p=C");
}

/* Ports of a router: four hosts, then +x, -x, +y, -y. */
static void booksim_link_cmesh(ik_builder *b, uint32_t k, uint32_t x, uint32_t y, uint16_t link)
{
    uint32_t at = k * y + x, half = k / 2;
    if (x + 1 < k)
        ik_builder_link(b, ik_sw(at, 4), ik_sw(at + 1, 5), link);
    if (y + 1 < k)
        ik_builder_link(b, ik_sw(at, 6), ik_sw(at + k, 7), link);
    if (x == 0 && y < half)
        ik_builder_link(b, ik_sw(at, 5), ik_sw(at + half * k, 5), link);
    if (x == k - 1 && y < half)
        ik_builder_link(b, ik_sw(at, 4), ik_sw(at + half * k, 4), link);
    if (y == 0 && x < half)
        ik_builder_link(b, ik_sw(at, 7), ik_sw(at + half, 7), link);
    if (y == k - 1 && x < half)
        ik_builder_link(b, ik_sw(at, 6), ik_sw(at + half, 6), link);
}

/* A mesh whose edges have express channels; hosts are numbered row by row of 2k. */
static ik_status booksim_build_cmesh(booksim_reader *r)
{
    if (r->set[K].number % 2 || r->set[K].number > BOOKSIM_MAX_CMESH)
        return booksim_refuse(r, r->set[K].line ? K : TOPOLOGY,
                              "a cmesh needs an even k up to 1000",
                              "its express channels join halves of an edge");
    uint32_t k = (uint32_t)r->set[K].number;
    ik_builder *b = r->b;
    uint16_t link = ik_builder_default_link(b, false), to_host = ik_builder_default_link(b, true);
    ik_builder_switches(b, k * k, 8);
    ik_builder_hosts(b, 4 * k * k, 1);
    for (uint32_t at = 0; at < k * k; at++)
        booksim_link_cmesh(b, k, at % k, at / k, link);
    for (uint32_t host = 0; host < 4 * k * k; host++) {
        uint32_t x = host % (2 * k), y = host / (2 * k);
        ik_builder_link(b, ik_hs(host, 0), ik_sw(y / 2 * k + x / 2, y % 2 * 2 + x % 2), to_host);
    }
    ik_builder_finding(b, IK_NOTE, "express-channels", NULL,
                       "the edges of the mesh have BookSim's express channels; without them, as "
                       "its routing functions no_express use it, this is mesh:dims=%" PRIu32
                       ":%" PRIu32 ",p=4",
                       k, k);
    return ik_builder_status(b, r->err);
}

/* Relative to the folder of the configuration. */
static ik_status booksim_build_anynet(booksim_reader *r)
{
    const booksim_setting *set = &r->set[NETWORK_FILE];
    struct stat info;
    char *text = NULL;
    size_t size = 0;
    ik_arena arena = {0};
    if (!set->text.length)
        return booksim_refuse(r, TOPOLOGY, "topology anynet without a network_file",
                              "expected network_file = FILE; which has the links");
    const char *path = sim_path(&arena, r->s.file, set->text);
    ik_status status = path ? IK_OK : ik_fail_memory(r->err, 4096, "the path of a file");
    if (status == IK_OK && (stat(path, &info) != 0 || !S_ISREG(info.st_mode)))
        status = booksim_refuse(r, NETWORK_FILE, "the network_file is not there, or no file",
                                "it is looked for in the folder of the configuration");
    if (status == IK_OK)
        status = ik_text_read(path, 0, &text, &size, r->err);
    const char *begin = text;
    if (status == IK_OK)
        status = ik_text_begin(&begin, &size, path, r->err);
    if (status == IK_OK)
        status = ik_format_find("anynet")->read(begin, size, path, r->b, r->err);
    if (status != IK_OK && r->err && r->err->file[0] == '\0')
        ik_error_at(r->err, path, 0, 0);
    free(text);
    ik_arena_free(&arena);
    return status;
}

static const booksim_topology booksim_topologies[] = {
    {"mesh", 0, 1, 16, 1, "n is 1 to 16, k from 1 on", "mesh:dims=D", NULL, NULL},
    {"torus", 0, 1, 16, 1, "n is 1 to 16, k from 1 on", NULL, booksim_build_torus,
     "two cycles between routers, one to hosts"},
    {"cmesh", 0, 2, 2, 4, "BookSim has n = 2; and c = 4; only", NULL, booksim_build_cmesh,
     "as many cycles as they are long"},
    {"flatfly", 0, 1, 4, 0, "n is 1 to 4, c from 1 on", NULL, booksim_build_flatfly,
     "as many cycles as they are long"},
    {"fattree", 0, 1, 16, 1, "n is 1 to 16, k from 1 on", "xgft:m=D,w=W", NULL, NULL},
    {"fly", 0, 1, 1, 1,
     "channels between stages carry one way only, and cables of ikat both; topology = fattree; "
     "with the same k and n is this network folded, with as many hosts",
     "crossbar:n=K", NULL, NULL},
    {"qtree", 4, 3, 3, 1, "BookSim has k = 4; and n = 3; only; others are xgft:m=4:4,w=1:1 of ikat",
     "xgft:m=D,w=1:1:1", NULL, NULL},
    {"tree4", UINT64_MAX, 3, 3, 1,
     "no family of ikat is this network: xgft:m=4:4:4,w=1:2:4 is like it, with twice as many "
     "switches at the top; or write its links as a network_file of topology anynet",
     NULL, NULL, NULL},
    {"dragonflynew", 0, 1, 1, 1, "BookSim has n = 1; only, which is not its default",
     "dragonfly:h=K,arrangement=absolute", NULL,
     "10 cycles within groups, 100 between them, one to hosts"},
    {"anynet", 0, 0, 0, 1, NULL, NULL, booksim_build_anynet, NULL},
};

/* ---- the whole file */

static bool booksim_counts(const booksim_topology *t, int setting)
{
    switch (setting) {
    case NETWORK_FILE:
        return !t->most;
    case K:
    case N:
        return t->most > 0;
    case C:
        return t->c != 1;
    default:
        return true;
    }
}

static const booksim_topology *booksim_find(slice name)
{
    for (size_t i = 0; i < sizeof booksim_topologies / sizeof *booksim_topologies; i++)
        if (slice_is(name, booksim_topologies[i].name))
            return &booksim_topologies[i];
    return NULL;
}

static ik_status booksim_find_topology(booksim_reader *r, const booksim_topology **t)
{
    const booksim_setting *set = &r->set[TOPOLOGY];
    *t = booksim_find(set->text);
    if (*t)
        return IK_OK;
    if (!set->line) {
        ik_fail_at(r->err, IK_ERR_INPUT, r->s.file, 0, 0, "there is no setting topology");
        return ik_hint(r->err, IK_ERR_INPUT,
                       "BookSim's defaults are topology = torus; k = 8; n = 2;");
    }
    ik_fail_at(r->err, IK_ERR_INPUT, r->s.file, set->line, set->column,
               "BookSim has no topology '%.*s'",
               (int)(set->text.length < 60 ? set->text.length : 60), set->text.at);
    return ik_hint(r->err, IK_ERR_INPUT,
                   "mesh, torus, cmesh, flatfly, fattree, fly, qtree, dragonflynew and anynet are "
                   "read; other networks as a file of anynet");
}

static ik_status booksim_check(booksim_reader *r, const booksim_topology *t)
{
    const booksim_setting *set = r->set;
    uint64_t k = set[K].number, n = set[N].number, c = set[C].number;
    char what[160];
    if (set[SUBNETS].number != 1)
        return booksim_refuse(r, SUBNETS, "copies of a network are not read",
                              "one of them is with subnets = 1;");
    if (set[LINK_FAILURES].number)
        return booksim_refuse(r, LINK_FAILURES, "failures that BookSim draws are not read",
                              "take link_failures out, and give the fabric fail=3% or a list of "
                              "links");
    if (!t->most || (k && (!t->k || k == t->k) && n >= t->least && n <= t->most &&
                     (t->c == 1 || (c && (!t->c || c == t->c)))))
        return IK_OK;
    snprintf(what, sizeof what, "topology = %s; with k = %" PRIu64 ", n = %" PRIu64, t->name, k, n);
    if (t->c != 1)
        snprintf(what + strlen(what), sizeof what - strlen(what), ", c = %" PRIu64, c);
    snprintf(what + strlen(what), sizeof what - strlen(what), " is not read");
    return booksim_refuse(r, TOPOLOGY, what, t->otherwise);
}

/* What was given or not, and does not count as it stands. */
static void booksim_note_settings(const booksim_reader *r, const booksim_topology *t)
{
    char assumed[60] = "";
    for (int i = K; i <= C; i++)
        if (booksim_counts(t, i) && !r->set[i].line)
            snprintf(assumed + strlen(assumed), sizeof assumed - strlen(assumed), "%s%s = %" PRIu64,
                     *assumed ? ", " : "", r->set[i].name, r->set[i].number);
    if (*assumed)
        ik_builder_finding(r->b, IK_NOTE, "assumed-settings", NULL,
                           "not given, and so as in BookSim: %s", assumed);
    if (!booksim_counts(t, C) && r->set[C].number > 1)
        ik_builder_finding(r->b, IK_WARNING, "unused-setting", NULL,
                           "c = %" PRIu64
                           " has no effect on topology = %s in BookSim, and has none "
                           "here; cmesh and flatfly have it",
                           r->set[C].number, t->name);
    if (t->latencies && r->set[NOC].number)
        ik_builder_finding(r->b, IK_NOTE, "channel-latencies", NULL,
                           "BookSim gives channels %s; here all have latency and host_latency of "
                           "the fabric",
                           t->latencies);
}

/* Names the first of the settings that are not of the fabric; of c there is a warning. */
static ik_status booksim_note_ignored(booksim_reader *r, const booksim_topology *t)
{
    for (int i = 0; i < NUM_SETTINGS; i++)
        if (r->set[i].line && !booksim_counts(t, i) && (i != C || r->set[C].number < 2) &&
            name_map_add(&r->ignored, slice_of(r->set[i].name), &(bool){false}) == IK_NONE)
            return ik_fail_memory(r->err, 24, "names of settings");
    sim_note_ignored(r->b, &r->ignored, "what they are called in ikat: docs/booksim.md");
    return IK_OK;
}

static ik_status booksim_read(const char *text, size_t size, const char *file, ik_builder *b,
                              ik_error *err)
{
    booksim_reader r = {.s = scan_text(text, size, file), .b = b, .err = err};
    const booksim_topology *t = NULL;
    memcpy(r.set, booksim_settings, sizeof r.set);
    ik_status status = booksim_read_settings(&r);
    if (status == IK_OK)
        status = booksim_find_topology(&r, &t);
    if (status == IK_OK)
        status = booksim_check(&r, t);
    if (status == IK_OK)
        status = t->spec ? booksim_build_spec(&r, t->spec) : t->build(&r);
    if (status == IK_OK)
        status = booksim_note_ignored(&r, t);
    if (status == IK_OK)
        booksim_note_settings(&r, t);
    name_map_free(&r.ignored);
    return status;
}

/* Statements only, one of them the topology's; or, of some, none that is. */
static unsigned booksim_probe(const char *text, size_t size)
{
    scan s = scan_text(text, size, ""), at;
    slice name = {0}, value;
    unsigned statements = 0;
    while (!slice_is(name, "topology") && sim_next(&s, false) &&
           !booksim_statement(&s, &name, &value, &at))
        statements++;
    return slice_is(name, "topology") ? 90 : statements > 1 ? 30 : 0;
}

static const char *const extensions[] = {"booksim", NULL};

const ik_format ik_format_booksim = {
    .name = "booksim",
    .summary = "a configuration of the simulator BookSim 2: the network that it describes",
    .source = "N. Jiang et al.: A detailed and flexible cycle-accurate network-on-chip simulator, "
              "ISPASS 2013; the simulator's sources, src/networks",
    .extensions = extensions,
    .probe = booksim_probe,
    .read = booksim_read,
};
