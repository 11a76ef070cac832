/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds_metrics.c: a round in the text format of Prometheus. There is a series per severity,
 * input and code, and per counter of a port that rose, at most MOST_RISES of these: their number
 * stays bounded whatever the fabric does. Source: prometheus.io, "Exposition formats".
 */
#include "subnet/counters/counters.h"
#include "subnet/rounds/rounds_impl.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_RISES = 256, NAME = 320 };

static void rounds_metrics_head(FILE *out, const char *name, const char *help)
{
    fprintf(out, "# HELP ikat_%s %s\n# TYPE ikat_%s gauge\n", name, help, name);
}

static void rounds_metrics_value(FILE *out, const char *name, const char *help, double value)
{
    rounds_metrics_head(out, name, help);
    fprintf(out, "ikat_%s %.15g\n", name, value);
}

/* key="text", with what the format asks to be escaped. */
static void rounds_metrics_label(FILE *out, const char *key, const char *text, const char *before)
{
    fprintf(out, "%s%s=\"", before, key);
    for (; *text; text++)
        if (*text == '\n')
            fputs("\\n", out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    fputc('"', out);
}

static void rounds_metrics_inputs(const ik_round *r, FILE *out)
{
    rounds_metrics_head(out, "command_good",
                        "Whether what the command of an input printed could be "
                        "read.");
    for (ik_round_input i = 0; i < IK_ROUND_INPUTS; i++)
        if (r->command_s[i] > 0)
            fprintf(out, "ikat_command_good{input=\"%s\"} %d\n", ik_round_input_name(i),
                    r->commands_good[i]);
    rounds_metrics_head(out, "command_seconds", "How long the command of an input took.");
    for (ik_round_input i = 0; i < IK_ROUND_INPUTS; i++)
        if (r->command_s[i] > 0)
            fprintf(out, "ikat_command_seconds{input=\"%s\"} %.6g\n", ik_round_input_name(i),
                    r->command_s[i]);
}

/* Findings are sorted by code; severities of one code may differ. */
static void rounds_metrics_findings(const ik_round *r, FILE *out)
{
    rounds_metrics_head(out, "open_findings", "Findings that are open, by severity.");
    for (int s = IK_ERROR; s >= IK_NOTE; s--)
        fprintf(out, "ikat_open_findings{severity=\"%s\"} %" PRIu64 "\n", ik_severity_name(s),
                r->open[s]);
    rounds_metrics_head(out, "open_findings_by_code",
                        "Findings that are open, by severity and code.");
    for (size_t i = 0, end; i < r->num_findings; i = end) {
        uint64_t count[3] = {0};
        const char *code = r->findings[i].code;
        for (end = i; end < r->num_findings && strcmp(r->findings[end].code, code) == 0; end++)
            count[r->findings[end].severity]++;
        for (int s = IK_ERROR; s >= IK_NOTE; s--)
            if (count[s]) {
                fprintf(out, "ikat_open_findings_by_code{severity=\"%s\"", ik_severity_name(s));
                rounds_metrics_label(out, "code", code, ",");
                fprintf(out, "} %" PRIu64 "\n", count[s]);
            }
    }
}

static void rounds_metrics_rise(const ik_fabric *f, uint32_t port, ik_counter i, uint64_t rise,
                                FILE *out)
{
    char name[NAME];
    uint32_t node = f->port_node[port];
    fprintf(out, "ikat_port_counter_rise{guid=\"0x%016" PRIx64 "\"", ik_node_guid(f, node));
    rounds_metrics_label(out, "node", ik_text_line(ik_node_name(f, node, name, sizeof name)), ",");
    fprintf(out, ",port=\"%u\",counter=\"%s\"} %" PRIu64 "\n", ik_port_number(f, port),
            ik_counter_name(i), rise);
}

static void rounds_metrics_rises(const ik_audit *a, FILE *out)
{
    const ik_counter_changes *c = &a->counters;
    uint64_t rises = 0;
    rounds_metrics_head(out, "port_counter_rise",
                        "Error counters that rose between the last two readings; the first 256.");
    for (uint32_t port = 0; port < c->fabric->num_ports; port++)
        for (ik_counter i = 0; i < IK_NUM_COUNTERS; i++)
            if (counters_is_error(i) && c->change[port][i] && rises++ < MOST_RISES)
                rounds_metrics_rise(c->fabric, port, i, c->change[port][i], out);
    rounds_metrics_value(out, "port_counters_risen",
                         "How many error counters rose between the last two readings.",
                         (double)rises);
}

static void rounds_metrics_fabric(const ik_round *r, FILE *out)
{
    const ik_audit *a = r->audit;
    const ik_subnet_verdict *v = &a->installed.verdict;
    rounds_metrics_value(out, "hosts", "Hosts of the fabric.", r->fabric->num_hosts);
    rounds_metrics_value(out, "switches", "Switches of the fabric.", r->fabric->num_switches);
    rounds_metrics_value(out, "cables", "Cables of the fabric, those of hosts included.",
                         r->cables);
    if (a->has_tables) {
        rounds_metrics_value(out, "host_pairs", "Pairs of ports of hosts and LIDs.",
                             (double)v->pairs);
        rounds_metrics_value(out, "lost_host_pairs", "Of these, what the tables do not deliver.",
                             (double)ik_audit_lost_pairs(v));
        rounds_metrics_value(out, "largest_load",
                             "Largest load of a link between switches if all hosts send evenly to "
                             "all others, in rates of a host.",
                             a->installed.max_load);
    }
    if (a->has_counters)
        rounds_metrics_rises(a, out);
}

ik_status rounds_metrics_print(const ik_round *r, FILE *out, ik_error *err)
{
    rounds_metrics_value(out, "round_number", "Rounds of the watch.", (double)r->number);
    rounds_metrics_value(out, "round_good", "Whether everything could be read in the last round.",
                         r->good);
    rounds_metrics_value(out, "round_timestamp_seconds", "When the last round began.", r->time_s);
    rounds_metrics_value(out, "good_round_timestamp_seconds",
                         "When the last good round began; 0: there was none.", r->good_s);
    rounds_metrics_value(out, "round_seconds", "How long the last round took.", r->duration_s);
    rounds_metrics_inputs(r, out);
    rounds_metrics_findings(r, out);
    if (r->audit)
        rounds_metrics_fabric(r, out);
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot be written") : IK_OK;
}
