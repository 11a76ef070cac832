/* SPDX-License-Identifier: Apache-2.0
 *
 * find.h: what `ikat help` knows of a word that names no command, topic or member. */
#ifndef IKAT_CLI_FIND_H
#define IKAT_CLI_FIND_H

#include "cli.h"

typedef struct cli_topic {
    const char *name, *summary, *text;
} cli_topic;

/* Whether the glossary, a command, a topic (they end with name NULL) or a member of a family has
 * the word, of at least two characters, in any case. */
bool cli_find(const char *word, const cli_topic *topics);
/* Prints them; with json as objects (kind, name, text) of the open array. */
void cli_find_print(const char *word, const cli_topic *topics, ik_json *json);

#endif
