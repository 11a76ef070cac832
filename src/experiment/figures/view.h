/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/view.h: a figure, or the side of a claim, resolved against the points of a
 * sweep: which points count, and in which groups. Before a run it says what is wrong; the report
 * makes its numbers from the same groups.
 */
#ifndef IKAT_EXPERIMENT_VIEW_H
#define IKAT_EXPERIMENT_VIEW_H

#include "experiment/figures/figures.h"

enum { VIEW_PANELS = 2, VIEW_SERIES = 4, VIEW_KEYS = VIEW_PANELS + VIEW_SERIES + 2 };
/* Slots of a key: panel, series, marks, x. */
enum { KEY_PANEL, KEY_SERIES = VIEW_PANELS, KEY_MARKS = KEY_SERIES + VIEW_SERIES, KEY_X };

typedef struct view_entry {
    size_t point;
    uint32_t key[VIEW_KEYS]; /* indices of values, 0 where the figure has no such axis */
} view_entry;

typedef struct figure_view {
    const figure *f;
    figure_kind kind; /* never FIGURE_AUTO */
    axis key[VIEW_KEYS];
    bool has[VIEW_KEYS];
    /* KEY_X is x itself; false: x is a result (or there is none), and KEY_X is what varies along a
     * curve */
    bool x_is_axis;
    result_expr x, y;    /* y.text NULL: of kind time, the series is f->y */
    view_entry *entries; /* [num_entries] points that count, by key, then by number */
    size_t num_entries;
    /* normalise_by: the points that are divided by, sorted like the others. A slot of `by_any` is 0
     * in all of them: they stand for every value of it. */
    view_entry *by;
    size_t num_by;
    bool by_any[VIEW_KEYS];
} figure_view;

/* A curve or value that a claim is about: its points, by x (0 for values), then by number. */
typedef struct claim_side {
    view_entry *entries;
    size_t num_entries;
} claim_side;

typedef struct claim_view {
    const claim *c;
    axis x; /* of curves */
    bool has_x;
    name_list samples; /* axes that make samples */
    bool searched;     /* saturation is what each point's search for it found */
    claim_side *of;    /* [c->num_of] */
    claim_side against;
    bool has_against;
} claim_view;

/* Names of axes over which an experiment aggregates, beside the seeds. Everything made is in the
 * arena of `a`. IK_ERR_INPUT with a place: axes and values that do not exist, values that would be
 * mixed, addresses that match nothing or several curves. */
ik_status figure_resolve(axes *a, const figure *f, const name_list *over, figure_view *out,
                         ik_error *err);
ik_status claim_resolve(axes *a, const claim *c, const name_list *over, claim_view *out,
                        ik_error *err);

/* ---- between the parts */

typedef struct selection {
    axes *a;
    bool *chosen; /* [points] */
    size_t num;
} selection;
/* Leaves the points that match. */
ik_status select_matching(selection *s, const matches *m, const char *owner, ik_error *err);
ik_status find_placed(axes *a, const char *name, const name_list *but, const ytree *place,
                      axis *out, ik_error *err);
/* The axes that make samples: seeds, those of the experiment (all), those of a figure or claim. */
ik_status find_over(axes *a, const name_list *own, const ytree *place, const name_list *all,
                    const char *owner, name_list *out, ik_error *err);
/* Writes down the chosen points with their keys, sorted; in the arena of `a`. */
ik_status list_chosen(axes *a, const figure_view *v, const bool *chosen, view_entry **out,
                      size_t *num, ik_error *err);
void sort_entries(view_entry *entries, size_t num);
bool same_key(const view_entry *a, const view_entry *b);
/* The first of the sorted entries with the key of `like`; NULL: there is none. */
const view_entry *find_entry(const view_entry *entries, size_t num, const view_entry *like);
/* available.c: refuses a result that none of these points can have; nothing where points of the
 * sweep are not there, or there is no expression. */
ik_status check_available(axes *a, const view_entry *entries, size_t num, const result_expr *e,
                          const ytree *place, const char *owner, ik_error *err);
/* reference.c: normalise_by. First which points those are (`chosen`: all that count, and from then
 * on those that are drawn: the reference is one of them only if the figure's own axes tell it
 * apart), and once the axes are known, what is divided by which. *by: [points], to be freed. */
ik_status reference_choose(axes *a, const figure_view *v, bool *chosen, bool **by,
                           const char *owner, ik_error *err);
ik_status reference_resolve(axes *a, figure_view *v, const bool *by, const name_list *but,
                            const char *owner, ik_error *err);
/* The first axis (into `out`) in which points of one group differ, not counting `but`; false: there
 * is none. *first, *second: two such points. */
bool find_mixed(const axes *a, const view_entry *entries, size_t num, const name_list *but,
                char *out, size_t size, size_t *first, size_t *second);

#endif
