/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `netbox`: the cables that NetBox keeps of devices. Read are CSV, as the table of cables is
 * exported and as cables are imported, and JSON: the REST API's cables and interfaces, GraphQL's
 * cable_list. Cables between other things than interfaces, and those that are not connected, are
 * counted. O(size).
 */
#include "format/devices.h"
#include "format/json_read.h"
#include "ikat/format.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

enum { NETBOX_MOST_COLUMNS = 256 };

typedef struct netbox {
    raw_graph g;
    ik_arena arena;
    uint64_t others, planned, several, management; /* cables that are left out */
    bool ends;          /* these are ends of cables: the file lists interfaces */
    json_t *interfaces; /* netbox_mark_interfaces */
    bool no_memory;
    ik_builder *b;
    ik_error *err; /* not NULL */
} netbox;

static bool netbox_is(slice text, const char *word)
{
    return text.length == strlen(word) && strncasecmp(text.at, word, text.length) == 0;
}

static bool netbox_begins(slice text, const char *word)
{
    return text.length >= strlen(word) && strncasecmp(text.at, word, strlen(word)) == 0;
}

static ik_status netbox_report(const netbox *n)
{
    const char *cable = n->ends ? "end of a cable|ends of cables" : "cable";
    const struct {
        uint64_t num;
        const char *noun, *why;
    } parts[] = {{n->others, cable, "not between interfaces of devices"},
                 {n->planned, cable, "not connected (planned, decommissioning)"},
                 {n->several, cable, "with several interfaces"},
                 {n->management, "interface", "for management"}};
    char text[400] = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].num)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %s", *text ? ", " : "",
                     IK_COUNT(parts[i].num, parts[i].noun), parts[i].why);
    if (!n->g.num_links)
        return ik_fail_at(n->err, IK_ERR_INPUT, n->g.file, 0, 0,
                          "no cable joins interfaces of devices%s%s", *text ? "; left out: " : "",
                          text);
    if (*text)
        ik_builder_finding(n->b, IK_NOTE, "skipped-cables", NULL, "left out: %s", text);
    return IK_OK;
}

/* Other states than these, which sites may add, are those of cables that are there. */
static bool netbox_is_connected(netbox *n, slice status)
{
    bool planned = netbox_is(status, "planned") || netbox_is(status, "decommissioning");
    n->planned += planned;
    return !planned;
}

/* ---- CSV */

typedef struct netbox_row {
    const char *at, *end;
    unsigned line; /* of the row's beginning */
    unsigned lines;
    char mark; /* between fields */
    size_t num;
    slice fields[NETBOX_MOST_COLUMNS];
} netbox_row;

static ik_status netbox_fail_row(const netbox *n, const netbox_row *row, const char *what)
{
    return ik_fail_at(n->err, IK_ERR_INPUT, n->g.file, row->line, 1, "%s", what);
}

/* A field in quotes, in which "" is a quote and lines may end. */
static ik_status netbox_read_quoted(netbox *n, netbox_row *row, slice *field)
{
    const char *start = ++row->at, *quote;
    bool doubled = false;
    while ((quote = memchr(row->at, '"', (size_t)(row->end - row->at))) && quote + 1 < row->end &&
           quote[1] == '"') {
        row->at = quote + 2;
        doubled = true;
    }
    if (!quote)
        return netbox_fail_row(n, row, "a quote is never closed");
    for (const char *c = start; c < quote; c++)
        row->lines += *c == '\n';
    row->at = quote + 1;
    *field = (slice){start, (size_t)(quote - start)};
    if (!doubled)
        return IK_OK;
    char *plain = ik_arena_alloc(&n->arena, field->length);
    if (!plain)
        return ik_fail_memory(n->err, field->length, "a field in quotes");
    field->length = 0;
    for (const char *c = start; c < quote; c += 1 + (*c == '"'))
        plain[field->length++] = *c;
    field->at = plain;
    return IK_OK;
}

