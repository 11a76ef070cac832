/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figures.h: the figures that an experiment declares, with their numbers.
 */
#ifndef IKAT_REPORT_FIGURES_H
#define IKAT_REPORT_FIGURES_H

#include "experiment/figures/view.h"
#include "ikat/report.h"
#include "report/terminal.h"

/* The samples of one place of a figure: points that differ in seeds, and what is aggregated over,
 * alone. */
typedef struct figure_cell {
    uint32_t key[VIEW_KEYS];
    estimate x;      /* of a result; of an axis its number, or the place among its values */
    estimate y;      /* mean of the samples, NAN without any */
    double *samples; /* [num] ascending */
    size_t *rows;    /* of the samples, until they are sorted */
    size_t num;
    size_t missing;    /* points that have no such result */
    size_t infeasible; /* points without a result because their routing is infeasible */
    size_t deadlocks;  /* samples that a deadlock ended */
    /* points whose value would be another one in a longer run (a latency past saturation, any value
     * of a point that is not steady); those that are not steady alone */
    size_t unsteady, open;
} figure_cell;

typedef struct figure_curve {
    const char *name; /* values of series and marks; "" of a figure without both */
    const char *series, *marks;
    size_t panel;       /* index */
    size_t colour;      /* number of its series among those of the figure */
    size_t mark;        /* number of its value of `marks`, else colour */
    figure_cell *cells; /* [num] by ascending x */
    size_t num;
} figure_curve;

/* A link that packets between two hosts take, from switch `sw` to the next one, `order` links
 * after the first. */
typedef struct map_step {
    uint32_t from, to, order, sw, next;
} map_step;

/* Of kind routes: the switches where they stand, in [0, 1] with y downwards, and what packets
 * take. */
typedef struct figure_map {
    size_t num_switches, num_links, num_steps;
    double *x, *y;
    const char **names;
    uint32_t (*links)[2];
    map_step *steps;
    uint32_t *ends; /* switches of the hosts that are drawn, that to which they send last */
    size_t num_ends;
} figure_map;

typedef struct figure_data {
    ik_arena arena;
    const figure *f;
    figure_view v;
    figure_curve *curves;
    const char **panels; /* [num_panels], "" of a figure without panels */
    size_t num_curves, num_panels;
    /* [num_categories] of an x that is no number, or of the places of a list with names; NULL = it
     * is a number */
    const char **categories;
    size_t num_categories;
    const char *x_title, *x_unit, *y_title, *y_unit;
    /* samples, those without a value, those that would be others in a longer run, of these
     * of points that are not steady */
    size_t num_points, num_missing, num_infeasible, num_unsteady, num_open;
    size_t num_listless;  /* points without the list that is drawn */
    size_t num_deadlocks; /* samples that a deadlock ended */
    size_t unfinished;    /* points of the experiment that are not there yet */
    const char *caption;
    figure_map *maps; /* [num_curves] of kind routes, else NULL */
} figure_data;

typedef struct claim_result claim_result;

/* All points of a sweep that is not finished, by number. */
typedef struct sweep_points {
    axes a;
    size_t *row;    /* [a.num_points] index in the model's rows, SIZE_MAX = not there; NULL = the
                    whole is not read yet */
    bool *left_out; /* [a.num_points] no run can finish it */
} sweep_points;
/* Points of a claim that was resolved against the whole sweep: all of them, those that are not
 * finished, and those that are left out. */
typedef struct sweep_count {
    size_t all, missing, left_out;
} sweep_count;

/* The figures of a store and the axes of its points: read once for all figures and claims, and a
 * part of the model. */
typedef struct figure_book {
    const report_model *m;
    bool opened; /* all was read */
    ik_arena arena;
    axes a;
    name_list over;
    figure *figures;
    claim *claims;
    size_t num_figures, num_claims;
    sweep_points sweep;
    claim_result *judged; /* [num_claims], NULL = nobody asked yet */
} figure_book;
/* *out belongs to the model. */
ik_status figures_open(const report_model *m, figure_book **out, ik_error *err);
/* The axes of the points, whether or not figures are declared. *out belongs to the model. */
ik_status figures_axes(const report_model *m, axes **out, ik_error *err);
/* IK_ERR_INPUT with the nearest name. */
ik_status figures_find(const figure_book *b, const char *name, const figure **out, ik_error *err);
/* The numbers of a figure; free with figure_data_free, after a failure too. */
ik_status figure_data_make(figure_book *b, const figure *f, figure_data *out, ik_error *err);
void figure_data_free(figure_data *d);
/* routes.c: fills d->maps; IK_ERR_INPUT where there is no such host, or the file holds no
 * routes. */
