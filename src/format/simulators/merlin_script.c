/* SPDX-License-Identifier: Apache-2.0
 *
 * Python scripts for SST with Merlin (merlin_script.h).
 *
 * The script is not run. Read are its assignments of literal values to attributes and entries
 * ("dragonfly.num_groups"), entries of dictionaries, and a few calls; of a setting that is given
 * twice, the last one counts, and two values of which one may be that of a branch are refused. What
 * may set one in another way is kept as a setting whose value is not known. O(size).
 */
#define _GNU_SOURCE /* memmem */
#include "format/simulators/merlin_script.h"
#include "format/json_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MERLIN_MAX_LINE = 4096, /* that is searched for a variable */
    MERLIN_MAX_VARIABLES = 64,
    MERLIN_MAX_LITERAL = 256,
    MERLIN_MAX_TARGETS = 32,
    MERLIN_MAX_ARGS = 8
};

static bool merlin_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool merlin_is_number(slice value)
{
    for (size_t i = 0; i < value.length; i++)
        if (!strchr(i ? "0123456789." : "0123456789-", value.at[i]))
            return false;
    return true;
}

static bool merlin_is_variable(slice value)
{
    for (size_t i = 0; i < value.length; i++)
        if (!merlin_is_name(value.at[i]))
            return false;
    return value.length && (value.at[0] < '0' || value.at[0] > '9');
}

static bool merlin_is_word(const scan *s, const char *word)
{
    size_t length = strlen(word), left = (size_t)(s->end - s->at);
    return left > length && memcmp(s->at, word, length) == 0 && !merlin_is_name(s->at[length]);
}

static const char *merlin_path_end(const scan *s)
{
    const char *end = s->at;
    while (end < s->end && (merlin_is_name(*end) || *end == '.'))
        end++;
    return end;
}

/* Whether a statement that begins here is of no branch, loop or function. */
static bool merlin_is_outermost(const merlin_reader *r, const char *at)
{
    return at == r->s.line_start && !r->continued;
}

/* Passes over a text in triple quotes, over lines; the end of the script ends it too. */
static void merlin_skip_text(scan *s)
{
    char quote = *s->at;
    s->at += 3;
    while (s->end - s->at < 3 || s->at[0] != quote || s->at[1] != quote || s->at[2] != quote)
        if (s->at < s->end)
            s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
        else if (!scan_line(s))
            return;
    s->at += 3;
}

/* Passes over a line with a quote and no second one, and those that go on with its text. */
static void merlin_skip_lines(scan *s)
{
    while (s->end > s->at && s->end[-1] == '\\' && scan_line(s))
        ;
    s->at = s->end;
}

/* The text between quotes, which end the token; false if none stands there. */
static bool merlin_quoted(scan *s, slice *text)
{
    if (s->at == s->end || (*s->at != '"' && *s->at != '\''))
        return false;
    const char *close = s->at + 1;
    while (close < s->end && *close != *s->at)
        close += *close == '\\' ? 2 : 1;
    if (close >= s->end)
        return false;
    *text = (slice){s->at + 1, (size_t)(close - s->at - 1)};
    s->at = close + 1;
    return true;
}

static slice merlin_last(slice name)
{
    size_t first = name.length;
    while (first && merlin_is_name(name.at[first - 1]))
        first--;
    return (slice){name.at + first, name.length - first};
}

static bool merlin_is_class(slice name)
{
    slice last = merlin_last(name);
    return last.length > 4 && memcmp(last.at, "topo", 4) == 0 && last.at[4] >= 'A' &&
           last.at[4] <= 'Z';
}

/* A class topoNAME, the end of a name that is called or of a text: sst.merlin.topoMesh. */
static void merlin_take_class(merlin_reader *r, slice name)
{
    slice last = merlin_last(name);
    if (!merlin_is_class(name))
        return;
    slice before = r->topology.value;
    r->net.repeated |= before.length > 0;
    r->several |= before.length &&
                  (before.length != last.length || memcmp(before.at, last.at, last.length) != 0);
    r->topology = (sim_net_setting){
        .value = last, .line = r->s.line, .column = (unsigned)(last.at - r->s.line_start) + 1};
}