static bool netbox_ends_field(const netbox_row *row)
{
    return row->at == row->end || *row->at == row->mark || strchr("\r\n", *row->at);
}

/* The next row that is not empty; row->num = 0 at the end of the file. */
static ik_status netbox_read_row(netbox *n, netbox_row *row)
{
    ik_status status = IK_OK;
    row->num = 0;
    while (row->at < row->end && strchr("\r\n", *row->at))
        row->lines += *row->at++ == '\n';
    row->line = row->lines;
    for (bool more = row->at < row->end; more && status == IK_OK;) {
        slice field = {row->at, 0};
        if (row->num == NETBOX_MOST_COLUMNS)
            return netbox_fail_row(n, row, "too many columns");
        if (row->at < row->end && *row->at == '"')
            status = netbox_read_quoted(n, row, &field);
        else
            for (; !netbox_ends_field(row); row->at++)
                field.length++;
        if (status == IK_OK && !netbox_ends_field(row))
            return netbox_fail_row(n, row, "expected the end of a field after its closing quote");
        more = row->at < row->end && *row->at == row->mark;
        row->at += more;
        row->fields[row->num++] = raw_trimmed(field);
    }
    return status;
}

typedef enum netbox_column {
    DEVICE_A,
    DEVICE_B,
    PORT_A,
    PORT_B,
    TYPE_A,
    TYPE_B,
    SITE_A,
    SITE_B,
    STATUS,
    CABLE,
    ROLE_A,
    ROLE_B,
    RATE,
    NETBOX_NUM_COLUMNS
} netbox_column;

/* In an exported table, in an import, in a table of before NetBox 3.3. The last ones stand in the
 * lists that ikat writes. */
static const char *const netbox_columns[NETBOX_NUM_COLUMNS][3] = {
    {"Device A", "side_a_device", "Side A"},
    {"Device B", "side_b_device", "Side B"},
    {"Termination A", "side_a_name"},
    {"Termination B", "side_b_name"},
    {"side_a_type"},
    {"side_b_type"},
    {"Site A", "side_a_site"},
    {"Site B", "side_b_site"},
    {"Status"},
    {"Type"},
    {"side_a_role"},
    {"side_b_role"},
    {"link_rate"},
};

/* What is between fields: the mark that is most often in the first line, outside of quotes. */
static char netbox_mark(const char *text, const char *end)
{
    static const char marks[] = ",;|\t";
    size_t times[sizeof marks] = {0}, best = 0;
    bool quoted = false;
    for (const char *mark; text < end && *text != '\n'; text++) {
        quoted = quoted != (*text == '"');
        if (*text && !quoted && (mark = strchr(marks, *text)))
            times[mark - marks]++;
    }
    for (size_t i = 1; i < sizeof marks; i++)
        best = times[i] > times[best] ? i : best;
    return marks[best];
}

/* Reads the names of the columns: of[] says at which field each is, row->num where it is not. */
static ik_status netbox_read_columns(netbox *n, netbox_row *row, size_t of[NETBOX_NUM_COLUMNS])
{
    row->mark = netbox_mark(row->at, row->end);
    ik_status status = netbox_read_row(n, row);
    for (int c = 0; c < NETBOX_NUM_COLUMNS; c++) {
        of[c] = row->num;
        for (size_t i = row->num; i-- > 0;)
            for (int k = 0; k < 3 && netbox_columns[c][k]; k++)
                if (netbox_is(row->fields[i], netbox_columns[c][k]))
                    of[c] = i;
    }
    return status;
}

static slice netbox_field(const netbox_row *row, const size_t of[NETBOX_NUM_COLUMNS], int column)
{
    return of[column] < row->num ? row->fields[of[column]] : (slice){0};
}

/* An exported table does not say of what kind an end is. */
static bool netbox_is_interface(slice type, slice port)
{
    if (type.length)
        return netbox_is(type, "dcim.interface") || netbox_is(type, "interface");
    return !netbox_begins(port, "psu") && !netbox_begins(port, "power") &&
           !netbox_begins(port, "console");
}

