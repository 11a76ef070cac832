/* SPDX-License-Identifier: Apache-2.0
 *
 * terminal.c: how the command speaks: errors, notes, progress with rate and time left, tables,
 * JSON.
 *
 * Results go to standard output, everything else to standard error. Into a pipe go no colours and
 * no progress line.
 */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* "12 s", "3 min 05 s", "2 h 10 min" */
static void terminal_print_duration(char *buffer, size_t size, double seconds)
{
    unsigned s = seconds < 0 || seconds > 4e6 ? 0 : (unsigned)(seconds + 0.5);
    if (s < 60)
        snprintf(buffer, size, "%u s", s);
    else if (s < 3600)
        snprintf(buffer, size, "%u min %02u s", s / 60, s % 60);
    else
        snprintf(buffer, size, "%u h %02u min", s / 3600, s / 60 % 60);
}

void cli_stage(cli *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->stage, sizeof c->stage, format, args);
    va_end(args);
    ik_text_line(c->stage);
    c->meter.what[0] = '\0';
}

/* True when other work begins: the meter starts anew. */
static bool terminal_meter_starts(cli *c, const char *what, double now)
{
    if (c->meter.what[0] && strncmp(c->meter.what, what, sizeof c->meter.what - 1) == 0)
        return false;
    snprintf(c->meter.what, sizeof c->meter.what, "%s", what);
    c->meter.started = now;
    c->meter.shown = now;
    return true;
}

/* "proving valiant, proof: 12 of 64 pairs (19 %), 3.1/s, 17 s left" */
static void terminal_print_meter(const cli *c, const char *what, uint64_t done, uint64_t total,
                                 const char *unit, double elapsed)
{
    char left[32] = "?";
    double rate = elapsed > 0 ? (double)done / elapsed : 0;
    if (rate > 0)
        terminal_print_duration(left, sizeof left, (double)(total - done) / rate);
    const char *stage = strcmp(c->stage, what) == 0 ? "" : c->stage;
    fprintf(stderr, "%s%s%s: %s of %s%s%s (%.0f %%), %.3g/s, %s left", stage, stage[0] ? ", " : "",
            what, cli_count(done), cli_count(total), *unit ? " " : "", unit,
            total ? 100.0 * (double)done / (double)total : 100.0, rate, left);
}

void cli_log_progress(void *ctx, const char *what, uint64_t done, uint64_t total, const char *unit)
{
    cli *c = ctx;
    double now = ik_clock_s(CLOCK_MONOTONIC);
    if (terminal_meter_starts(c, what, now) || now - c->meter.shown < 10 || done >= total)
        return;
    c->meter.shown = now;
    terminal_print_meter(c, what, done, total, unit, now - c->meter.started);
    fputc('\n', stderr);
}

static void terminal_show_progress(void *ctx, const char *what, uint64_t done, uint64_t total,
                                   const char *unit)
{
    cli *c = ctx;
    double now = ik_clock_s(CLOCK_MONOTONIC);
    if (terminal_meter_starts(c, what, now))
        return; /* short work shows nothing */
    double elapsed = now - c->meter.started;
    if (elapsed < 0.5 || (now - c->meter.shown < 0.1 && done < total))
        return;
    c->meter.shown = now;
    fputs("\r\033[K", stderr);
    terminal_print_meter(c, what, done, total, unit, elapsed);
    fflush(stderr);
    c->meter.visible = true;
    if (done >= total)
        cli_progress_end(c);
}

void cli_progress_end(const cli *c)
{
    cli *mine = (cli *)c;
    if (mine->meter.visible)
        fputs("\r\033[K", stderr);
    mine->meter.visible = false;
    mine->meter.what[0] = '\0';
}

void cli_start(cli *c, const int *cancel)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    bool plain = (no_colour && *no_colour) || (term && strcmp(term, "dumb") == 0);
    c->colour_out = !plain && isatty(STDOUT_FILENO);
    c->colour_err = !plain && isatty(STDERR_FILENO);
    c->progress = isatty(STDERR_FILENO);
    c->memory_limit_bytes = cli_free_memory() / 10 * 9;
    c->env.cancel = cancel;
    c->env.progress_ctx = c;
    c->env.progress = c->progress ? terminal_show_progress : cli_log_progress;
}