/* Names of entries have the topology before them: "dragonfly.num_groups", "fattree:shape". */
static slice merlin_without_topology(slice name)
{
    static const char *const before[] = {"merlin", "dragonfly", "fattree",     "torus",
                                         "mesh",   "hyperx",    "singlerouter"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t length = strlen(before[i]);
        if (name.length > length + 1 && memcmp(name.at, before[i], length) == 0 &&
            (name.at[length] == '.' || name.at[length] == ':'))
            name = (slice){name.at + length + 1, name.length - length - 1};
    }
    return name;
}

/* What stands behind '=' or ':', up to one of `ends`: a literal, or not. */
static void merlin_value(scan *s, sim_net_setting *set, const char *ends)
{
    scan_blanks(s);
    set->line = s->line;
    set->column = (unsigned)(s->at - s->line_start) + 1;
    scan after = *s;
    if (merlin_quoted(&after, &set->value)) {
        scan_blanks(&after);
        set->computed |= after.at < after.end && !strchr(ends, *after.at);
    } else {
        while (after.at < after.end && !strchr(ends, *after.at) &&
               after.at - s->at < MERLIN_MAX_LITERAL)
            after.at++;
        set->computed |= after.at - s->at == MERLIN_MAX_LITERAL;
        set->value = raw_trimmed((slice){s->at, (size_t)(after.at - s->at)});
        set->computed |= !merlin_is_number(set->value);
        set->is_name = merlin_is_variable(set->value);
        return; /* what is called here may be a topology */
    }
    s->at = after.at;
}

/* object: none of an entry of a dictionary. */
static ik_status merlin_keep(merlin_reader *r, sim_net_setting *set, slice name, slice object)
{
    set->name = merlin_without_topology(name);
    bool interface =
        object.length ? name_map_find(&r->interfaces, object) != IK_NONE : r->in_interface;
    if (interface && slice_is(set->name, "link_bw"))
        set->name = slice_of("interface.link_bw");
    set->indented = object.length && !merlin_is_outermost(r, object.at);
    return sim_net_add(&r->net, set);
}

/* A setting whose value is not read: refused if the network needs it. */
static ik_status merlin_keep_unread(merlin_reader *r, slice name, const char *at)
{
    sim_net_setting set = {.name = merlin_without_topology(name),
                           .value = {at, 0},
                           .computed = true,
                           .indented = true,
                           .line = r->s.line,
                           .column = (unsigned)(at - r->s.line_start) + 1};
    return sim_net_add(&r->net, &set);
}

/* ---- calls */

/* '=' or '+=', which it skips; the line may go on instead. */
static bool merlin_assigns(scan *s, sim_net_setting *set)
{
    scan_blanks(s);
    while (s->at < s->end && strchr("+-*/%&|^<>@", *s->at)) {
        s->at++;
        set->computed = true; /* += */
    }
    if (s->end - s->at == 1 && *s->at == '\\') {
        set->computed = true;
        return true;
    }
    return scan_char(s, '=') && (s->at == s->end || *s->at != '=');
}

/* Literal arguments up to ')', with names or by place. The scan stands behind '(' and skips
 * them. */
static ik_status merlin_args(merlin_reader *r, const char *const *names, size_t num_names,
                             bool indented)
{
    ik_status status = IK_OK;
    scan *s = &r->s;
    for (size_t i = 0; i < MERLIN_MAX_ARGS && status == IK_OK; i++) {
        sim_net_setting set = {.name = i < num_names ? slice_of(names[i]) : (slice){0}};
        scan_blanks(s);
        scan after = *s;
        after.at = merlin_path_end(s);
        slice name = {s->at, (size_t)(after.at - s->at)};
        if (merlin_assigns(&after, &set) && name.length) {
            set.name = slice_is(name, "router_per_group") ? slice_of("routers_per_group") : name;
            *s = after;
        }
        merlin_value(s, &set, ",)#");
        set.indented = indented;
        for (; s->at < s->end && *s->at != ',' && *s->at != ')'; s->at++)
            r->depth += *s->at == '(';
        if (set.name.length && set.value.length)
            status = sim_net_add(&r->net, &set);
        if (!scan_char(s, ','))
            break;
    }
    return status;
}

static size_t merlin_count_args(const scan *s)
{
    size_t commas = 0;
    for (const char *at = s->at; at < s->end && *at != ')'; at++)
        commas += *at == ',';
    return commas + 1;
}

