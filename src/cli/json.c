/* SPDX-License-Identifier: Apache-2.0
 *
 * json.c: what --json prints of every subcommand.
 */
#include "cli.h"

#include <string.h>

void cli_json_begin_list(ik_json *j)
{
    ik_json_to_file(j, stdout, IK_JSON_INDENTED);
    ik_json_object(j, NULL);
}

void cli_json_begin(ik_json *j)
{
    cli_json_begin_list(j);
    ik_json_uint(j, "version", IK_JSON_VERSION);
}

static char *json_append(char *at, const char *text)
{
    size_t size = strlen(text);
    memcpy(at, text, size + 1);
    return at + size;
}

/* The names and notes of ik_command.json as a sentence: each byte becomes two at most. */
static void json_describe(const char *members, char *out)
{
    bool type = false, note = false;
    for (const char *c = members; *c; c++) {
        if (*c == '\'') {
            out = json_append(out, note ? ")" : " (");
            note = !note;
        } else if (note) {
            *out++ = *c;
        } else if (*c == '{') {
            out = json_append(out, " (");
            type = false;
        } else if (*c == '}') {
            *out++ = ')';
        } else if (*c == ' ') {
            out = json_append(out, ", ");
            type = false;
        } else if (*c == ':' || *c == '?') {
            type = true;
        } else if (!type && *c != ']') {
            *out++ = *c;
        }
    }
    json_append(out, ".");
}

const char *cli_details(const ik_command *command, ik_arena *arena)
{
    if (!command->json)
        return command->details;
    char *members = ik_arena_alloc(arena, 2 * strlen(command->json) + 2);
    if (!members)
        return NULL;
    json_describe(command->json, members);
    return ik_arena_printf(arena, "%s\nWith --json: version (of the format), %s", command->details,
                           members);
}

int cli_json_end(const cli *c, ik_json *j)
{
    ik_error err;
    ik_json_close(j);
    ik_status status = ik_json_end(j, &err);
    /* a write that failed is reported once, by cli_finish */
    return status == IK_OK || status == IK_ERR_IO ? CLI_DONE : cli_error(c, &err);
}

void cli_json_band(ik_json *j, const ik_load_band *b)
{
    ik_json_real(j, "minimal", b->minimal, CLI_DIGITS);
    ik_json_real(j, "valiant", b->valiant, CLI_DIGITS);
    ik_json_real(j, "split_minimal", b->split_minimal, CLI_DIGITS);
    ik_json_real(j, "split", b->split, CLI_DIGITS);
    ik_json_real(j, "low", b->low, CLI_DIGITS);
    ik_json_real(j, "high", b->high, CLI_DIGITS);
}

void cli_json_note(ik_json *j, const char *note)
{
    if (note)
        ik_json_text(j, "note", cli_line(note));
}

void cli_json_uints(ik_json *j, const char *key, const uint64_t *values, size_t num)
{
    ik_json_array(j, key);
    for (size_t i = 0; i < num; i++)
        ik_json_uint(j, NULL, values[i]);
    ik_json_close(j);
}
