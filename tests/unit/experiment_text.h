/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment_text.h: reading the text of an experiment that is good, or that is refused at a place.
 */
#ifndef IKAT_TESTS_EXPERIMENT_TEXT_H
#define IKAT_TESTS_EXPERIMENT_TEXT_H

#include "unit/made.h"

#include "ikat/experiment.h"

static inline ik_experiment *read_ok(const char *text, const char *const *overrides)
{
    ik_experiment *e = NULL;
    ik_error err = {0};
    if (ik_experiment_read_memory(text, strlen(text), "test.yaml", overrides, &e, &err) != IK_OK)
        fail_msg("'%s': %u:%u: %s (%s)", text, err.line, err.column, err.text, err.hint);
    return e;
}

static inline void accepted(const char *text)
{
    ik_experiment_free(read_ok(text, NULL));
}

/* Where it is refused (column 0: anywhere in the line), and parts of the error and its hint (NULL:
 * any). */
static inline void refused(const char *text, unsigned line, unsigned column, const char *part,
                           const char *hint)
{
    ik_experiment *e = NULL;
    ik_error err = {0};
    ik_status status = ik_experiment_read_memory(text, strlen(text), "test.yaml", NULL, &e, &err);
    assert_int_equal(status, IK_ERR_INPUT);
    assert_null(e);
    if (err.line != line || (column && err.column != column) || !strstr(err.text, part) ||
        (hint && !strstr(err.hint, hint)))
        fail_msg("'%s' gave %u:%u: %s (%s)", text, err.line, err.column, err.text, err.hint);
    assert_string_equal(err.file, "test.yaml");
}

#endif
