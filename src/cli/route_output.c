/* SPDX-License-Identifier: Apache-2.0
 *
 * route_output.c: routes as forwarding tables, paths, registers and JSON.
 */
#include "route_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void route_header_json(ik_json *j, const route_job *job)
{
    ik_json_text(j, "spec", job->f->spec ? job->f->spec : job->c->args[0]);
    ik_json_uint(j, "hosts", job->f->num_hosts);
    ik_json_uint(j, "switches", job->f->num_switches);
    ik_json_text(j, "routing", cli_line(job->plan->routing->spec));
    cli_json_note(j, job->plan->routing->note);
    ik_json_text(j, "vc", job->plan->vc->spec);
    ik_json_uint(j, "vcs", job->plan->num_vcs);
}

void route_header_print(const route_job *job)
{
    printf("%s\n", cli_line(job->f->spec ? job->f->spec : job->c->args[0]));
    printf("  %-14s %s\n", "routing", cli_line(job->plan->routing->spec));
    printf("  %-14s %s, %u VC%s\n", "VC scheme", cli_line(job->plan->vc->spec), job->plan->num_vcs,
           job->plan->num_vcs == 1 ? "" : "s");
}

/* ------------------------------------------------------------------------------------------
 * paths */

/* One step: a switch, the port it sends by, the VC on that channel. */
typedef struct step {
    uint32_t sw, port; /* port: global */
    unsigned vc;
} step;

typedef struct trace {
    step *steps; /* [max] */
    uint32_t max, num;
    ik_choice *choices;
} trace;

/* Follows the preferred choices from initial state n; true if they lead to dst. */
static bool output_follow(const ik_plan *plan, uint32_t src, uint32_t dst, uint32_t n, trace *t)
{
    const ik_fabric *f = plan->fabric;
    uint32_t port = ik_host_port(f, src);
    ik_packet pk;
    ik_plan_start_nth(plan, src, dst, n, &pk);
    t->num = 0;
    while (port != IK_NONE && t->num < t->max) {
        uint32_t in_port = f->port_peer[port];
        if (in_port == IK_NONE || !ik_is_switch(f, f->port_node[in_port]))
            return in_port != IK_NONE && f->port_node[in_port] == ik_host_node(f, dst);
        uint32_t sw = f->port_node[in_port], preferred = 0;
        if (ik_plan_next(plan, sw, in_port, &pk, t->choices, &preferred) == 0)
            return false;
        const ik_choice *choice = &t->choices[preferred];
        t->steps[t->num++] = (step){sw, choice->port, choice->vc_first};
        ik_plan_advance(plan, choice->port, choice->vc_first, &pk);
        port = choice->port;
    }
    return false;
}

static void output_print_path(const ik_fabric *f, uint32_t src, uint32_t dst, uint32_t n,
                              bool whole, const trace *t, FILE *out)
{
    fprintf(out, "%u %u %u", src, dst, n);
    for (uint32_t i = 0; i < t->num; i++) {
        fprintf(out, " %u.%u/%u", t->steps[i].sw, ik_port_local(f, t->steps[i].port),
                t->steps[i].vc);
    }
    fputs(whole ? "\n" : " lost\n", out);
}

