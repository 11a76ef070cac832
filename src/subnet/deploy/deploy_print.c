/* SPDX-License-Identifier: Apache-2.0
 *
 * deploy_print.c: the summary of a deployment, as text and as JSON.
 */
#include "subnet/deploy/deploy.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_LISTED = 20, DIGITS = 12 };

typedef unsigned long long ull;

static const char *deploy_print_verdict_text(ik_verdict v)
{
    return v == IK_YES ? "yes" : v == IK_NO ? "NO" : "not known";
}

static const char *deploy_print_lid_name(const ik_deployment *d, uint32_t index, char *buffer,
                                         size_t size)
{
    return ik_node_describe(d->fabric, d->lids.of[index].node, buffer, size);
}

static const char *const compared_states[] = {"compared", "unproved", "unfit", "too_large",
                                              "no_memory"};

static void deploy_print_put_measured(ik_json *j, const char *key, bool measured, double value)
{
    if (measured)
        ik_json_real(j, key, value, DIGITS);
    else
        ik_json_null(j, key);
}

void ik_routing_choice_json(const ik_routing_choice *c, const char *key, ik_json *j)
{
    ik_json_array(j, key);
    for (unsigned i = 0; i < c->num; i++) {
        const ik_routing_compared *row = &c->of[i];
        bool measured = row->state == IK_COMPARED || row->state == IK_COMPARED_UNPROVED;
        ik_json_object(j, NULL);
        ik_json_text(j, "routing", row->routing);
        ik_json_text(j, "vc", row->vc);
        ik_json_text(j, "state", compared_states[row->state]);
        ik_json_bool(j, "chosen", i == c->chosen);
        ik_json_bool(j, "better", row->better);
        ik_json_uint(j, "lanes", row->lanes);
        ik_json_verdict(j, "one_manager_free", measured ? row->one_manager_free : IK_UNKNOWN);
        deploy_print_put_measured(j, "max_load", measured, row->max_load);
        deploy_print_put_measured(j, "saturation", measured, row->saturation);
        if (row->why[0])
            ik_json_text(j, "why", row->why);
        else
            ik_json_null(j, "why");
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* ---- text */

static void deploy_print_row(FILE *out, const char *name, const char *text)
{
    fprintf(out, "  %-16s %s\n", name, text);
}

static void print_lanes(const ik_deployment *d, FILE *out)
{
    if (d->lanes == 1) {
        deploy_print_row(out, "lanes", "1: no QoS policy is needed");
        return;
    }
    fprintf(out,
            "  %-16s %u, SL i on VL i; a QoS policy of %s over %s of sources and %u of "
            "destinations, %llu bytes\n",
            "lanes", d->lanes, IK_COUNT(d->policy.rules, "rule"),
            IK_COUNT(d->policy.source_groups, "group"), d->policy.dest_groups,
            (ull)d->policy.bytes);
    if (d->shared)
        fprintf(out, "  %-16s performance queries, and %s of hosts\n", "SL 0",
                IK_COUNT(d->shared, "pair"));
    else
        deploy_print_row(out, "SL 0", "performance queries alone");
}

static void print_loop(const ik_deployment *d, FILE *out)
{
    const ik_subnet_verdict *v = &d->verdict;
    char from[256], src[256], dst[256];
    if (v->loop_length == 0)
        return;
    fprintf(out, "  a cycle of %s, each held by a packet that waits for the next:\n",
            IK_COUNT(v->loop_length, "channel"));
    for (size_t i = 0; i < v->loop_length; i++) {
        const ik_subnet_loop *step = &v->loop[i];
        fprintf(out, "    %s VL %u: %s -> %s%s\n",
                ik_port_describe(d->fabric, step->channel, from, sizeof from), step->vl,
                deploy_print_lid_name(d, step->src, src, sizeof src),
                deploy_print_lid_name(d, step->dst, dst, sizeof dst),
                step->query   ? ", performance query"
                : step->reply ? ", reply"
                              : "");
    }
}

static void print_management(const ik_deployment *d, FILE *out)
{
    const ik_subnet_verdict *v = &d->verdict;
    if (v->management_free == IK_YES)
        deploy_print_row(out, "queries",
                         "performance queries of all hosts at once add no credit loop");
    else if (v->one_manager_free == IK_YES)
        deploy_print_row(
            out, "queries",
            "performance queries of one host at a time add no credit loop; those of several "
            "hosts at once can");
    else
        deploy_print_row(
            out, "queries",
            v->one_manager_free == IK_NO
                ? "performance queries, even of one host alone, can close a credit loop with "
                  "the data of lane 0; --query-lane gives them a lane"
                : "performance queries of several hosts at once can close a credit loop; of "
                  "one host it is not known");
}

const char *deploy_print_queries(const ik_routing_compared *row)
{
    return row->one_manager_free == IK_YES ? "" : ", and one more for performance queries";
}

/* How the routing was chosen. */
static void print_choice(const ik_deployment *d, FILE *out)
{
    const ik_routing_choice *c = &d->choice;
    if (!c->num)
        return;
    fprintf(out, "  %-16s the best of %u that were compared%s:\n", "chosen",
            ik_routing_choice_compared(c),
            !d->update.from   ? ""
            : c->not_compared ? " (not with what is installed: the file does not show all tables)"
                              : ", and better than what is installed");
    for (unsigned i = 0; i < c->num; i++) {
        const ik_routing_compared *row = &c->of[i];
        char name[200];
        if (row->state != IK_COMPARED)
            fprintf(out, "  %-16s not %s: %s\n", "",
                    ik_routing_compared_name(row, name, sizeof name), row->why);
        else
            fprintf(out, "  %-16s %s (%s): largest load %.4g, saturation %.4g, %s%s\n", "",
                    row->routing, row->vc, row->max_load, row->saturation,
                    IK_COUNT(row->lanes, "lane"), deploy_print_queries(row));
    }
}

/* What a routing gave for few lanes, beside balanced tables. */
static void print_trade(const ik_deployment *d, FILE *out)
{
    const ik_lane_trade *t = &d->plan->routing->trade;
    if (t->lanes == 0)
        return;
    fprintf(out, "  %-16s %s with %s at most; balanced tables need ", "few lanes",
            IK_COUNT(t->lanes, "lane"), IK_COUNT(t->max_load, "path"));
    if (t->balanced_lanes)
        fprintf(out, "%u with %llu", t->balanced_lanes, (ull)t->balanced_load);
    else
        fputs("too many", out);
    if (t->longer)
        fprintf(out, "; %s longer paths than the shortest",
                IK_COUNT(t->longer, "pair takes|pairs take"));
    fputc('\n', out);
}

static void deploy_print_verdict(const ik_deployment *d, FILE *out)
{
    const ik_subnet_verdict *v = &d->verdict;
    uint64_t lost = v->pairs - v->delivered - v->unconnected;
    fprintf(out, "  %-16s %s%s%s\n", "proved", d->proved ? "yes" : "NO: UNPROVED, ", d->why_not,
            d->proved ? ", of these files as they were read back" : "");
    fprintf(out, "  %-16s %llu, %llu delivered, %llu not, %llu that the fabric does not connect\n",
            "pairs", (ull)v->pairs, (ull)v->delivered, (ull)lost, (ull)v->unconnected);
    fprintf(out, "  %-16s %s, with replies on the lane of their request; %s, %s\n",
            "no credit loop", deploy_print_verdict_text(v->deadlock_free),
            IK_COUNT(v->vls_used, "VL"), IK_COUNT(v->dependencies, "dependency"));
    print_management(d, out);
    fprintf(out, "  %-16s %.4f on average, %u at most, between switches\n", "hops", v->mean_hops,
            v->max_hops);
    fprintf(out, "  %-16s %s at most over a channel between switches", "load",
            IK_COUNT(d->max_paths, "path"));
    if (d->minhop_fill > 0)
        fprintf(out, "; the fullest carries %.4g %% of what it does with OpenSM's minhop",
                100 * d->max_fill / d->minhop_fill);
    fputc('\n', out);
    if (d->minhop_fill > 0 && d->lanes == 1 && d->max_fill > 1.0005 * d->minhop_fill)
        fprintf(out, "  %-16s %s; --lane-curve shows what more lanes allow\n", "fuller",
                d->choice.num ? "with one lane its paths must close no cycle; those of minhop, "
                                "whose tables are not proved, may"
                              : "the routing was named: without --routing, others are compared");
    print_trade(d, out);
    lane_curve_print(d->curve, out);
    print_loop(d, out);
}

static void print_left_out(const ik_deployment *d, FILE *out)
{
    char name[256];
    if (d->num_left_out == 0)
        return;
    fprintf(out, "  %s cannot be reached and %s left out:\n", IK_COUNT(d->num_left_out, "host"),
            d->num_left_out == 1 ? "is" : "are");
    for (uint32_t i = 0; i < d->num_left_out && i < MOST_LISTED; i++)
        fprintf(out, "    %s\n", ik_node_describe(d->fabric, d->left_out[i], name, sizeof name));
    if (d->num_left_out > MOST_LISTED)
        fprintf(out, "    and %u more, in summary.json\n", d->num_left_out - MOST_LISTED);
}

static void print_update(const ik_deployment *d, FILE *out)
{
    static const char *const mixing[] = {
        "no mixture of old and new entries has a credit loop, packets in the network included: "
        "switches "
        "may be updated in any order, block by block",
        "old and new entries together can have a credit loop; none arises, packets in the network "
        "included, in the batches of update_order",
        "old and new entries together can have a credit loop, and no batches of switches without "
        "one were found: stop the traffic while tables are replaced",
        "the tables that are installed have a credit loop themselves",
        "not judged: the tables need several lanes, and hosts keep the service levels that they "
        "have"};
    const ik_deploy_update *u = &d->update;
    if (!u->from)
        return;
    fprintf(out, "  %-16s %s kept, %llu changed, %llu added, %llu removed, in %s\n", "update",
            IK_COUNT(u->kept, "entry"), (ull)u->changed, (ull)u->added, (ull)u->removed,
            IK_COUNT(u->switches, "switch"));
    if (u->missing)
        fprintf(out,
                "  %-16s %" PRIu32 " of %" PRIu32 " switches %s no table in %s: what %s with "
                "meanwhile, is not known\n",
                "WARNING", u->missing, d->fabric->num_switches, u->missing == 1 ? "has" : "have",
                u->from, u->missing == 1 ? "it holds, and mixes" : "they hold, and mix");
    if (u->levels_changed)
        fprintf(out, "  %-16s another service level for %llu of %s of hosts, which must ask anew\n",
                "", (ull)u->levels_changed, IK_COUNT(u->levels_kept + u->levels_changed, "pair"));
    else if (u->levels_kept)
        deploy_print_row(out, "", "all pairs of hosts keep their service levels");
    deploy_print_row(out, "",
                     u->repaired ? "entries that still deliver were kept"
                     : u->same_routing
                         ? "the routing's own tables: keeping old entries was not proved"
                         : "the routing's own tables: others were installed");
    if (u->lane_assumed)
        fprintf(out,
                "  %-16s %s has no service levels: the installed tables are judged as if all "
                "packets took SL 0 on one lane; if they use more, ikat audit --policy or "
                "--path-records with --sl2vl says what holds\n",
                "NOTE", u->from);
    deploy_print_row(out, "meanwhile", mixing[u->mixing]);
    if (u->mixing == IK_MIXING_ORDER)
        fprintf(out,
                "  %-16s %s; OpenSM sends blocks of 64 LIDs in an order of its own "
                "and does not wait between them: load a file per batch\n",
                "", IK_COUNT(u->num_batches, "batch"));
}

/* What the fabric is called: one of nodes and links has an empty specification. */
static const char *deploy_print_name(const ik_deployment *d)
{
    return d->name && *d->name ? d->name : "fabric";
}

void ik_deployment_print(const ik_deployment *d, FILE *out)
{
    const ik_fabric *f = d->fabric;
    fprintf(out, "%s\n", deploy_print_name(d));
    fprintf(out, "  %-16s %s\n", "folder",
            d->dry_run ? "none: a dry run, nothing was written" : d->folder);
    fprintf(out, "  %-16s %s\n", "routing", d->plan->routing->spec);
    print_choice(d, out);
    fprintf(out, "  %-16s %s\n", "VC scheme", d->plan->vc->spec);
    fprintf(out, "  %-16s %s, %s, ", "tables", IK_COUNT(f->num_switches, "switch"),
            IK_COUNT(f->num_hosts - f->num_silent, "host"));
    if (f->num_silent)
        fprintf(out, "%s in switches, ", IK_COUNT(f->num_silent, "endpoint"));
    fprintf(out, "%s, %s\n", IK_COUNT(d->lids.num, "LID"), IK_COUNT(d->entries, "entry"));
    print_lanes(d, out);
    deploy_print_verdict(d, out);
    if (d->lids.assigned)
        fprintf(
            out,
            "  %-16s %s given free ones; OpenSM goes by "
            "port GUIDs\n",
            "LIDs",
            IK_COUNT(d->lids.assigned,
                     "port has none in the fabric and was|ports have none in the fabric and were"));
    print_update(d, out);
    print_left_out(d, out);
    if (d->dry_run)
        return;
    fputs("\nCommands (also in commands.txt):\n", out);
    deploy_print_commands(d, out);
}

/* ---- JSON */

static void deploy_print_put_loop(const ik_deployment *d, ik_json *j)
{
    char name[256];
    ik_json_array(j, "credit_loop");
    for (size_t i = 0; i < d->verdict.loop_length; i++) {
        const ik_subnet_loop *step = &d->verdict.loop[i];
        ik_json_object(j, NULL);
        ik_json_text(j, "channel", ik_port_describe(d->fabric, step->channel, name, sizeof name));
        ik_json_uint(j, "vl", step->vl);
        ik_json_uint(j, "sl", step->sl);
        ik_json_bool(j, "reply", step->reply);
        ik_json_bool(j, "query", step->query);
        ik_json_text(j, "source", deploy_print_lid_name(d, step->src, name, sizeof name));
        ik_json_text(j, "destination", deploy_print_lid_name(d, step->dst, name, sizeof name));
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void deploy_print_put_trade(const ik_deployment *d, ik_json *j)
{
    const ik_lane_trade *t = &d->plan->routing->trade;
    if (t->lanes == 0) {
        ik_json_null(j, "lane_trade");
        return;
    }
    ik_json_object(j, "lane_trade");
    ik_json_uint(j, "lanes", t->lanes);
    ik_json_uint(j, "max_paths", t->max_load);
    ik_json_uint(j, "longer_pairs", t->longer);
    if (t->balanced_lanes) {
        ik_json_uint(j, "balanced_lanes", t->balanced_lanes);
        ik_json_uint(j, "balanced_max_paths", t->balanced_load);
    } else {
        ik_json_null(j, "balanced_lanes");
        ik_json_null(j, "balanced_max_paths");
    }
    ik_json_close(j);
}

static void deploy_print_put_judgement(const ik_deployment *d, ik_json *j)
{
    const ik_subnet_verdict *v = &d->verdict;
    ik_json_bool(j, "proved", d->proved);
    if (d->proved)
        ik_json_null(j, "not_proved");
    else
        ik_json_text(j, "not_proved", d->why_not);
    ik_json_object(j, "verdict");
    ik_json_uint(j, "pairs", v->pairs);
    ik_json_uint(j, "delivered", v->delivered);
    ik_json_uint(j, "undelivered", v->pairs - v->delivered - v->unconnected);
    ik_json_uint(j, "unconnected", v->unconnected);
    ik_json_uint(j, "switches_unreached", v->switches_unreached);
    ik_json_uint(j, "missing_entries", v->missing_entries);
    ik_json_uint(j, "dead_entries", v->dead_entries);
    ik_json_verdict(j, "deadlock_free", v->deadlock_free);
    ik_json_verdict(j, "management_free", v->management_free);
    ik_json_verdict(j, "one_manager_free", v->one_manager_free);
    ik_json_uint(j, "vls_used", v->vls_used);
    ik_json_uint(j, "dependencies", v->dependencies);
    ik_json_uint(j, "max_hops", v->max_hops);
    ik_json_real(j, "mean_hops", v->mean_hops, DIGITS);
    ik_json_uint(j, "max_paths", d->max_paths);
    ik_json_real(j, "paths_per_gbps", d->max_fill, DIGITS);
    ik_json_real(j, "own_paths_per_gbps", d->own_max_fill, DIGITS);
    if (d->minhop_fill > 0)
        ik_json_real(j, "minhop_paths_per_gbps", d->minhop_fill, DIGITS);
    else
        ik_json_null(j, "minhop_paths_per_gbps");
    deploy_print_put_loop(d, j);
    ik_json_close(j);
}

static void deploy_print_put_policy(const ik_deployment *d, ik_json *j)
{
    if (d->lanes == 1) {
        ik_json_null(j, "policy");
        return;
    }
    ik_json_object(j, "policy");
    ik_json_uint(j, "rules", d->policy.rules);
    ik_json_uint(j, "source_groups", d->policy.source_groups);
    ik_json_uint(j, "destination_groups", d->policy.dest_groups);
    ik_json_uint(j, "bytes", d->policy.bytes);
    ik_json_close(j);
}

static void deploy_print_put_nodes(const ik_deployment *d, ik_json *j, const char *key,
                                   const uint32_t *nodes, uint32_t num)
{
    char name[256];
    ik_json_array(j, key);
    for (uint32_t i = 0; i < num; i++)
        ik_json_text(j, NULL, ik_node_describe(d->fabric, nodes[i], name, sizeof name));
    ik_json_close(j);
}

static void deploy_print_put_update(const ik_deployment *d, ik_json *j)
{
    static const char *const mixing[] = {"safe", "order", "no_order", "old_loops", "lanes"};
    const ik_deploy_update *u = &d->update;
    char name[256];
    if (!u->from) {
        ik_json_null(j, "update");
        return;
    }
    ik_json_object(j, "update");
    ik_json_uint(j, "switches_without_tables", u->missing);
    ik_json_bool(j, "not_compared", d->choice.not_compared);
    ik_json_bool(j, "lane_assumed", u->lane_assumed);
    ik_json_bool(j, "same_routing", u->same_routing);
    ik_json_bool(j, "repaired", u->repaired);
    ik_json_uint(j, "kept", u->kept);
    ik_json_uint(j, "changed", u->changed);
    ik_json_uint(j, "added", u->added);
    ik_json_uint(j, "removed", u->removed);
    ik_json_uint(j, "switches", u->switches);
    if (u->levels_kept + u->levels_changed) {
        ik_json_uint(j, "levels_kept", u->levels_kept);
        ik_json_uint(j, "levels_changed", u->levels_changed);
    } else {
        ik_json_null(j, "levels_kept");
        ik_json_null(j, "levels_changed");
    }
    ik_json_text(j, "mixing", mixing[u->mixing]);
    ik_json_array(j, "order");
    for (uint32_t i = 0; u->mixing == IK_MIXING_ORDER && i < u->num_order; i++)
        ik_json_text(j, NULL, ik_node_describe(d->fabric, u->order[i], name, sizeof name));
    ik_json_close(j);
    ik_json_array(j, "batches"); /* how many switches of the order are in each */
    for (uint32_t i = 0, next; u->mixing == IK_MIXING_ORDER && i < u->num_order; i = next) {
        for (next = i + 1; next < u->num_order && u->batch[next] == u->batch[i];)
            next++;
        ik_json_uint(j, NULL, next - i);
    }
    ik_json_close(j);
    ik_json_close(j);
}

void ik_deployment_json(const ik_deployment *d, ik_json *j)
{
    ik_json_text(j, "fabric", deploy_print_name(d));
    if (d->dry_run)
        ik_json_null(j, "folder");
    else
        ik_json_text(j, "folder", d->folder);
    ik_json_text(j, "routing", d->plan->routing->spec);
    ik_routing_choice_json(&d->choice, "compared", j);
    ik_json_text(j, "vc", d->plan->vc->spec);
    ik_json_uint(j, "switches", d->fabric->num_switches);
    ik_json_uint(j, "hosts", d->fabric->num_hosts - d->fabric->num_silent);
    ik_json_uint(j, "endpoints", d->fabric->num_silent);
    ik_json_uint(j, "lids", d->lids.num);
    ik_json_uint(j, "lids_assigned", d->lids.assigned);
    ik_json_uint(j, "entries", d->entries);
    ik_json_uint(j, "unsafe_destinations", d->unsafe);
    ik_json_uint(j, "lanes", d->lanes);
    ik_json_uint(j, "pairs_on_sl0", d->shared);
    deploy_print_put_policy(d, j);
    deploy_print_put_judgement(d, j);
    deploy_print_put_trade(d, j);
    lane_curve_json(d->curve, j);
    deploy_print_put_nodes(d, j, "roots", d->roots, d->num_roots);
    deploy_print_put_nodes(d, j, "left_out", d->left_out, d->num_left_out);
    deploy_print_put_update(d, j);
}