/* setattr(topo, "shape", "4x4"): the text before a comma is the name. */
static ik_status merlin_setattr(merlin_reader *r, bool indented)
{
    sim_net_setting set = {0};
    slice name = {0};
    scan at = r->s;
    while (at.at < at.end) {
        const char *from = at.at;
        bool text = merlin_quoted(&at, &name);
        scan_blanks(&at);
        if (text && scan_char(&at, ',')) {
            merlin_value(&at, &set, ")#");
            set.indented = indented;
            set.name = merlin_without_topology(name);
            return sim_net_add(&r->net, &set);
        }
        at.at += at.at == from;
    }
    set = (sim_net_setting){.line = r->s.line, .column = (unsigned)(r->s.at - r->s.line_start) + 1};
    return sim_net_refuse(&r->net, &set, "the script is not run: write topo.NAME = VALUE",
                          "setattr with a name that is not written here");
}

/* What a call may set; `path` is what is called, and the scan stands behind its '('. */
static ik_status merlin_call(merlin_reader *r, slice path)
{
    static const char *const grid[] = {"shape", "width", "local_ports"},
                             *const field[] = {"q", "N"},
                             *const groups[] = {"hosts_per_router", "routers_per_group",
                                                "intergroup_links", "num_groups",
                                                "intragroup_links"};
    slice last = merlin_last(path);
    bool indented = !merlin_is_outermost(r, path.at);
    merlin_take_class(r, path);
    if (slice_is(last, "setattr") || slice_is(last, "__setattr__"))
        return merlin_setattr(r, indented);
    if (slice_is(last, "setShape"))
        return merlin_count_args(&r->s) > 3 ? merlin_args(r, groups, 5, indented)
                                            : merlin_args(r, grid, 3, indented);
    if (slice_is(last, "topoPolarFly"))
        return merlin_args(r, field, 2, false);
    if (!slice_is(last, "exec"))
        return IK_OK;
    const sim_net_setting set = {.line = r->s.line,
                                 .column = (unsigned)(path.at - r->s.line_start) + 1};
    return sim_net_refuse(&r->net, &set, "the script is not run: write the statements themselves",
                          "exec runs what is not written here");
}

/* ---- assignments */

/* A place that a statement may set: OBJECT.NAME or OBJECT["NAME"]. The scan skips it; name is
 * empty for a variable. */
static void merlin_target(scan *s, slice *name)
{
    const char *from = s->at;
    *name = (slice){0};
    s->at = merlin_path_end(s);
    size_t dot = (size_t)(s->at - from);
    while (dot && from[dot - 1] != '.')
        dot--;
    if (dot)
        *name = (slice){from + dot, (size_t)(s->at - from) - dot};
    while (s->at < s->end && *s->at == '[') {
        slice entry = {0};
        for (s->at++; s->at < s->end && *s->at != ']';)
            if (!merlin_quoted(s, &entry))
                s->at++;
        s->at += s->at < s->end;
        *name = entry;
        from = s->at;
        s->at = merlin_path_end(s);
        if (s->at > from)
            *name = (slice){from + 1, (size_t)(s->at - from) - 1};
    }
}

/* The values of a.x, b["y"] = …, of (a.x) = …, of for a.x in …, of … as a.x and of a.x: int = …,
 * and what is deleted, are not read. */
static ik_status merlin_statement(merlin_reader *r, scan at)
{
    slice names[MERLIN_MAX_TARGETS];
    size_t num = 0, places = 0;
    scan_blanks(&at);
    bool loops = merlin_is_word(&at, "for"), as = merlin_is_word(&at, "as");
    bool anyway = loops || as || merlin_is_word(&at, "del");
    at.at += anyway ? 3 - as : 0;
    bool divided = anyway || (at.at < at.end && strchr("([", *at.at)), typed = false;
    while (at.at < at.end && num < MERLIN_MAX_TARGETS) {
        if (strchr(" \t()[]*", *at.at)) {
            at.at++;
        } else if (*at.at == ',') {
            divided = true;
            at.at++;
        } else if (*at.at == ':' && places == 1 && num && !divided) {
            typed = true;
            while (at.at < at.end && *at.at != '=' && *at.at != '#')
                at.at++;
        } else if (merlin_is_name(*at.at) || *at.at == '.') {
            if (loops && merlin_is_word(&at, "in"))
                break;
            merlin_target(&at, &names[num]);
            num += names[num].length > 0;
            places++;
        } else {
            break;
        }
    }
    bool sets = at.end - at.at > 1 && at.at[0] == '=' && at.at[1] != '=';
    ik_status status = IK_OK;
    for (size_t i = 0; i < num && status == IK_OK && (anyway || (sets && (divided || typed))); i++)
        status = merlin_keep_unread(r, names[i], names[i].at);
    return status;
}