static void output_put_path(ik_json *j, const ik_fabric *f, uint32_t src, uint32_t dst, uint32_t n,
                            bool whole, const trace *t)
{
    ik_json_object(j, NULL);
    ik_json_uint(j, "source", src);
    ik_json_uint(j, "destination", dst);
    ik_json_uint(j, "start", n);
    ik_json_bool(j, "delivered", whole);
    ik_json_array(j, "steps");
    for (uint32_t i = 0; i < t->num; i++) {
        ik_json_array(j, NULL);
        ik_json_uint(j, NULL, t->steps[i].sw);
        ik_json_uint(j, NULL, ik_port_local(f, t->steps[i].port));
        ik_json_uint(j, NULL, t->steps[i].vc);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_close(j);
}

/* Every pair and initial state: a line each to `out`, or an object each into the array `j`. */
static ik_status output_all_paths(const route_job *job, FILE *out, ik_json *j, ik_error *err)
{
    const ik_plan *plan = job->plan;
    const ik_fabric *f = job->f;
    uint32_t from, to;
    trace t = {.max = 2 * f->num_switches + 2};
    t.steps = ik_calloc(t.max, sizeof *t.steps);
    t.choices = ik_calloc((size_t)plan->max_radix + 1, sizeof *t.choices);
    ik_status status =
        t.steps && t.choices ? IK_OK : ik_fail_memory(err, t.max * sizeof *t.steps, "a path");
    for (uint32_t src = 0; status == IK_OK && src < f->num_hosts; src++) {
        for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
            uint32_t pairs = src == dst ? 0 : ik_rails_count(plan->routing, src, dst), printed = 0;
            for (uint32_t k = 0; k < pairs; k++) {
                ik_rails_nth(plan->routing, src, dst, k, &from, &to);
                uint32_t starts = ik_plan_num_starts(plan, from, to);
                for (uint32_t n = 0; n < starts; n++, printed++) {
                    bool whole = output_follow(plan, from, to, n, &t);
                    if (j)
                        output_put_path(j, f, src, dst, printed, whole, &t);
                    else
                        output_print_path(f, src, dst, printed, whole, &t, out);
                }
            }
        }
        if (ik_env_cancelled(&job->c->env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    free(t.steps);
    free(t.choices);
    return status;
}

static ik_status output_write_paths(const route_job *job, FILE *out, ik_error *err)
{
    fprintf(out, "# %s, routing %s, VC scheme %s\n",
            cli_line(job->f->spec ? job->f->spec : job->c->args[0]),
            cli_line(job->plan->routing->spec), cli_line(job->plan->vc->spec));
    fputs("# source destination initial-state, then switch.port/vc for each switch of the path\n",
          out);
    return output_all_paths(job, out, NULL, err);
}

/* ------------------------------------------------------------------------------------------
 * hops */

typedef struct hop_list {
    const ik_fabric *f;
    FILE *out;
} hop_list;

static void output_print_hop(void *ctx, const ik_hop *hop)
{
    const hop_list *l = ctx;
    const ik_fabric *f = l->f;
    if (ik_is_switch(f, f->port_node[hop->in]))
        fprintf(l->out, " %u.%u/%u", f->port_node[hop->in], ik_port_local(f, hop->in), hop->in_vc);
    else
        fputs(" -", l->out);
    fprintf(l->out, ">%u.%u/%u", f->port_node[hop->out], ik_port_local(f, hop->out), hop->out_vc);
}

/* Every hop that each pair's packets may make, over all choices. */
static ik_status output_write_hops(const route_job *job, FILE *out, ik_error *err)
{
    const ik_routing *r = job->plan->routing;
    hop_list list = {job->f, out};
    ik_hops *hops = ik_hops_new(job->plan);
    ik_status status = hops ? IK_OK : ik_fail_memory(err, 0, "hops");
    fprintf(out, "# %s, routing %s, VC scheme %s\n",
            cli_line(job->f->spec ? job->f->spec : job->c->args[0]), cli_line(r->spec),
            cli_line(job->plan->vc->spec));
    fputs("# source destination initial-state, then held>next for each hop that is allowed: "
          "switch.port/vc of the two channels, - for the host's\n",
          out);
    for (uint32_t src = 0; status == IK_OK && src < job->f->num_hosts; src++) {
        for (uint32_t dst = 0; status == IK_OK && dst < job->f->num_hosts; dst++) {
            uint32_t pairs = src == dst ? 0 : ik_rails_count(r, src, dst), from, to, line = 0;
            for (uint32_t k = 0; k < pairs; k++) {
                ik_rails_nth(r, src, dst, k, &from, &to);
                uint32_t starts = ik_plan_num_starts(job->plan, from, to);
                for (uint32_t n = 0; n < starts && status == IK_OK; n++) {
                    fprintf(out, "%u %u %u", src, dst, line++);
                    status = ik_hops_each(hops, from, to, n, output_print_hop, &list, err);
                    fputc('\n', out);
                }
            }
        }
        if (status == IK_OK && ik_env_cancelled(&job->c->env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    ik_hops_free(hops);
    return status;
}

/* ------------------------------------------------------------------------------------------ JSON,
 * registers */

static void output_put_tables(ik_json *j, const ik_fabric *f, const uint16_t *lft)
{
    ik_json_array(j, "tables");
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        ik_json_array(j, NULL);
        for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
            uint16_t port = lft[(size_t)sw * f->num_hosts + dst];
            ik_json_known(j, NULL, port != 0xFFFF, port);
        }
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* The host and its printed port that each column of a table is for, where hosts have several
 * cables. */
static void output_put_columns(ik_json *j, const ik_fabric *f)
{
    ik_json_array(j, "table_columns");
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t port = ik_host_port(f, host);
        ik_json_array(j, NULL);
        ik_json_uint(j, NULL, f->split->host_of[host]);
        ik_json_uint(j, NULL, port == IK_NONE ? 0 : ik_port_number(f, port));
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* Compact tables as they are stored: [target switch, local port]. */
static void output_put_entries(ik_json *j, const ik_routing *r)
{
    ik_json_array(j, "entries");
    for (uint32_t sw = 0; sw < r->fabric->num_switches; sw++) {
        uint32_t num = r->family->num_entries(r, sw);
        ik_json_array(j, NULL);
        for (uint32_t n = 0; n < num; n++) {
            ik_table_entry entry;
            r->family->entry_nth(r, sw, n, &entry);
            ik_json_array(j, NULL);
            ik_json_uint(j, NULL, entry.target);
            ik_json_uint(j, NULL, ik_port_local(r->fabric, entry.port));
            ik_json_close(j);
        }
        ik_json_close(j);
    }
    ik_json_close(j);
}

static ik_status output_put_routes(ik_json *j, const route_job *job, ik_error *err)
{
    const ik_routing *r = job->plan->routing;
    uint16_t *lft = NULL;
    if (r->family->num_entries)
        output_put_entries(j, r);
    if (r->kind == IK_ROUTE_DETERMINISTIC && (r->traits & IK_ROUTE_DEST_BASED)) {
        ik_status status = ik_lft_compile(r, &job->c->env, &lft, err);
        if (status == IK_OK) {
            output_put_tables(j, r->fabric, lft);
            if (r->fabric->split)
                output_put_columns(j, r->fabric);
        }
        free(lft);
        return status;
    }
    ik_json_array(j, "paths");
    ik_status status = output_all_paths(job, NULL, j, err);
    ik_json_close(j);
    return status;
}

static ik_status output_write_json(const route_job *job, FILE *out, ik_error *err)
{
    ik_json j;
    ik_json_to_file(&j, out, IK_JSON_PACKED);
    ik_json_object(&j, NULL);
    route_header_json(&j, job);
    ik_status status = output_put_routes(&j, job, err);
    ik_json_close(&j);
    ik_status ended = ik_json_end(&j, status == IK_OK ? err : NULL);
    fputc('\n', out);
    return status == IK_OK ? ended : status;
}

static ik_status output_write_registers(const route_job *job, bool flexible, FILE *out,
                                        ik_error *err)
{
    ik_registers *registers = NULL;
    ik_status status = ik_registers_compile(job->plan->routing, flexible, &registers, err);
    if (status == IK_OK)
        status = ik_registers_print(registers, out, err);
    ik_registers_free(registers);
    return status;
}

/* ------------------------------------------------------------------------------------------
 * forwarding tables */

/* The VCs of a plan that has several, for messages. */
static const char *output_lost_lanes(const route_job *job, char *text, size_t size)
{
    const ik_plan *plan = job->plan;
    text[0] = '\0';
    if (plan->num_vcs > 1)
        snprintf(text, size, "; the %u VCs of '%.100s' are not in such tables", plan->num_vcs,
                 plan->vc->spec);
    return text;
}

static ik_status output_refuse_lanes(const route_job *job, size_t length, ik_error *err)
{
    char lanes[160];
    const char *routing = job->plan->routing->spec;
    ik_status status =
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "the forwarding tables of '%.100s' can deadlock: they are for one lane, on which "
                "%s can wait for each other%s",
                routing, IK_COUNT(length, "channel"), output_lost_lanes(job, lanes, sizeof lanes));
    return ik_hint(err, status,
                   "'ikat check' with --vc 1q shows the cycle%s; --unproved writes the tables "
                   "nevertheless, with a warning in the file",
                   job->plan->routing->rails ? ", or 'ikat check -r lft:path=FILE' that of all "
                                               "LIDs"
                                             : "");
}

/* Tables with an entry for every LID, switches' too; those of a file as they are. *unsafe: see
 * ik_lid_tables_complete. */
static ik_status output_make_tables(const route_job *job, const ik_lids *lids, ik_lid_tables *t,
                                    uint32_t *unsafe, ik_error *err)
{
    *unsafe = 0;
    return strcmp(job->plan->routing->family->name, "lft") == 0
               ? ik_lid_tables_of(job->plan->routing, lids, &job->c->env, t, err)
               : ik_lid_tables_complete(job->plan, lids, &job->c->env, t, unsafe, err);
}

static void output_note_unsafe(const route_job *job, const ik_lids *lids, uint32_t unsafe)
{
    if (unsafe)
        cli_note(job->c,
                 "%" PRIu32 " of %s could not be routed without a cycle of "
                 "performance queries and data on one lane; 'ikat deploy' says what holds instead",
                 unsafe, IK_COUNT(lids->num, "LID"));
}

/* What the subnet's tables are judged to be, with the judge of 'ikat audit' and 'ikat deploy':
 * refuses those that can deadlock on one lane, unless with --unproved: the file then begins by
 * saying so. */
static ik_status output_judge_tables(const route_job *job, const ik_lid_tables *t, FILE *out,
                                     ik_error *err)
{
    char lanes[160];
    ik_subnet_verdict v;
    ik_status status = ik_subnet_judge(t, NULL, NULL, NULL, &job->c->env, &v, err);
    if (status != IK_OK)
        return status;
    bool free_of_deadlock = v.deadlock_free == IK_YES;
    cli_progress_end(job->c);
    if (!free_of_deadlock && !cli_has(job->c, "--unproved")) {
        status = output_refuse_lanes(job, v.loop_length, err);
    } else if (!free_of_deadlock) {
        fprintf(out,
                "# UNPROVED: these tables can deadlock. They are for one lane, on which %zu "
                "channels can wait for each other%s.\n",
                v.loop_length, output_lost_lanes(job, lanes, sizeof lanes));
        cli_note(job->c, "the tables can deadlock%s", output_lost_lanes(job, lanes, sizeof lanes));
    } else if (job->plan->num_vcs > 1) {
        cli_note(job->c,
                 "the %s of '%s' are not in the tables; on one lane they are free of deadlock",
                 IK_COUNT(job->plan->num_vcs, "VC"), job->plan->vc->spec);
    }
    ik_subnet_verdict_free(&v);
    return status;
}

static ik_status output_write_tables(const route_job *job, FILE *out, ik_error *err)
{
    const ik_routing *r = job->plan->routing;
    ik_lids lids = {0};
    ik_lid_tables t = {0};
    uint32_t unsafe;
    bool is_file = strcmp(r->family->name, "lft") == 0;
    if (!is_file && (r->kind != IK_ROUTE_DETERMINISTIC || !(r->traits & IK_ROUTE_DEST_BASED)))
        return ik_lft_print(r, out, err); /* which says why there are no tables */
    ik_status status = ik_lids_make(job->f, &lids, err);
    if (status == IK_OK)
        status = output_make_tables(job, &lids, &t, &unsafe, err);
    if (status == IK_OK)
        status = output_judge_tables(job, &t, out, err);
    if (status == IK_OK)
        output_note_unsafe(job, &lids, unsafe);
    if (status == IK_OK)
        status = is_file ? ik_lft_print(r, out, err) : ik_lid_tables_print(&t, out, err);
    ik_lid_tables_free(&t);
    ik_lids_free(&lids);
    return status;
}

ik_status route_write(const route_job *job, const char *format, FILE *out, ik_error *err)
{
    static const char *const formats[] = {"lft", "paths", "hops", "ir", "fir", "json", NULL};
    if (strcmp(format, "lft") == 0)
        return output_write_tables(job, out, err);
    if (strcmp(format, "paths") == 0)
        return output_write_paths(job, out, err);
    if (strcmp(format, "hops") == 0)
        return output_write_hops(job, out, err);
    if (strcmp(format, "ir") == 0 || strcmp(format, "fir") == 0)
        return output_write_registers(job, format[0] == 'f', out, err);
    if (strcmp(format, "json") == 0)
        return output_write_json(job, out, err);
    return ik_fail_unknown(err, "format of routes", format, formats);
}
