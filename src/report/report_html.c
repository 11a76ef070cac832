/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_html.c: the page with the results inside: one file that opens from disk.
 *
 * The page (src/report/page) has a mark where the data stands. Small data stands there as
 * JSON, to be read by people and tools too; beyond a limit it is deflated and base64-coded, and the
 * browser inflates it.
 */
#define _GNU_SOURCE /* memmem */
#include "report/report_html.h"
#include "base/text_stream.h"
#include "report/report_json.h"
#include "report/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

extern const char report_page[], report_page_end[];

static const char mark[] = "<!--DATA-->";
/* PAGE_SEGMENTS: of a critical path that the page draws; PAGE_LINES: workloads with time lines */
enum { ROUTES_PLAIN_LIMIT = 1 << 16, PAGE_SEGMENTS = 200, PAGE_LINES = 8 };

/* ---- data */

static void report_html_put_base64(FILE *out, const unsigned char *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned v = (unsigned)data[i] << 16 | (i + 1 < size ? (unsigned)data[i + 1] << 8 : 0) |
                     (i + 2 < size ? data[i + 2] : 0);
        putc(digits[v >> 18], out);
        putc(digits[v >> 12 & 63], out);
        putc(i + 1 < size ? digits[v >> 6 & 63] : '=', out);
        putc(i + 2 < size ? digits[v & 63] : '=', out);
    }
}

ik_status report_html_put_element(FILE *out, const char *id, const char *text, size_t size,
                                  size_t limit, ik_error *err)
{
    if (size <= limit) {
        fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
        fwrite(text, 1, size, out);
        fputs("</script>\n", out);
        return IK_OK;
    }
    uLongf room = compressBound((uLong)size);
    unsigned char *packed = malloc(room);
    if (!packed || compress2(packed, &room, (const Bytef *)text, (uLong)size, 6) != Z_OK) {
        free(packed);
        return ik_fail_memory(err, room, "the report's data");
    }
    fprintf(out, "<script type=\"application/octet-stream\" id=\"%s\" data-encoding=\"deflate\">",
            id);
    report_html_put_base64(out, packed, room);
    fputs("</script>\n", out);
    free(packed);
    return IK_OK;
}

/* The store keeps no times, so that equal experiments are equal files; its modification time says
 * when it was written. */
static void report_html_written_at(const char *path, char *text, size_t size)
{
    struct stat st;
    struct tm tm;
    text[0] = '\0';
    if (stat(path, &st) == 0 && gmtime_r(&st.st_mtime, &tm))
        strftime(text, size, "%Y-%m-%d %H:%M UTC", &tm);
}

static ik_status report_html_make_json(const report_model *m, char **text, size_t *size,
                                       ik_error *err)
{
    char when[40];
    ik_json j;
    report_html_written_at(store_path(m->store), when, sizeof when);
    ik_json_to_text(&j, IK_JSON_PACKED);
    report_put_json(
        m, &(report_json_options){PAGE_SEGMENTS, PAGE_LINES, .drawings = true, .written = when},
        &j);
    return ik_json_end_text(&j, text, size, err);
}

/* What `ikat report --csv` prints. */
static ik_status report_html_make_plain_csv(ik_results *r, char **text, size_t *size, ik_error *err)
{
    ik_text_stream stream;
    ik_status status = ik_text_stream_open(&stream, err);
    if (status != IK_OK)
        return status;
    status = ik_results_csv(r, stream.out, err);
    ik_status closed = ik_text_stream_close(&stream, text, size, err); /* says what was the cause */
    return closed != IK_OK ? closed : status;
}

/* The same as a JSON string: the page offers the very same bytes. */
static ik_status report_html_make_csv(ik_results *r, char **text, size_t *size, ik_error *err)
{
    char *plain = NULL;
    size_t length = 0;
    ik_json j;
    ik_status status = report_html_make_plain_csv(r, &plain, &length, err);
    if (status == IK_OK) {
        ik_json_to_text(&j, IK_JSON_PACKED);
        ik_json_bytes(&j, NULL, plain, length);
        status = ik_json_end_text(&j, text, size, err);
    }
    free(plain);
    return status;
}

/* As JSON. */
static ik_status report_html_make_routes(report_model *m, char **text, size_t *size, ik_error *err)
{
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_status status = report_put_routes(m, &j, err);
    ik_status ended = ik_json_end_text(&j, text, size, status == IK_OK ? err : NULL);
    if (status != IK_OK && ended == IK_OK)
        free(*text);
    return status != IK_OK ? status : ended;
}

/* ---- the file */

static ik_status report_html_put_data(const void *results, FILE *out, ik_error *err)
{
    ik_results *r = *(ik_results *const *)results;
    report_model *m = results_model(r);
    char *text = NULL;
    size_t size = 0;
    ik_status status = report_html_make_json(m, &text, &size, err);
    if (status != IK_OK)
        return status;
    status = report_html_put_element(out, "ikat-data", text, size, REPORT_PLAIN_LIMIT, err);
    free(text);
    if (status == IK_OK)
        status = report_html_make_csv(r, &text, &size, err);
    if (status != IK_OK)
        return status;
    status = report_html_put_element(out, "ikat-csv", text, size, REPORT_PLAIN_LIMIT, err);
    free(text);
    if (status == IK_OK)
        status = report_html_make_routes(m, &text, &size, err);
    if (status != IK_OK)
        return status;
    status = report_html_put_element(out, "ikat-routes", text, size, ROUTES_PLAIN_LIMIT, err);
    free(text);
    return status;
}

ik_status report_html_put_page(FILE *out, report_html_put_fn *put, const void *of, ik_error *err)
{
    size_t size = (size_t)(report_page_end - report_page);
    const char *at = memmem(report_page, size, mark, sizeof mark - 1);
    if (!at)
        return ik_fail(err, IK_ERR_INTERNAL, "the report's page has no place for the data");
    fwrite(report_page, 1, (size_t)(at - report_page), out);
    ik_status status = put(of, out, err);
    at += sizeof mark - 1;
    fwrite(at, 1, (size_t)(report_page_end - at), out);
    return status;
}

ik_status ik_results_html(ik_results *r, const char *html_path, ik_error *err)
{
    ik_output file;
    ik_status status = ik_output_open(&file, html_path, err);
    if (status == IK_OK)
        status = report_html_put_page(file.out, report_html_put_data, &r, err);
    return ik_output_close(&file, status, err);
}

ik_status ik_report_html(const char *store_path, const char *html_path, ik_error *err)
{
    ik_results *r = NULL;
    ik_status status = ik_results_open(store_path, &r, err);
    if (status == IK_OK)
        status = ik_results_html(r, html_path, err);
    ik_results_close(r);
    return status;
}
