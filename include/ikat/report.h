/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/report.h: from a result store to something a person looks at: terminal tables, CSV, JSON,
 * one HTML file.
 */
#ifndef IKAT_REPORT_H
#define IKAT_REPORT_H

#include "ikat/base.h"

#include <stdio.h>

IK_BEGIN_DECLS

/* Writes the self-contained HTML report of a result store (atomically: temporary file, then
 * rename). */
ik_status ik_report_html(const char *store_path, const char *html_path, ik_error *err);
/* Summary tables for a terminal. width 0 = 80 columns; colour only if asked for. */
ik_status ik_report_terminal(const char *store_path, FILE *out, unsigned width, bool colour,
                             ik_error *err);
/* One row a point. */
ik_status ik_report_csv(const char *store_path, FILE *out, ik_error *err);
/* Another table: what congestion and classes of the traffic hold for every curve and load (of the
 * first seed; "classes": of every point). IK_ERR_USAGE if there is no table of that name. */
ik_status ik_report_csv_table(const char *store_path, const char *table, FILE *out, ik_error *err);
/* Names of the tables, ending with NULL; the first one is that of ik_report_csv. */
extern const char *const ik_report_tables[];
/* The same table for a terminal: what all rows share is said once, columns without values are left
 * out, and one that is wider than `width` is cut into several. width and colour as in
 * ik_report_terminal. */
ik_status ik_report_table(const char *store_path, const char *table, FILE *out, unsigned width,
                          bool colour, ik_error *err);
/* A figure that the experiment declares (section figures): as a table for a terminal (width and
 * colour as in ik_report_terminal), as CSV (a row per place of a curve), or as a picture.
 * IK_ERR_INPUT with the nearest name if there is none of that name. */
typedef enum ik_figure_format {
    IK_FIGURE_TABLE,
    IK_FIGURE_CSV,
    IK_FIGURE_SVG,
    IK_FIGURE_PDF,
    IK_FIGURE_PNG /* 300 dots per inch */
} ik_figure_format;
ik_status ik_report_figure(const char *store_path, const char *name, ik_figure_format format,
                           FILE *out, unsigned width, bool colour, ik_error *err);
/* What results say of a claim: it holds, it differs, it cannot be told, or it is not asked of a run
 * with overrides or at this scale. */
typedef enum ik_claim_verdict {
    IK_CLAIM_HOLDS,
    IK_CLAIM_DIFFERS,
    IK_CLAIM_UNTOLD,
    IK_CLAIM_NOT_ASKED
} ik_claim_verdict;
/* "holds", "differs", "cannot be told" or "not asked". */
const char *ik_claim_verdict_name(ik_claim_verdict verdict);
/* How many claims there are of each, and how many of those that differ say why they are known to
 * (`differs`). */
typedef struct ik_verdicts {
    size_t hold, differ, untold, not_asked, recorded;
} ik_verdicts;
/* Counts one more; differs: why it is known to, "" = it is not. */
void ik_verdicts_add(ik_verdicts *v, ik_claim_verdict verdict, const char *differs);
/* Of the claims of the experiment (section expect); without any, the results are not read. */
ik_status ik_report_verdicts(const char *store_path, ik_verdicts *out, ik_error *err);
/* The lives of watched packets (section watch), stage by stage, as text; nothing without any. */
ik_status ik_report_watch(const char *store_path, FILE *out, ik_error *err);
/* The documented object that the HTML report embeds. */
ik_status ik_report_json(const char *store_path, FILE *out, ik_error *err);
/* The same without drawings and without the utilisation of single channels. execution: JSON text
 * that says how the points were run, which the results do not hold as they do not depend on it; the
 * object's value of that name. NULL = left out. */
ik_status ik_report_json_brief(const char *store_path, const char *execution, FILE *out,
                               ik_error *err);

/* A results file that is read once for all that is made of it; the functions above read it for each
 * call. Holds all that a report needs in memory; for one thread at a time. Later writes to the file
 * are not seen. Close with ik_results_close. */
typedef struct ik_results ik_results;
ik_status ik_results_open(const char *store_path, ik_results **out, ik_error *err);
void ik_results_close(ik_results *r);
/* Points that are finished, and those of the whole sweep. */
void ik_results_points(const ik_results *r, uint64_t *finished, uint64_t *total);
/* Specs of what the points have, as commands take them. */
typedef enum ik_results_list {
    IK_RESULTS_FABRICS, /* in the order of the report's object */
    IK_RESULTS_ROUTINGS,
    IK_RESULTS_TRAFFIC
} ik_results_list;
/* The i-th of them, r's; NULL: there are fewer. A routing stands there for each fabric, traffic for
 * each point. Cost O(1). */
const char *ik_results_spec(const ik_results *r, ik_results_list what, size_t i);
/* A section of an experiment that a point has a value of. */
typedef enum ik_setting {
    IK_SETTING_FABRIC, /* fabric, routing and traffic: as ik_results_spec() has them */
    IK_SETTING_ROUTING,
    IK_SETTING_VC,
    IK_SETTING_VCS,
    IK_SETTING_SELECTION,
    IK_SETTING_SWITCH,
    IK_SETTING_ADAPTER,
    IK_SETTING_MEASURE,
    IK_SETTING_TRAFFIC,
    IK_NUM_SETTINGS
} ik_setting;
extern const char *const ik_setting_names[]; /* "fabric" … as an experiment names the sections */
/* The settings of one point. Of families and numbers a text as an experiment takes it; of sections
 * with parameters "buffer=32 KiB,queues=fifo". Only what differs from the defaults; NULL: the
 * section has its default. */
typedef struct ik_settings {
    const char *value[IK_NUM_SETTINGS]; /* its own */
} ik_settings;
/* id: its number in the sweep, "id" of the report's object. IK_ERR_INPUT if the file has no such
 * point. Free with ik_settings_free. Cost: a copy of the file. */