void cli_use_cache(cli *c)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool given = base && base[0] == '/', known = given || (home && home[0] == '/');
    if (cli_has(c, "--no-cache") || !known)
        return;
    const char *folder = given ? base : home, *below = given ? "/ikat" : "/.cache/ikat";
    size_t size = strlen(folder) + strlen(below) + 1;
    c->cache_folder = malloc(size);
    if (c->cache_folder)
        snprintf(c->cache_folder, size, "%s%s", folder, below);
    c->env.cache_folder = c->cache_folder;
}

void cli_stop(cli *c)
{
    free(c->options);
    free(c->args);
    free(c->cache_folder);
}

char *cli_error_text(const ik_error *err, char *text, size_t size)
{
    char line[32] = "", column[32] = "";
    if (err->line)
        snprintf(line, sizeof line, "%u:", err->line);
    if (err->line && err->column)
        snprintf(column, sizeof column, "%u:", err->column);
    if (err->file[0]) /* a line of no file is one that the user has not written */
        snprintf(text, size, "%s:%s%s %s", err->file, line, column, err->text);
    else
        snprintf(text, size, "%s", err->text);
    return text;
}

/* A signal came: what was in progress matters, not the place in a file that it concerned. */
static void terminal_print_cancelled(const cli *c, const ik_error *err)
{
    bool says_more = err->kind == IK_ERROR_PARTLY_DONE;
    fprintf(stderr, "stopped by a signal%s%s%s%s", c->stage[0] ? " while " : "", c->stage,
            says_more ? ": " : "", says_more ? err->text : "");
}

/* What stood in the way, and how to move it. */
static void print_memory_limit(const cli *c)
{
    char limit[32];
    if (!c->memory_limit_bytes)
        return;
    ik_format_bytes(limit, sizeof limit, (double)c->memory_limit_bytes);
    if (cli_has(c, "--memory-limit"))
        fprintf(stderr, "      the limit is %s: raise --memory-limit\n", limit);
    else
        fprintf(stderr,
                "      the limit is %s, 90 %% of what was free: --memory-limit sets another\n",
                limit);
}

int cli_error(const cli *c, const ik_error *err)
{
    char text[CLI_ERROR];
    cli_progress_end(c);
    fprintf(stderr, "%sikat: ", c->colour_err ? "\033[1;31m" : "");
    if (err->status == IK_ERR_CANCELLED)
        terminal_print_cancelled(c, err);
    else
        fputs(cli_error_text(err, text, sizeof text), stderr);
    fprintf(stderr, "%s\n", c->colour_err ? "\033[0m" : "");
    if (err->hint[0])
        fprintf(stderr, "      hint: %s\n", err->hint);
    if (err->status == IK_ERR_MEMORY)
        print_memory_limit(c);
    if (err->status == IK_ERR_INTERNAL)
        fprintf(stderr, "      this is a fault of ikat itself: please report it with the command "
                        "and its input\n");
    if (err->status == IK_ERR_CANCELLED)
        return 130;
    return err->status == IK_ERR_FAILED ? CLI_FAILED : CLI_USAGE;
}

void cli_shell_word(FILE *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.,:/@=+%";
    const char *quote = *text && !text[strspn(text, plain)] ? "" : "'";
    fputs(quote, out);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            putc(*text, out);
    fputs(quote, out);
}

const char *cli_line(const char *text)
{
    static char buffers[8][4096];
    static unsigned turn;
    char *out = buffers[turn++ % 8];
    snprintf(out, sizeof buffers[0], "%s", text);
    return ik_text_line(out);
}

static void terminal_put_line(const char *format, va_list args)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, args);
    fputs(ik_text_line(text), stderr);
}

