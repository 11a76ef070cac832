/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_page.c: an audit as one page of HTML without scripts and without anything from elsewhere.
 */
#include "base/utf8.h"
#include "ikat/audit.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<style>\n" /* colours and sizes are those of the report (src/report/web/style.css) */
    ":root{color-scheme:light dark;--page:#f6f6f3;--card:#fff;--ink:#1d2430;--quiet:#5b6472;"
    "--line:#dcdfe4;--error:#a3172d;--warning:#a35200;--note:#27408b;--bar:#27408b}\n"
    "@media screen and "
    "(prefers-color-scheme:dark){:root{--page:#14171d;--card:#1c2129;--ink:#e8eaef;"
    "--quiet:#a5adba;--line:#343b47;--error:#ff8a9a;--warning:#f3b45f;--note:#9db4ff;"
    "--bar:#9db4ff}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);margin:0}\n"
    "body::before{content:'';display:block;height:10px;background:#27408b}\n"
    "main{max-width:1180px;margin:0 auto;padding:16px 24px}\n"
    "h1{font-size:30px;margin:0 0 4px;line-height:1.2;overflow-wrap:anywhere}"
    "h2{font-size:20px;margin:34px 0 12px}\n"
    ".quiet{color:var(--quiet);font-size:13.5px}.sums{display:flex;gap:14px;flex-wrap:wrap;"
    "padding:0;list-style:none}.sums li,.card{background:var(--card);border-radius:8px;"
    "border:1px solid var(--line);padding:14px 18px}.sums li{min-width:130px}.sums b{"
    "font-size:24px;display:block}.sums label{color:var(--quiet);font-size:13.5px;"
    "display:block}.card svg{max-width:100%;height:auto;background:#fff}\n"
    ".error b,b.error,strong.error{color:var(--error)}.warning b,strong.warning{"
    "color:var(--warning)}.note b,strong.note{color:var(--note)}\n"
    "article{padding:.7rem 0}article+article{border-top:1px solid var(--line)}article "
    "p{margin:.2rem 0;"
    "overflow-wrap:anywhere}\n"
    "body:has(#show-error:not(:checked)) article.error,"
    "body:has(#show-warning:not(:checked)) article.warning,"
    "body:has(#show-note:not(:checked)) article.note,"
    "body:has(#show-known:not(:checked)) article.known{display:none}\n"
    "code,pre{font:0.85rem/1.45 ui-monospace,monospace}pre{overflow-x:auto;padding:.6rem;"
    "border:1px solid var(--line);border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "table{border-collapse:collapse;width:100%}.wide{overflow-x:auto}"
    "th,td{text-align:right;padding:.25rem .6rem;border-bottom:1px solid var(--line)}"
    "th:first-child,td:first-child{text-align:left}\n"
    ".bar{display:inline-block;height:.7rem;background:var(--bar);vertical-align:middle;"
    "min-width:1px}\n"
    "@media print{:root{color-scheme:light}body{font-size:11px;background:#fff}.quiet,code,"
    "pre{font-size:1em}.sums label{display:none}article,tr,svg,.card:has(svg){break-inside:avoid}"
    "h2{break-after:avoid;margin-top:16px}"
    ".card svg{max-height:9cm}}\n"
    "</style>\n";

static void audit_page_put_text(FILE *out, const char *open, const char *text, const char *close)
{
    fputs(open, out);
    utf8_print_markup(out, text);
    fputs(close, out);
}

/* ---- sums and findings */

/* How many there are, and a box that shows or hides them; a browser without :has() shows all. */
static void audit_page_put_sum(const char *name, uint64_t count, const char *more, bool shown,
                               FILE *out)
{
    fprintf(out,
            "<li class=\"%s\"><b>%" PRIu64
            "</b> %s%s<label><input type=\"checkbox\"%s id=\"show-%s\"> "
            "show</label></li>\n",
            name, count, name, more, shown ? " checked" : "", name);
}

static void audit_page_put_sums(const ik_audit *a, FILE *out)
{
    fputs("<ul class=\"sums\">\n", out);
    for (int s = IK_ERROR; s >= IK_NOTE; s--)
        audit_page_put_sum(ik_severity_name(s), a->counts[s], a->counts[s] == 1 ? "" : "s", true,
                           out);
    if (a->num_known)
        audit_page_put_sum("known", a->num_known, " before", false, out);
    fputs("</ul>\n", out);
    if (a->partial)
        fputs("<p class=\"warning\">The files do not describe the whole subnet: what follows holds "
              "for the part that they describe.</p>\n",
              out);
}

static void audit_page_put_lines(FILE *out, const char *lines)
{
    char line[2048];
    fputs("<pre>", out);
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(length < 2000 ? length : 2000), lines);
        audit_page_put_text(out, "", line, "\n");
        lines += length + (lines[length] != '\0');
    }
    fputs("</pre>\n", out);
}