ik_status figure_read_maps(const report_model *m, figure_data *d, ik_error *err);
/* places.c: the names of the places of all lists, each once and in the order of every list where
 * those agree: *names [*num_names] in the arena, the texts are those of the lists. */
ik_status figure_merge_places(const value_list *lists, size_t num, ik_arena *arena,
                              const char ***names, size_t *num_names, ik_error *err);
/* Titles, names along x and the caption of what is filled otherwise (words.c). */
ik_status figure_words(figure_data *d, ik_error *err);

/* Whether point rows[i] adds no sample of an expression to those before it: model_is_repeat. */
bool figure_is_repeat(const report_model *m, const size_t *rows, size_t num, size_t i,
                      const result_expr *e);
/* What an expression is of a point; NAN: it has no such result, as a latency where no packet was
 * delivered. */
double figure_result(const report_row *r, const result_expr *e);
/* Whether it would be the same in a longer run; true where no expression is given. */
bool figure_lasts(const report_row *r, const result_expr *e);
/* Of finite samples; a mean of NAN without any. */
estimate figure_mean(const double *samples, size_t num);
/* The p-quantile of sorted samples, between neighbours linear (type 7 of Hyndman and Fan); NAN
 * without any. */
double figure_quantile(const double *sorted, size_t num, double p);
/* The box of a cell: quartiles, and the furthest samples within 1.5 times the distance between
 * them. */
typedef struct figure_box {
    double low, q1, median, q3, high;
} figure_box;
figure_box figure_box_of(const figure_cell *c);
/* Edges of bins of equal and round width over all samples of the figure: [*num_bins + 1], in its
 * arena. Without `bins` of the figure, by the rule of Freedman and Diaconis. */
ik_status figure_bins(figure_data *d, double **edges, size_t *num_bins, ik_error *err);
/* Samples in [from, to), or in [from, to] with `closed`. */
size_t figure_count(const figure_cell *c, double from, double to, bool closed);
/* 1, 2 or 5 times a power of ten, at least `least`. */
double figure_round_step(double least);

/* A picture (draws numbers as categories where the kind has places: d is changed). */
ik_status figure_put_picture(figure_data *d, ik_figure_format format, FILE *out, ik_error *err);
/* Member `figures`: name, title, wide (178 mm), caption, svg and csv of each; of one that cannot be
 * made yet `missing`, which says why. */
void figures_put_json(ik_json *j, const report_model *m);
/* The numbers as CSV, and as a table in a terminal. */
ik_status figure_put_csv(figure_data *d, FILE *out, ik_error *err);
ik_status figure_put_table(figure_data *d, const terminal_page *p, ik_error *err);

/* Section "Figures" of the summary: their names; nothing without any. */
ik_status figures_put_terminal(const terminal_page *p, ik_error *err);

/* ---- claims */

/* One side: INFINITY = it never saturates; num SIZE_MAX: a number of the claim itself. */
typedef struct claim_number {
    double mean, ci95;
    size_t num;
    bool exact;
    bool by_time; /* the interval is that of the runs themselves, of which there are one or two */
    const char *why; /* it has no value, NULL = it has one */
    double range;    /* the part of ci95 that is no chance: between two loads, or not told */
} claim_number;

/* What may be done to the results of a claim without another verdict (power.c). */
typedef enum claim_blind {
    BLIND_NOT,
    BLIND_EXCHANGED,
    BLIND_INVERSE,
    BLIND_BEYOND,
    BLIND_TENTH,
    BLIND_ORDER
} claim_blind;
/* "" of BLIND_NOT. */
const char *claim_blind_text(claim_blind blind);

struct claim_result {
    const claim *c;
    ik_claim_verdict verdict;
    claim_number left, right; /* of an order its first and its last */
    size_t pair;              /* of an order: the one that decides is not below the next, from 1 */
    const char *why;          /* why it cannot be told, "" if it can */
    double margin;            /* as ik_claim has it; of an order the smallest */
    claim_blind blind;        /* BLIND_NOT where it does not hold */
};

/* [b->num_claims], in the book's arena; judged once. */
ik_status claims_judge(figure_book *b, const claim_result **out, ik_error *err);
/* unfinished.c: b->sweep; IK_ERR_INPUT: the experiment cannot be read any more. */
ik_status sweep_points_open(figure_book *b, ik_error *err);
void sweep_points_free(sweep_points *s);
sweep_count sweep_points_count(const sweep_points *s, const claim_view *v);
/* Section "Claims" of the summary; nothing without any. */
ik_status claims_put_terminal(const terminal_page *p, ik_error *err);
/* Member `claims`. */
void claims_put_json(ik_json *j, const report_model *m);

#endif