/* The rate of a cable, which only ikat's own lists give; 0: it is not said. */
static ik_status netbox_read_rate(const netbox *n, const netbox_row *row, slice field,
                                  uint64_t *rate)
{
    char text[64];
    if (!field.length)
        return IK_OK;
    snprintf(text, sizeof text, "%.*s", (int)(field.length < 63 ? field.length : 63), field.at);
    if (ik_parse_quantity(text, IK_DIM_RATE, rate, NULL) == IK_OK && *rate > 0 &&
        *rate <= RAW_MAX_RATE_BPS)
        return IK_OK;
    ik_fail_at(n->err, IK_ERR_INPUT, n->g.file, row->line, 1, "link_rate '%s' is no rate", text);
    return ik_hint(n->err, IK_ERR_INPUT, "expected a rate such as 100 Gb/s");
}

static ik_status netbox_take_row(netbox *n, const netbox_row *row,
                                 const size_t of[NETBOX_NUM_COLUMNS])
{
    device_end ends[2];
    bool interfaces = !netbox_is(netbox_field(row, of, CABLE), "power"), several = false;
    uint64_t rate = 0;
    ik_status status = netbox_read_rate(n, row, netbox_field(row, of, RATE), &rate);
    if (status != IK_OK)
        return status;
    for (int k = 0; k < 2; k++) {
        ends[k] = (device_end){.device = netbox_field(row, of, DEVICE_A + k),
                               .port = netbox_field(row, of, PORT_A + k),
                               .role = netbox_field(row, of, ROLE_A + k),
                               .whose = netbox_field(row, of, SITE_A + k),
                               .rate_bps = rate};
        interfaces = interfaces && ends[k].device.length && ends[k].port.length &&
                     netbox_is_interface(netbox_field(row, of, TYPE_A + k), ends[k].port);
        several =
            several || (ends[k].port.length && memchr(ends[k].port.at, ',', ends[k].port.length));
    }
    if (!netbox_is_connected(n, netbox_field(row, of, STATUS)))
        return IK_OK;
    n->others += !interfaces;
    n->several += interfaces && several;
    return !interfaces || several ? IK_OK
                                  : devices_cable(&n->g, &ends[0], &ends[1], row->line, n->err);
}

static ik_status netbox_read_csv(netbox *n, const char *text, size_t size)
{
    netbox_row row = {.at = text, .end = text + size, .lines = 1};
    size_t of[NETBOX_NUM_COLUMNS], columns;
    ik_status status = netbox_read_columns(n, &row, of);
    columns = row.num;
    for (int c = 0; c <= PORT_B && status == IK_OK; c++)
        if (of[c] == columns) {
            ik_fail_at(n->err, IK_ERR_INPUT, n->g.file, row.line, 1,
                       "there is no column '%s' ('%s' in an import)", netbox_columns[c][0],
                       netbox_columns[c][1]);
            return ik_hint(n->err, IK_ERR_INPUT,
                           "in NetBox's list of cables, export all data as CSV, or add the column "
                           "to the view that you export");
        }
    if (status == IK_OK)
        status = netbox_read_row(n, &row);
    while (status == IK_OK && row.num) {
        if (row.num != columns)
            return ik_fail_at(n->err, IK_ERR_INPUT, n->g.file, row.line, 1,
                              "expected %zu fields as in the first line, not %zu", columns,
                              row.num);
        status = netbox_take_row(n, &row, of);
        if (status == IK_OK)
            status = netbox_read_row(n, &row);
    }
    if (size && text[size - 1] != '\n')
        ik_builder_finding(n->b, IK_WARNING, "truncated", NULL, "the last line has no end");
    return status;
}

/* ---- JSON */

