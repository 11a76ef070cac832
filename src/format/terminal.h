/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs of terminals: text between colours, titles of windows, bells and backspaces.
 */
#ifndef IKAT_TERMINAL_H
#define IKAT_TERMINAL_H

#include "ikat/base.h"

/* *plain: the text without the *controls that a terminal obeys and without carriage returns, line
 * by line as it was; free(). NULL: there are no controls. O(size). */
ik_status terminal_plain(const char *text, size_t size, char **plain, size_t *length,
                         size_t *controls, ik_error *err);

#endif
