/* SPDX-License-Identifier: Apache-2.0
 *
 * read_csv.c: lists of messages with their times:
 *
 *     time_ns,src,dst,bytes,tag              this line may be missing, and so may the tag
 *     1500,0,3,4096,7
 *
 * Open loop: a message is sent at its time, whatever has become of those before. The file is read
 * twice, for the number of ranks is that of the largest one. */
#include "traffic/program/trace_scan.h"

#include <string.h>

#define MOST_NS (PROGRAM_MOST_PS / 1000)

typedef struct message {
    uint64_t ps, src, dst, bytes, tag;
} message;

static bool csv_is_title(const scan *s)
{
    return s->at < s->end && ((*s->at >= 'a' && *s->at <= 'z') || (*s->at >= 'A' && *s->at <= 'Z'));
}

static bool csv_is_empty(const scan *s)
{
    return s->at == s->end || *s->at == '#';
}

static ik_status csv_comma(scan *s, const char *what, ik_error *err)
{
    scan_blanks(s);
    if (!scan_char(s, ','))
        return scan_fail(s, err, "expected a comma and %s", what);
    scan_blanks(s);
    return IK_OK;
}

static ik_status csv_read_number(scan *s, const char *what, uint64_t most, uint64_t *value,
                                 ik_error *err)
{
    ik_status status = csv_comma(s, what, err);
    return status == IK_OK ? trace_uint(s, what, most, value, err) : status;
}

static ik_status csv_read_message(scan *s, message *m, ik_error *err)
{
    *m = (message){0};
    ik_status status = trace_decimal(s, "a time in ns", 3, PROGRAM_MOST_PS, &m->ps, err);
    if (status == IK_OK)
        status = csv_read_number(s, "the rank that sends", IK_NONE - 1, &m->src, err);
    if (status == IK_OK)
        status = csv_read_number(s, "the rank that receives", IK_NONE - 1, &m->dst, err);
    if (status == IK_OK)
        status = csv_read_number(s, "bytes", PROGRAM_MOST, &m->bytes, err);
    if (status == IK_OK && !scan_at_end(s))
        status = csv_read_number(s, "a tag", PROGRAM_MOST_TAG, &m->tag, err);
    if (status == IK_OK && !scan_at_end(s))
        return scan_fail(s, err, "expected the end of the line");
    return status;
}

static ik_status csv_add_message(program *p, const scan *s, const message *m, ik_error *err)
{
    program_task time, send;
    uint32_t src = (uint32_t)m->src, dst = (uint32_t)m->dst, tag = (uint32_t)m->tag;
    program_place(p, s->file, s->line);
    ik_status status = program_send(p, src, dst, 0, tag, m->bytes, &send, err);
    if (status == IK_OK)
        status = program_recv(p, dst, src, 0, tag, PROGRAM_MOST, NULL, err);
    if (status == IK_OK && m->ps) {
        status = program_calc_on(p, src, IK_NO_CPU, m->ps, &time, err);
        program_after(p, send, time, false);
    }
    return status;
}

/* p NULL: *ranks becomes the number of ranks. */
static ik_status csv_read_lines(ik_text_lines *l, program *p, uint64_t *ranks, ik_error *err)
{
    scan s;
    message m;
    bool more = true, first = true;
    ik_status status = IK_OK;
    while (status == IK_OK) {
        status = trace_next(l, &s, &more, err);
        if (status != IK_OK || !more)
            break;
        scan_blanks(&s);
        bool title = first && csv_is_title(&s);
        if (csv_is_empty(&s))
            continue;
        first = false;
        if (title)
            continue;
        if (s.cut && !p)
            return scan_fail(
                &(scan){s.file, s.next, s.text_end, s.line_start, s.end, s.end, s.line, true}, err,
                "expected the end of the last line");
        status = csv_read_message(&s, &m, err);
        if (status == IK_OK && p)
            status = csv_add_message(p, &s, &m, err);
        uint64_t most = m.src > m.dst ? m.src : m.dst;
        *ranks = *ranks > most ? *ranks : most + 1;
    }
    return status;
}

static ik_status csv_pass(const program_source *s, program *p, uint64_t *ranks, const ik_env *env,
                          ik_error *err)
{
    ik_text_lines l = {0};
    ik_status status = ik_text_lines_open(&l, s->files[0], env, err);
    if (status == IK_OK)
        status = csv_read_lines(&l, p, ranks, err);
    ik_text_lines_close(&l);
    return status;
}

static ik_status csv_read_csv(program *p, const program_source *s, const ik_env *env, ik_error *err)
{
    uint64_t ranks = 0;
    ik_status status = trace_one_file(s, "csv", err);
    program_place(p, s->files[0], 1);
    if (status == IK_OK)
        status = csv_pass(s, NULL, &ranks, env, err);
    if (status == IK_OK && !ranks)
        return ik_fail_at(err, IK_ERR_INPUT, s->files[0], 1, 1, "no message in the file");
    if (status == IK_OK)
        status = program_begin(p, (uint32_t)ranks, err);
    return status == IK_OK ? csv_pass(s, p, &ranks, env, err) : status;
}

/* Commas, and in the first line titles or numbers. */
static unsigned csv_probe(const program_source *s)
{
    const char *at = s->head;
    while (*at == '#' || *at == '\n' || *at == '\r') {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    if (strncmp(at, "time_ns,", 8) == 0)
        return 100;
    size_t length = strspn(at, "0123456789., \t");
    unsigned commas = 0;
    for (size_t k = 0; k < length; k++)
        commas += at[k] == ',';
    bool line = length && (at[length] == '\n' || at[length] == '\r' || !at[length]);
    return line && (commas == 3 || commas == 4) ? 60 : 0;
}

const program_reader program_reader_csv = {
    .name = "csv",
    .summary = "a list of messages: time_ns,src,dst,bytes[,tag]; each is sent at its time",
    .source = "one message per line",
    .probe = csv_probe,
    .read = csv_read_csv,
};