static void terminal_see_help(const cli *c)
{
    if (c->command)
        fprintf(stderr, "      see 'ikat %s -h'\n", c->command->name);
}

int cli_usage(const cli *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cli_progress_end(c);
    fputs(c->colour_err ? "\033[1;31mikat: " : "ikat: ", stderr);
    terminal_put_line(format, args);
    fputs(c->colour_err ? "\033[0m\n" : "\n", stderr);
    va_end(args);
    terminal_see_help(c);
    return CLI_USAGE;
}

int cli_usage_error(const cli *c, const ik_error *err)
{
    int status = cli_error(c, err);
    if (err->status == IK_ERR_USAGE && !err->hint[0])
        terminal_see_help(c);
    return status;
}

void cli_note(const cli *c, const char *format, ...)
{
    if (c->quiet)
        return;
    va_list args;
    va_start(args, format);
    cli_progress_end(c);
    terminal_put_line(format, args);
    fputc('\n', stderr);
    va_end(args);
}

/* Whether the other end of the pipe on standard output is closed; the error of the write itself may
 * be long past. */
static bool terminal_reader_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP));
}

static bool lacks_memory;

void cli_lack_memory(void)
{
    lacks_memory = true;
}

/* Standard output holds all that was to be printed. */
static int terminal_finish_whole(const cli *c, int status)
{
    ik_error err;
    if (!lacks_memory)
        return status;
    lacks_memory = false; /* reported once */
    ik_fail(&err, IK_ERR_MEMORY, "out of memory: the output is incomplete");
    return cli_error(c, &err);
}

/* Why an earlier write failed: nobody kept its errno, but another one fails likewise. Nothing is
 * spoilt, since the output has a hole. */
static int terminal_why_lost(void)
{
    return write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;
}

int cli_finish(const cli *c, int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return terminal_finish_whole(c, status);
    int why = errno;
    if (why != EPIPE && !terminal_reader_gone()) {
        why = why ? why : terminal_why_lost();
        fprintf(stderr, "ikat: could not write the output: %s\n", strerror(why));
        status = CLI_USAGE;
    }
    if (!freopen("/dev/null", "w",
                 stdout)) /* what is left of it is neither tried nor reported again */
        clearerr(stdout);
    return status;
}

int cli_written(const cli *c, ik_status written, const ik_error *err, int status)
{
    return written == IK_OK || ferror(stdout) ? cli_finish(c, status) : cli_error(c, err);
}

const char *cli_count(uint64_t n)
{
    static char buffers[8][32];
    static unsigned turn;
    return ik_format_whole(buffers[turn++ % 8], sizeof buffers[0], n);
}

const char *cli_counted(uint64_t n, const char *noun)
{
    static char buffers[8][64];
    static unsigned turn;
    return ik_format_whole_count(buffers[turn++ % 8], sizeof buffers[0], n, noun);
}

const char *cli_quantity(uint64_t value, ik_dimension dim)
{
    static char buffers[8][40];
    static unsigned turn;
    char *buffer = buffers[turn++ % 8];
    return dim == IK_DIM_RATE ? ik_format_rate(buffer, sizeof buffers[0], value)
                              : ik_format_quantity(buffer, sizeof buffers[0], value, dim);
}

void cli_heading(const cli *c, const char *text)
{
    printf("\n%s%s%s\n", c->colour_out ? "\033[1m" : "", text, c->colour_out ? "\033[0m" : "");
}

const char *cli_severity_colour(const cli *c, ik_severity severity)
{
    static const char *const colours[] = {
        [IK_NOTE] = "", [IK_WARNING] = "\033[33m", [IK_ERROR] = "\033[1;31m"};
    return c->colour_out ? colours[severity] : "";
}

const char *cli_reset(const cli *c)
{
    return c->colour_out ? "\033[0m" : "";
}

char *cli_beside(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path,
               *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name),
           size = length + strlen(ending) + 1;
    char *out = malloc(size);
    if (out)
        snprintf(out, size, "%.*s%s", (int)length, name, ending);
    return out;
}
