/* SPDX-License-Identifier: Apache-2.0
 *
 * scale.c: `ikat compare --scale A..B`: how many hosts each family reaches with switches of a given
 * radix, as table and plot.
 */
#include "scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct curve_points {
    const ik_series *series;
    double *hosts; /* [radices], NAN = none */
} curve_points;

typedef struct scale_table {
    const cli *c;
    uint32_t low, high;
    double *radix;
    curve_points *curves;
    size_t num_curves;
} scale_table;

static bool scale_parse_range(const char *text, uint32_t *low, uint32_t *high)
{
    char *end;
    unsigned long a = strtoul(text, &end, 10), b = a;
    if (end != text && strncmp(end, "..", 2) == 0) {
        const char *rest = end + 2;
        b = strtoul(rest, &end, 10);
        if (end == rest)
            return false;
    }
    *low = (uint32_t)a;
    *high = (uint32_t)b;
    return end != text && *end == 0 && a >= 1 && a <= b && b <= 4096;
}

static size_t scale_count_series(const cli *c, curve_points *curves)
{
    size_t n = 0;
    for (const ik_topology *const *t = ik_topologies(); *t; t++) {
        for (const ik_series *s = (*t)->series; s && s->name; s++) {
            if (cli_wants_series(c, s, *t)) {
                if (curves)
                    curves[n].series = s;
                n++;
            }
        }
    }
    return n;
}

static bool scale_fill(scale_table *x)
{
    size_t radices = x->high - x->low + 1;
    x->num_curves = scale_count_series(x->c, NULL);
    x->curves = calloc(x->num_curves + 1, sizeof *x->curves);
    x->radix = calloc(radices, sizeof *x->radix);
    if (!x->curves || !x->radix)
        return false;
    scale_count_series(x->c, x->curves);
    for (size_t i = 0; i < radices; i++)
        x->radix[i] = x->low + (double)i;
    for (size_t k = 0; k < x->num_curves; k++) {
        x->curves[k].hosts = calloc(radices, sizeof(double));
        if (!x->curves[k].hosts)
            return false;
        for (size_t i = 0; i < radices; i++) {
            ik_scale_point p;
            x->curves[k].hosts[i] =
                ik_series_largest(x->curves[k].series, x->low + (uint32_t)i, &p) ? p.hosts : NAN;
        }
    }
    return true;
}

static ik_status scale_draw(const scale_table *x, const char *path, ik_error *err)
{
    ik_curve *curves = calloc(x->num_curves + 1, sizeof *curves);
    ik_output file;
    ik_status s = curves ? ik_output_open(&file, path, err)
                         : ik_fail_memory(err, x->num_curves * sizeof *curves, "a plot");
    if (s != IK_OK) {
        free(curves);
        return s;
    }
    for (size_t k = 0; k < x->num_curves; k++) {
        curves[k] = (ik_curve){x->curves[k].series->name, x->radix, x->curves[k].hosts,
                               x->high - x->low + 1};
    }
    s = ik_plot_svg(file.out, "Hosts reached with switches of a given radix", "ports per switch",
                    "hosts", true, curves, x->num_curves, err);
    free(curves);
    return ik_output_close(&file, s, err);
}

static void scale_put_hosts(ik_json *j, const scale_table *x, const curve_points *curve)
{
    ik_json_object(j, "hosts_by_radix");
    for (uint32_t r = x->low; r <= x->high; r++) {
        char key[16];
        double n = curve->hosts[r - x->low];
        snprintf(key, sizeof key, "%u", r);
        ik_json_known(j, key, !isnan(n), isnan(n) ? 0 : (uint64_t)n);
    }
    ik_json_close(j);
}

static int scale_show_json(const scale_table *x)
{
    ik_json j;
    cli_json_begin(&j);
    ik_json_array(&j, "scale");
    for (size_t k = 0; k < x->num_curves; k++) {
        const ik_series *s = x->curves[k].series;
        ik_json_object(&j, NULL);
        ik_json_text(&j, "series", s->name);
        ik_json_text(&j, "summary", s->summary ? s->summary : "");
        scale_put_hosts(&j, x, &x->curves[k]);
        ik_json_close(&j);
    }
    ik_json_close(&j);
    return cli_json_end(x->c, &j);
}

static int scale_show_table(const scale_table *x)
{
    char(*names)[64] = calloc(x->num_curves + 1, sizeof *names);
    const char **headers = calloc(x->num_curves + 2, sizeof *headers);
    if (!names || !headers) {
        free(names);
        free(headers);
        cli_lack_memory();
        return CLI_DONE;
    }
    headers[0] = "radix>";
    for (size_t k = 0; k < x->num_curves; k++) {
        snprintf(names[k], sizeof names[k], "%.60s>", x->curves[k].series->name);
        headers[k + 1] = names[k];
    }
    cli_table *t = cli_table_new(headers);
    for (uint32_t r = x->low; r <= x->high; r++) {
        cli_table_cell(t, "%u", r);
        for (size_t k = 0; k < x->num_curves; k++) {
            double n = x->curves[k].hosts[r - x->low];
            cli_table_cell(t, "%s", isnan(n) ? "" : cli_count((uint64_t)n));
        }
    }
    cli_table_print(t, stdout, x->c->colour_out);
    free(names);
    free(headers);
    return CLI_DONE;
}

int cli_compare_scale(cli *c)
{
    scale_table x = {.c = c};
    const char *plot = cli_get(c, "--plot");
    ik_error err;
    int status = CLI_DONE;
    if (!scale_parse_range(cli_get(c, "--scale"), &x.low, &x.high)) {
        return cli_usage(c, "--scale takes a range of radices like 8..64 (1 to 4096), not '%s'",
                         cli_get(c, "--scale"));
    }
    bool ok = scale_fill(&x);
    if (!ok)
        ik_fail_memory(&err, x.num_curves * sizeof *x.curves, "a table of sizes");
    else if (plot)
        ok = scale_draw(&x, plot, &err) == IK_OK;
    if (!ok)
        status = cli_error(c, &err);
    else if (c->json)
        status = scale_show_json(&x);
    else
        status = cli_finish(c, scale_show_table(&x));
    for (size_t k = 0; x.curves && k < x.num_curves; k++)
        free(x.curves[k].hosts);
    free(x.curves);
    free(x.radix);
    return status;
}