/* Whether the name at `at` stands behind one of `marks`, blanks aside. */
static bool merlin_follows(const scan *s, const char *at, const char *marks)
{
    while (at > s->line_start && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at > s->line_start && strchr(marks, at[-1]);
}

/* A variable: that of a network interface counts. An argument's name may be that of a setting. */
static ik_status merlin_variable(merlin_reader *r, slice path, scan *value)
{
    bool is_new;
    if (r->depth || merlin_follows(&r->s, path.at, "(,"))
        return merlin_keep_unread(r, path, path.at);
    scan_blanks(value);
    const char *end = merlin_path_end(value);
    if (end < value->end && *end == '(' && end - value->at > 10 &&
        memcmp(end - 11, "LinkControl", 11) == 0 &&
        name_map_add(&r->interfaces, path, &is_new) == IK_NONE)
        return ik_fail_memory(r->net.err, 24, "variables");
    return IK_OK;
}

/* A name that begins here, and what follows: NAME(, OBJECT.NAME = VALUE, OBJECT["NAME"] = VALUE. */
static ik_status merlin_name(merlin_reader *r)
{
    scan *s = &r->s;
    sim_net_setting set = {0};
    slice path = {s->at, 0}, name = {0};
    s->at = merlin_path_end(s);
    path.length = (size_t)(s->at - path.at);
    if (s->at < s->end && *s->at == '(') {
        s->at++;
        r->depth++;
        return merlin_call(r, path);
    }
    scan word = *s, after = *s;
    word.at = path.at;
    if (word.at > s->line_start && (merlin_is_word(&word, "for") || merlin_is_word(&word, "as")))
        return merlin_statement(r, word);
    if (merlin_is_class(path) && merlin_follows(s, path.at, "=")) {
        merlin_take_class(r, path);
        r->several = true; /* it has another name too */
    }
    if (scan_char(&after, '[') && (!merlin_quoted(&after, &name) || !scan_char(&after, ']')))
        return IK_OK;
    if (!merlin_assigns(&after, &set))
        return IK_OK;
    size_t dot = path.length;
    while (!name.length && dot && path.at[dot - 1] != '.')
        dot--;
    bool attribute = merlin_follows(s, path.at, "."); /* f(x).NAME, x[0].NAME */
    if (!name.length && !dot && !attribute)
        return after.at[-1] == '=' ? merlin_variable(r, path, &after) : IK_OK;
    slice object = {path.at, name.length || !dot ? path.length : dot - 1};
    if (!name.length)
        name = (slice){path.at + dot, path.length - dot};
    *s = after;
    merlin_value(s, &set, ";#");
    ik_status status = set.computed ? merlin_statement(r, r->s) : IK_OK;
    return name.length && status == IK_OK ? merlin_keep(r, &set, name, object) : status;
}

/* "NAME": VALUE in a dictionary, or ["NAME"] = VALUE behind what is not a name. */
static ik_status merlin_text(merlin_reader *r, slice text)
{
    scan *s = &r->s, after = *s;
    sim_net_setting set = {0};
    merlin_take_class(r, text);
    if (merlin_follows(s, text.at - 1, "[") && scan_char(&after, ']') &&
        merlin_assigns(&after, &set)) {
        r->depth -= r->depth > 0; /* of [ */
        *s = after;
        merlin_value(s, &set, ";#");
        return merlin_keep(r, &set, text, text);
    }
    scan_blanks(s);
    if (!scan_char(s, ':'))
        return IK_OK;
    merlin_value(s, &set, ",})#");
    /* if __name__ == "__main__": has none */
    return set.value.length ? merlin_keep(r, &set, text, (slice){0}) : IK_OK;
}

/* What stands next in the line. */
static ik_status merlin_token(merlin_reader *r)
{
    scan *s = &r->s;
    slice text;
    if (s->end - s->at > 2 && (*s->at == '"' || *s->at == '\'') && s->at[1] == *s->at &&
        s->at[2] == *s->at)
        merlin_skip_text(s);
    else if (merlin_quoted(s, &text))
        return merlin_text(r, text);
    else if (merlin_is_name(*s->at))
        return merlin_name(r);
    else if (*s->at == '#')
        s->at = s->end;
    else if (strchr("\"'", *s->at)) /* a text without an end */
        merlin_skip_lines(s);
    else if (strchr(";:", *s->at)) { /* a statement may follow */
        s->at++;
        return merlin_statement(r, r->s);
    } else {
        r->depth += strchr("([{", *s->at) != NULL;
        r->depth -= r->depth > 0 && strchr(")]}", *s->at);
        s->at++;
    }
    return IK_OK;
}

ik_status merlin_line(merlin_reader *r)
{
    size_t left = (size_t)(r->s.end - r->s.at);
    if (json_mentions(r->s.at, left, "addParamSet("))
        r->in_interface = json_mentions(r->s.at, left, "network_interface");
    ik_status status = merlin_statement(r, r->s);
    while (status == IK_OK && r->s.at < r->s.end)
        status = merlin_token(r);
    r->continued = r->s.end > r->s.line_start && r->s.end[-1] == '\\';
    return status;
}

/* ---- variables */

/* Where `name` stands next as a whole word, NULL if it does not. */
static const char *merlin_word(const char *text, const char *at, const char *end, slice name)
{
    for (; (at = memmem(at, (size_t)(end - at), name.at, name.length)); at++)
        if ((at == text || !merlin_is_name(at[-1])) &&
            (at + name.length == end || !merlin_is_name(at[name.length])))
            return at;
    return NULL;
}

/* Whether a '=' behind `name` in its line may give it a value: none of a comparison, nor of an
 * argument. */
static bool merlin_is_given(scan s, const char *name)
{
    slice text;
    for (int depth = 0; s.at < s.end && *s.at != '#' && (*s.at != ';' || s.at < name);) {
        if (merlin_quoted(&s, &text))
            continue;
        bool compares =
            s.at > name && (strchr("=!<>", s.at[-1]) || (s.end - s.at > 1 && s.at[1] == '='));
        if (*s.at == '=' && s.at > name && depth <= 0 && !compares)
            return true;
        depth += (strchr("([{", *s.at) != NULL) - (strchr(")]}", *s.at) != NULL);
        s.at++;
    }
    return false;
}

/* Whether a word that `before` stands in front of in its line may be given a value there: in a
 * definition or a loop, in a tuple, by an import … */
static bool merlin_may_bind(slice before)
{
    if (!before.length)
        return false;
    slice last = merlin_last(before);
    const char *loop = memmem(before.at, before.length, "for ", 4);
    size_t left = loop ? (size_t)(before.at + before.length - loop) : 0;
    return json_mentions(before.at, before.length, "lambda") ||
           json_mentions(before.at, before.length, "def ") || slice_is(last, "as") ||
           slice_is(last, "for") || (loop && !json_mentions(loop, left, " in")) ||
           (!memchr(before.at, '=', before.length) && !memchr(before.at, '(', before.length));
}

/* The literal value of a variable; false: not one statement alone gives it one. */
static bool merlin_value_of(const char *text, size_t size, slice name, slice *value)
{
    const char *end = text + size, *line = text;
    bool found = false;
    for (const char *at = text; (at = merlin_word(text, at, end, name)); at += name.length) {
        scan s = {.at = at, .end = memchr(at, '\n', (size_t)(end - at))};
        sim_net_setting set = {0};
        s.end = s.end ? s.end : end;
        for (const char *next; (next = memchr(line, '\n', (size_t)(at - line))); line = next)
            next++;
        s.line_start = line;
        slice before = raw_trimmed((slice){s.line_start, (size_t)(at - s.line_start)});
        scan whole = s;
        whole.at = s.line_start;
        s.at += name.length;
        scan_blanks(&s);
        bool walrus = s.end - s.at > 1 && s.at[0] == ':' && s.at[1] == '=';
        if (s.end - line > MERLIN_MAX_LINE || merlin_may_bind(before) || walrus ||
            (before.length && merlin_is_given(whole, at)) ||
            (!before.length && s.at < s.end && strchr(",:", *s.at)))
            return false;
        if (!merlin_assigns(&s, &set) || before.length) /* it is used, or an argument's name */
            continue;
        merlin_value(&s, &set, ";#");
        if (found || set.computed)
            return false;
        *value = set.value;
        found = true;
    }
    return found;
}

void merlin_resolve(merlin_reader *r, const char *text, size_t size)
{
    unsigned left = MERLIN_MAX_VARIABLES;
    for (size_t i = 0; i < r->net.num_settings && left; i++) {
        sim_net_setting *set = &r->net.settings[i];
        if (set->is_name && left-- && merlin_value_of(text, size, set->value, &set->value))
            set->computed = false;
    }
}