static const char *netbox_member(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* A text, or the text of a choice or of an object: {"value": "planned"}, {"slug": "server"}. */
static const char *netbox_choice(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    const char *text = netbox_member(value, "value");
    return json_is_string(value) ? json_string_value(value)
           : text                ? text
                                 : netbox_member(value, "slug");
}

/* The rate of an interface: its speed in kb/s, or that of its type ("25gbase-x-sfp28"). */
static uint64_t netbox_rate(const json_t *interface)
{
    json_int_t speed = json_integer_value(json_object_get(interface, "speed"));
    const char *type = netbox_choice(interface, "type");
    if (speed > 0 && speed <= (json_int_t)(RAW_MAX_RATE_BPS / 1000))
        return (uint64_t)speed * 1000;
    uint64_t number = 0;
    size_t digits = type ? strspn(type, "0123456789") : 0;
    if (!digits || digits > 5 || !slice_uint((slice){type, digits}, 99999, &number))
        return 0;
    type += digits;
    return strncmp(type, ".5gbase", 7) == 0 ? number * 1000000000 + 500000000
           : strncmp(type, "gbase", 5) == 0 ? number * 1000000000
           : strncmp(type, "base", 4) == 0  ? number * 1000000
                                            : 0;
}

/* A text that lives as long as the graph. */
static slice IK_PRINTF(2, 3) netbox_printed(netbox *n, const char *format, ...)
{
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *kept = ik_arena_strdup(&n->arena, text);
    n->no_memory = n->no_memory || !kept;
    return slice_of(kept);
}

/* An end of a cable; false if it is no interface of a device. */
static bool netbox_read_end(netbox *n, const json_t *item, const char *type, device_end *end)
{
    const json_t *object = json_object_get(item, "object");
    object = object ? object : item;
    const json_t *device = json_object_get(object, "device");
    const char *kind = netbox_member(item, "object_type"), *name = netbox_member(device, "name");
    const char *role = netbox_choice(device, "role"), *port = netbox_member(object, "name");
    const json_t *id = json_object_get(device, "id"); /* a text in GraphQL */
    kind = kind ? kind : type;
    name = name ? name : netbox_member(device, "display");
    if ((kind && strcmp(kind, "dcim.interface") != 0) || !name || !*name || !port || !*port)
        return false;
    role = role ? role : netbox_choice(device, "device_role");
    *end = (device_end){.device = slice_of(name),
                        .port = slice_of(port),
                        .role = slice_of(role),
                        .rate_bps = netbox_rate(object)};
    if (json_is_integer(id))
        end->whose = netbox_printed(n, "id %lld", (long long)json_integer_value(id));
    else if (json_is_string(id))
        end->whose = netbox_printed(n, "id %.80s", json_string_value(id));
    return true;
}

/* Ends joined one by one, or one interface to several (a breakout cable). */
static ik_status netbox_join(netbox *n, const json_t *a, const char *type_a, const json_t *b,
                             const char *type_b, unsigned line)
{
    size_t num_a = json_is_array(a) ? json_array_size(a) : 1;
    size_t num_b = json_is_array(b) ? json_array_size(b) : 1;
    size_t num = num_a > num_b ? num_a : num_b;
    ik_status status = IK_OK;
    if (num_a != num_b && num_a != 1 && num_b != 1) {
        n->several++;
        return IK_OK;
    }
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        device_end ends[2];
        const json_t *near = json_is_array(a) ? json_array_get(a, num_a == 1 ? 0 : i) : a;
        const json_t *far = json_is_array(b) ? json_array_get(b, num_b == 1 ? 0 : i) : b;
        if (!netbox_read_end(n, near, type_a, &ends[0]) ||
            !netbox_read_end(n, far, type_b, &ends[1])) {
            n->others++;
            return IK_OK;
        }
        for (int k = 0; k < 2; k++)
            if ((k ? num_b : num_a) < num) {
                ends[k].port = netbox_printed(n, "%.256s/%zu", ends[k].port.at, i + 1);
                ends[k].rate_bps /= num;
            }
        status = devices_cable(&n->g, &ends[0], &ends[1], line, n->err);
    }
    return status;
}

