/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_form.h: a form that asks what would be.
 */
#ifndef IKAT_CLI_SERVE_FORM_H
#define IKAT_CLI_SERVE_FORM_H
#include "serve.h"

enum serve_form_value {
    FORM_FABRIC,
    FORM_ROUTING,
    FORM_TRAFFIC,
    FORM_FAIL,
    FORM_SLOW,
    FORM_SIMULATE,
    FORM_LOAD,
    FORM_SEED,
    FORM_POINT,
    FORM_VALUES
};

typedef struct serve_form {
    const char *value[FORM_VALUES]; /* NULL: it is not there */
    double load;
    uint64_t seed;  /* of what is drawn, such as the failures of fail=3% */
    uint64_t point; /* whose settings it takes, if it has the value */
    char *text;
} serve_form;

/* Reads "fabric=ring:n=4&routing=updown&traffic=uniform&fail=sw0.5"; false: `why` says what is
 * wrong. Free it in either case. What fabric, routing and traffic are is not checked. */
bool serve_form_read(serve_form *f, const char *text, size_t size, char why[SERVE_SENTENCE]);
void serve_form_free(serve_form *f);

#endif