static void audit_page_put_finding(const ik_audit_finding *f, FILE *out)
{
    fprintf(out, "<article class=\"%s%s\">\n<p><strong class=\"%s\">%s</strong> <code>%s</code> ",
            ik_severity_name(f->severity), f->known ? " known" : "", ik_severity_name(f->severity),
            ik_severity_name(f->severity), f->code);
    audit_page_put_text(out, f->known ? "(known) " : "", f->text, "</p>\n");
    if (f->place)
        audit_page_put_text(out, "<p class=\"quiet\">at ", f->place, "</p>\n");
    if (f->evidence)
        audit_page_put_lines(out, f->evidence);
    if (f->remedy)
        audit_page_put_text(out, "<p>", f->remedy, "</p>\n");
    fputs("</article>\n", out);
}

/* ---- routings */

static const char *audit_page_verdict_text(ik_verdict v)
{
    return v == IK_YES ? "yes" : v == IK_NO ? "<b class=\"error\">no</b>" : "not known";
}

static void audit_page_put_row(FILE *out, const char *name, const ik_audit_routing *const *r,
                               size_t num, void (*put)(FILE *, const ik_audit_routing *))
{
    fprintf(out, "<tr><td>%s</td>", name);
    for (size_t i = 0; i < num; i++) {
        fputs("<td>", out);
        put(out, r[i]);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

static void audit_page_put_pairs(FILE *out, const ik_audit_routing *r)
{
    fprintf(out, "%" PRIu64 " of %" PRIu64, r->verdict.delivered, r->verdict.pairs);
}
static void audit_page_put_switches(FILE *out, const ik_audit_routing *r)
{
    fprintf(out, "%" PRIu32, r->verdict.switches_unreached);
}
static void audit_page_put_deadlock(FILE *out, const ik_audit_routing *r)
{
    fputs(audit_page_verdict_text(r->verdict.deadlock_free), out);
}
static void audit_page_put_queries(FILE *out, const ik_audit_routing *r)
{
    fputs(audit_page_verdict_text(r->verdict.management_free), out);
}
static void audit_page_put_lanes(FILE *out, const ik_audit_routing *r)
{
    fprintf(out, "%u", r->verdict.vls_used);
}
static void audit_page_put_load(FILE *out, const ik_audit_routing *r)
{
    fprintf(out, "%.4g", r->max_load);
}
static void audit_page_put_saturation(FILE *out, const ik_audit_routing *r)
{
    fprintf(out, "%.4g", r->saturation);
}
static void audit_page_put_worst(FILE *out, const ik_audit_routing *r)
{
    fprintf(out, "%" PRIu32, r->worst);
}
static void audit_page_put_idle(FILE *out, const ik_audit_routing *r)
{
    fprintf(out, "%" PRIu64 " of %" PRIu64, r->idle_channels, r->channels);
}

static void audit_page_put_routings(const ik_audit *a, FILE *out)
{
    const ik_audit_routing *r[2];
    size_t num = 0;
    if (a->has_tables)
        r[num++] = &a->installed;
    if (a->has_proposed)
        r[num++] = &a->proposed;
    if (!num)
        return;
    fputs("<h2>Routing</h2>\n<div class=\"card wide\"><table>\n<tr><th></th>", out);
    if (a->has_tables)
        fputs("<th>installed</th>", out);
    if (a->has_proposed) {
        audit_page_put_text(out, "<th>ikat would install ", a->proposed.spec, ", ");
        audit_page_put_text(out, "", a->proposed.vc, "</th>");
    }
    fputs("</tr>\n", out);
    audit_page_put_row(out, "host pairs delivered", r, num, audit_page_put_pairs);
    audit_page_put_row(out, "switches that some host does not reach", r, num,
                       audit_page_put_switches);
    audit_page_put_row(out, "deadlock-free, replies included", r, num, audit_page_put_deadlock);
    audit_page_put_row(out, "and with performance queries", r, num, audit_page_put_queries);
    audit_page_put_row(out, "virtual lanes in use", r, num, audit_page_put_lanes);
    audit_page_put_row(out, "largest load when all hosts send to all, in hosts' rates", r, num,
                       audit_page_put_load);
    audit_page_put_row(out, "offered load at saturation", r, num, audit_page_put_saturation);
    audit_page_put_row(out, "most flows of a permutation on a link", r, num, audit_page_put_worst);
    audit_page_put_row(out, "channels without any path", r, num, audit_page_put_idle);
    fputs("</table></div>\n", out);
    if (a->has_tables)
        audit_page_put_text(out, "<p>The installed tables were made by: ",
                            a->engine.name ? a->engine.name : "unknown", ". ");
    if (a->has_tables)
        audit_page_put_text(out, "<span class=\"quiet\">", a->engine.text, "</span></p>\n");
}

static void audit_page_put_group(const ik_load_group *g, double largest, FILE *out)
{
    double width = largest > 0 ? 12.0 * g->max / largest : 0;
    fprintf(out, "<tr><td>%s", ik_direction_name(g->direction));
    if (g->level)
        fprintf(out, ", level %" PRIu32, g->level);
    fprintf(out,
            "</td><td>%" PRIu64 "</td><td>%.4g</td><td>%.4g</td><td>%.4g</td>"
            "<td style=\"text-align:left\"><span class=\"bar\" style=\"width:%.2frem\"></span>"
            "</td></tr>\n",
            g->channels, g->min, g->mean, g->max, width);
}

static void audit_page_put_balance(const ik_audit_routing *r, const char *title, FILE *out)
{
    double largest = 0;
    fprintf(out,
            "<h2>%s</h2>\n<div class=\"card wide\"><table>\n<tr><th>channels</th><th>number</th>"
            "<th>least load</th><th>mean</th><th>largest</th><th></th></tr>\n",
            title);
    for (size_t i = 0; i < r->num_groups; i++)
        if (r->groups[i].max > largest)
            largest = r->groups[i].max;
    for (size_t i = 0; i < r->num_groups; i++)
        audit_page_put_group(&r->groups[i], largest, out);
    fputs("</table></div>\n", out);
}

/* More circles and lines than this are no picture. */
#define AUDIT_PAGE_DRAWN 2000

static ik_status audit_page_put_fabric(const ik_audit *a, FILE *out, ik_error *err)
{
    if (a->fabric->num_switches > AUDIT_PAGE_DRAWN)
        return IK_OK;
    fputs("<h2>Fabric</h2>\n<div class=\"card\"><p class=\"quiet\">Switches, with the numbers of "
          "their hosts; slow links are red.</p>",
          out);
    ik_status status = ik_fabric_draw_loads(a->fabric, NULL, out, err);
    fputs("</div>\n", out);
    return status;
}

/* Two pictures of the fabric: as measured, as predicted. */
static ik_status audit_page_put_pictures(const ik_audit *a, FILE *out, ik_error *err)
{
    const ik_audit_measured *m = &a->measured;
    if (!a->has_counters || m->channels == 0)
        return IK_OK;
    fprintf(out,
            "<h2>Measured loads</h2>\n<p>Within %.4g s channels between switches carried %.2f %% "
            "of their rate on average. Cables from blue (idle) to red (full); dotted: not "
            "measured.</p>\n<div class=\"card wide\">",
            a->counters.interval_s, 100 * m->mean);
    ik_status status = ik_fabric_draw_loads(a->fabric, a->counters.used, out, err);
    fputs("</div>\n", out);
    if (status != IK_OK || !m->predicted)
        return status;
    fprintf(out,
            "<p>The same, if as much were sent evenly by all hosts to all others; correlation with "
            "what was measured: %.2f.</p>\n<div class=\"card wide\">",
            m->likeness);
    status = ik_fabric_draw_loads(a->fabric, m->predicted, out, err);
    fputs("</div>\n", out);
    return status;
}

/* Routings that were not compared, or not proved, and why. */
static void audit_page_put_reasons(const ik_audit *a, FILE *out)
{
    bool any = false;
    for (unsigned i = 0; i < a->choice.num; i++) {
        const ik_routing_compared *row = &a->choice.of[i];
        char name[200];
        if (!row->why[0])
            continue;
        fputs(any ? "" : "<h2>Routings that are not compared or not proved</h2>\n<ul>\n", out);
        any = true;
        audit_page_put_text(out, "<li>", ik_routing_compared_name(row, name, sizeof name), ": ");
        audit_page_put_text(out, "", row->why, "</li>\n");
    }
    fputs(any ? "</ul>\n" : "", out);
}

ik_status ik_audit_print_page(const ik_audit *a, const char *title, FILE *out, ik_error *err)
{
    fputs(head, out);
    audit_page_put_text(out, "<title>Audit of ", title, "</title>\n</head>\n<body><main>\n");
    audit_page_put_text(out, "<h1>Audit of ", title, "</h1>\n");
    fprintf(out, "<p class=\"quiet\">%s, %s",
            IK_COUNT(a->fabric->num_hosts - a->fabric->num_silent, "host"),
            IK_COUNT(a->fabric->num_switches, "switch"));
    if (a->fabric->num_levels)
        fprintf(out, ", a tree of %s", IK_COUNT(a->fabric->num_levels, "level"));
    fprintf(out, "; ikat %s</p>\n", ik_version());
    if (a->cabling.summary)
        audit_page_put_text(out, "<p>", a->cabling.summary, "</p>\n");
    audit_page_put_sums(a, out);
    fputs("<h2>Findings</h2>\n<div class=\"card\">\n", out);
    for (size_t i = 0; i < a->num_findings; i++)
        audit_page_put_finding(&a->findings[i], out);
    if (a->num_findings == a->num_known)
        fputs(a->num_known ? "<p>Nothing new.</p>\n" : "<p>Nothing.</p>\n", out);
    fputs("</div>\n", out);
    ik_status status = audit_page_put_fabric(a, out, err);
    if (status != IK_OK)
        return status;
    audit_page_put_routings(a, out);
    audit_page_put_reasons(a, out);
    if (a->has_tables)
        audit_page_put_balance(&a->installed, "Loads of the installed routing", out);
    if (a->has_proposed)
        audit_page_put_balance(&a->proposed, "Loads of what ikat would install", out);
    status = audit_page_put_pictures(a, out, err);
    if (status != IK_OK)
        return status;
    fputs("</main></body>\n</html>\n", out);
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "the page could not be written") : IK_OK;
}