typedef struct netbox_key {
    char text[320];
} netbox_key;

static netbox_key netbox_key_of(const json_t *interface)
{
    const char *device = netbox_member(json_object_get(interface, "device"), "name"),
               *port = netbox_member(interface, "name");
    netbox_key key;
    snprintf(key.text, sizeof key.text, "%.150s\n%.150s", device ? device : "", port ? port : "");
    return key;
}

/* Of a list of interfaces: true are those for management, whose peers need not be; false are those
 * that share a peer, which lists them all. */
static void netbox_mark_interfaces(netbox *n, const json_t *list)
{
    n->interfaces = json_object();
    n->no_memory = !n->interfaces;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i),
                     *peers = json_object_get(item, "connected_endpoints");
        netbox_key key = netbox_key_of(item);
        if (json_is_true(json_object_get(item, "mgmt_only")) &&
            json_object_set_new(n->interfaces, key.text, json_true()) != 0)
            n->no_memory = true;
        for (size_t k = 0; json_array_size(peers) > 1 && k < json_array_size(peers); k++) {
            key = netbox_key_of(json_array_get(peers, k));
            if (!json_object_get(n->interfaces, key.text) &&
                json_object_set_new(n->interfaces, key.text, json_false()) != 0)
                n->no_memory = true;
        }
    }
}

static ik_status netbox_take_interface(netbox *n, const json_t *item, const json_t *peers,
                                       unsigned line)
{
    const json_t *own = json_object_get(n->interfaces, netbox_key_of(item).text);
    bool management = json_is_true(own);
    if (!json_array_size(peers))
        return IK_OK;
    n->ends = true;
    n->management += management;
    for (size_t i = 0; i < json_array_size(peers); i++) {
        netbox_key key = netbox_key_of(json_array_get(peers, i));
        management = management || json_is_true(json_object_get(n->interfaces, key.text));
    }
    if (json_is_false(json_object_get(item, "connected_endpoints_reachable")))
        n->planned++;
    else if (!management && json_is_false(own) && json_array_size(peers) > 1)
        n->several++;
    else if (!management && !json_is_false(own))
        return netbox_join(n, item, NULL, peers, netbox_member(item, "connected_endpoints_type"),
                           line);
    return IK_OK;
}

/* A cable, or an interface of the REST API with what it is connected to. */
static ik_status netbox_take_item(netbox *n, const json_t *item, size_t index)
{
    const json_t *a = json_object_get(item, "a_terminations"),
                 *b = json_object_get(item, "b_terminations"),
                 *peers = json_object_get(item, "connected_endpoints");
    if (!a && !b) { /* before NetBox 3.3 */
        a = json_object_get(item, "termination_a");
        b = json_object_get(item, "termination_b");
    }
    unsigned line = (unsigned)index + 1;
    if (json_is_object(json_object_get(item, "device")) && json_object_get(item, "type"))
        return netbox_take_interface(n, item, peers, line);
    if (a && b)
        return netbox_is_connected(n, slice_of(netbox_choice(item, "status")))
                   ? netbox_join(n, a, netbox_member(item, "termination_a_type"), b,
                                 netbox_member(item, "termination_b_type"), line)
                   : IK_OK;
    ik_fail_at(n->err, IK_ERR_INPUT, n->g.file, line, 1, "element %zu of the list is no cable",
               index);
    return ik_hint(n->err, IK_ERR_INPUT,
                   "expected {\"a_terminations\": [...], \"b_terminations\": [...]}, as "
                   "/api/dcim/cables/ answers without brief=true");
}