ik_status ik_report_settings(const char *store_path, uint64_t id, ik_settings **out, ik_error *err);
void ik_settings_free(ik_settings *s);
/* As ik_report_html, ik_report_csv and ik_report_figure. */
ik_status ik_results_html(ik_results *r, const char *html_path, ik_error *err);
ik_status ik_results_csv(ik_results *r, FILE *out, ik_error *err);
ik_status ik_results_figure(ik_results *r, const char *name, ik_figure_format format, FILE *out,
                            unsigned width, bool colour, ik_error *err);

/* A setting in which points of a results file differ: a whole section ("routing", "load"), or a
 * parameter in its texts ("fabric.k"), by the names that figures have for axes
 * (docs/experiments.md). */
typedef struct ik_results_axis {
    const char *name;
    const char *section; /* "fabric" of "fabric.k", else the same as `name` */
    const char *unit;    /* "ns", "bytes", "Gb/s", "m", "%" (numbers are fractions); "" = none */
    bool numeric;        /* every value is a number, in one unit */
    uint32_t num;        /* different values */
    const char *const *texts;  /* [num] in the order of the points */
    const char *const *labels; /* [num] as much as tells a value from the others */
    const double *numbers;     /* [num] NAN where it is none */
    const uint32_t *of;        /* [points] index of a point's value; IK_NONE = it has none */
} ik_results_axis;
typedef struct ik_results_axes {
    const ik_results_axis *axes; /* [num] a section, then its parameters that differ */
    size_t num;
    uint64_t num_points; /* finished, in the order of the table "points" */
} ik_results_axes;
/* All of them but those of `over` ([num_over], borrowed), whose values make samples: texts that
 * differ in these parameters alone are one value. "seeds" is an axis, too. IK_ERR_INPUT, with the
 * nearest name: no point has such a setting. Free with ik_results_axes_free. O(points * sections)
 * at the first call, later O(points * axes). */
ik_status ik_results_axes_make(ik_results *r, const char *const *over, size_t num_over,
                               ik_results_axes **out, ik_error *err);
void ik_results_axes_free(ik_results_axes *a);

/* The mean of a result over points that differ in samples alone (seeds, and what is drawn). */
typedef struct ik_results_mean {
    double mean; /* NAN without any sample */
    double ci95; /* half the width of its 95 % confidence interval; NAN with fewer than two */
    uint64_t samples;
} ik_results_mean;
/* points: [num] ascending numbers of points, in the order of the table "points". A point whose run
 * repeats that of another seed is no sample of its own, as in figures. IK_ERR_USAGE: no
 * result of this name, or no such point. O(num^2). */
ik_status ik_results_mean_of(ik_results *r, const char *result, const uint64_t *points, size_t num,
                             ik_results_mean *out, ik_error *err);

/* A file of a sweep: that of all its points, or of a shard. */
typedef struct ik_sweep_file {
    const char *path;
    uint64_t done; /* points that it holds */
    /* What the run that writes it is to finish, with all that were finished before; 0: it came to
     * its end, and is not known any more. */
    uint64_t points;
    unsigned jobs;    /* processors of this run; 0 = it was stopped, or came to its end */
    double left_s;    /* until its end, at the pace it had; NAN = not known yet, or 0 points */
    double written_s; /* seconds since the file was written or touched */
    bool held;        /* a run on this machine writes it */
    /* held; or of a run that has not ended, on another machine or of another file (a copy), and
     * written in the last 5 minutes */
    bool running;
} ik_sweep_file;

/* Points that failed, or that no run can finish. */
typedef struct ik_sweep_failure {
    const char *kind;       /* "deadlock", "not completed", "proof failed" or "left out" */
    uint64_t first, points; /* number of the first in the sweep, and how many there are */
    const char *what, *why; /* "dmodk with uniform at load 0.6, seed 2, on …" */
} ik_sweep_failure;

/* How far a sweep is. A point that several files have counts once. */
typedef struct ik_sweep_status {
    const char *title, *experiment; /* "" if it has none; the name of its file */
    uint64_t points;                /* of the whole sweep */
    uint64_t done, running, left_out;
    uint64_t left;              /* neither done, running nor left out */
    double left_s;              /* of the running file that takes longest; NAN = not known */
    const ik_sweep_file *files; /* [num_files] */
    size_t num_files;
    const ik_sweep_failure *failures; /* [num_failures], those left out last */
    size_t num_failures;
    uint64_t failed; /* points of all kinds but "left out", counted once */
} ik_sweep_status;

/* Reads how far the sweep is whose results, or shards of them, lie in files, folders (with all
 * their files that end with .db) or patterns. Files that are being written are read as they are at
 * this moment. IK_ERR_INPUT: files of different experiments or versions, or no results.
 * Free with ik_sweep_status_free. Cost: a copy of each file. */
ik_status ik_sweep_status_read(const char *const *paths, size_t num, ik_sweep_status **out,
                               ik_error *err);
void ik_sweep_status_free(ik_sweep_status *s);

/* One curve of a plot: num points, x ascending. y NAN = no point there (the curve is
 * interrupted). */
typedef struct ik_curve {
    const char *name;
    const double *x, *y;
    size_t num;
} ik_curve;
/* Draws curves as a self-contained SVG picture with axes, grid and a legend; log_y: logarithmic,
 * values <= 0 are left out. The numbers of every point stand in the picture's text (title
 * elements), so that it can be read without its program. */
ik_status ik_plot_svg(FILE *out, const char *title, const char *x_label, const char *y_label,
                      bool log_y, const ik_curve *curves, size_t num_curves, ik_error *err);

IK_END_DECLS
#endif
