/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/json_text.c: JSON written to a stream.
 */
#include "experiment/json_text.h"

#include <math.h>
#include <stdlib.h>

/* Length of the UTF-8 sequence at s, 0 if it is none. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = s[0] < 0x80                   ? 1
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
        return 0; /* overlong, surrogate, beyond U+10FFFF */
    return n;
}

void json_put_string(FILE *out, const char *text)
{
    putc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t n = utf8_length(s);
        if (n == 0) {
            fputs("\\ufffd", out);
            s++;
            continue;
        }
        if (n > 1)
            fwrite(s, 1, n, out);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", out);
        else if (*s < 0x20 || *s == '<' || *s == 0x7f)
            fprintf(out, "\\u%04x", *s);
        else
            putc(*s, out);
        s += n;
    }
    putc('"', out);
}

void json_put_key(FILE *out, const char *key, bool first)
{
    if (!first)
        putc(',', out);
    json_put_string(out, key);
    putc(':', out);
}

void json_put_real(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.9g", value);
    else
        fputs("null", out);
}

ik_status json_text_begin(json_text *t, ik_error *err)
{
    *t = (json_text){0};
    t->out = open_memstream(&t->text, &t->size);
    return t->out ? IK_OK : ik_fail_memory(err, 0, "a JSON text");
}

ik_status json_text_end(json_text *t, char **text, size_t *size, ik_error *err)
{
    bool bad = ferror(t->out) != 0;
    if (fclose(t->out) != 0 || bad) {
        free(t->text);
        return ik_fail_memory(err, t->size, "a JSON text");
    }
    *text = t->text;
    if (size)
        *size = t->size;
    return IK_OK;
}