static ik_status netbox_read_json(netbox *n, const json_t *root)
{
    const json_t *list = json_is_array(root) ? root : json_object_get(root, "results");
    ik_status status = IK_OK;
    if (!list)
        list = json_object_get(json_object_get(root, "data"), "cable_list");
    if (!json_is_array(list))
        return ik_fail_at(n->err, IK_ERR_INPUT, n->g.file, 0, 0,
                          "no list of cables: expected {\"results\": [...]}, or the cable_list of "
                          "a GraphQL query");
    netbox_mark_interfaces(n, list);
    for (size_t i = 0; i < json_array_size(list) && status == IK_OK; i++)
        status = netbox_take_item(n, json_array_get(list, i), i);
    json_int_t count = json_integer_value(json_object_get(root, "count"));
    bool longer = count > 0 && (uint64_t)count > json_array_size(list);
    if (longer || netbox_member(root, "next") || netbox_member(root, "previous"))
        ik_builder_finding(n->b, IK_WARNING, "truncated", NULL,
                           "this is a page of a longer list, with %zu of its %s; ask with limit=0, "
                           "or join the pages if NetBox' MAX_PAGE_SIZE divides the list",
                           json_array_size(list),
                           longer ? IK_COUNT((uint64_t)count, "element") : "elements");
    return n->no_memory ? ik_fail_memory(n->err, 256, "names of ports") : status;
}

static bool netbox_is_json(const char *text, size_t size)
{
    size_t blanks = 0;
    while (blanks < size && text[blanks] && strchr(" \t\r\n", text[blanks]))
        blanks++;
    return blanks < size && (text[blanks] == '[' || text[blanks] == '{');
}

static ik_status netbox_read(const char *text, size_t size, const char *file, ik_builder *b,
                             ik_error *err)
{
    ik_error why = {0};
    netbox n = {.g = {.file = file, .text_size = size}, .b = b, .err = &why};
    json_t *root = NULL;
    ik_status status;
    if (netbox_is_json(text, size)) {
        status = json_read_text(text, size, file, &root, &why);
        if (status == IK_OK)
            status = netbox_read_json(&n, root);
    } else {
        status = netbox_read_csv(&n, text, size);
    }
    if (status == IK_OK)
        status = netbox_report(&n);
    if (status == IK_OK)
        status = devices_build(&n.g, b, true, &why);
    unsigned element = why.line; /* from 1: its place instead */
    if (root && element) {
        why.line = why.column = 0;
        json_place(text, size, "results", element - 1, &why.line, &why.column);
    }
    if (status != IK_OK && err)
        *err = why;
    raw_graph_free(&n.g);
    ik_arena_free(&n.arena);
    json_decref(n.interfaces);
    json_decref(root);
    return status;
}

static unsigned netbox_probe(const char *text, size_t size)
{
    ik_error why = {0};
    netbox n = {.g = {.file = ""}, .err = &why};
    netbox_row row = {.at = text, .end = text + size, .lines = 1};
    size_t of[NETBOX_NUM_COLUMNS];
    unsigned sure = 0;
    if (netbox_is_json(text, size))
        return json_mentions(text, size, "\"a_terminations\"") ||
                       json_mentions(text, size, "\"termination_a\"") ||
                       json_mentions(text, size, "\"connected_endpoints\"")
                   ? 90
               : json_mentions(text, size, "\"results\"") &&
                       json_mentions(text, size, "\"previous\"")
                   ? 30 /* an answer without cables */
                   : 0;
    if (netbox_read_columns(&n, &row, of) == IK_OK)
        sure = of[PORT_A] < row.num && of[PORT_B] < row.num       ? 90
               : of[DEVICE_A] < row.num && of[DEVICE_B] < row.num ? 30 /* columns are missing */
                                                                  : 0;
    ik_arena_free(&n.arena);
    return sure;
}

static const char *const extensions[] = {"csv", "json", NULL};

const ik_format ik_format_netbox = {
    .name = "netbox",
    .summary = "cables between devices, as NetBox exports them: CSV, or JSON of its API",
    .source = "NetBox 2.11 to 4.6: table and import of cables, /api/dcim/cables/, "
              "/api/dcim/interfaces/, GraphQL",
    .extensions = extensions,
    .probe = netbox_probe,
    .read = netbox_read,
};
