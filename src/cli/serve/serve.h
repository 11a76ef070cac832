/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/serve/serve.h: the parts of `ikat serve`: the results that it shows, the processes that
 * write them, and the server.
 */
#ifndef IKAT_CLI_SERVE_H
#define IKAT_CLI_SERVE_H
#include "cli.h"

/* ---- the results (serve_results.c): for any thread, but for open, close and page */

typedef struct serve_results serve_results;
/* names: results files, or folders of them, borrowed; NULL: no memory. */
serve_results *serve_results_open(const char *const *names, size_t num);
void serve_results_close(serve_results *r);
/* IK_ERR_INPUT or IK_ERR_IO if something is there that is not results of one experiment; what is
 * not there yet is no error. */
ik_status serve_results_check(serve_results *r, ik_error *err);
/* What GET status answers, as JSON; free. NULL: no memory. Reads the files at most once a second,
 * and for at most a tenth of the time. */
char *serve_results_status(serve_results *r);
/* The page of the results as they are now; free html and data. */
typedef struct serve_page {
    char *html; /* [size]; NULL: this and `data` are those of the last call */
    char *data; /* [data_size]: the elements of it that hold its data; NULL: it has none */
    size_t size, data_size;
    bool good; /* false: it says why there are no results */
} serve_page;
/* By one thread at a time. */
ik_status serve_results_page(serve_results *r, serve_page *out, ik_error *err);
/* Asks every process of this machine that writes one of the files to stop, as Ctrl-C does. The
 * number of those that were asked, with a sentence about it. */
enum { SERVE_SENTENCE = 256 };
unsigned serve_results_stop(serve_results *r, char sentence[SERVE_SENTENCE]);

/* ---- the processes (serve_stop.c) */

/* Those that were asked: a second request would end them at once. */
typedef struct serve_asked {
    int processes[64]; /* pidfd of each */
    int pids[64];
    unsigned num;
} serve_asked;
/* Finds the process that holds the lock of a run on the file, and asks it to stop, unless it was
 * asked before. 1: it is asked; 0: none of this user's was found on this machine. */
unsigned serve_stop_writer(serve_asked *a, const char *path);
void serve_stop_end(serve_asked *a);

/* ---- the server (serve_http.c) */

enum { SERVE_TOKEN = 32 }; /* letters of it: 128 random bits */
typedef struct serve_http serve_http;
/* Listens at 127.0.0.1, at any free port for 0, and answers in threads of its own until it is
 * ended. IK_ERR_IO: the port cannot be had. IK_ERR_UNSUPPORTED: there is no libmicrohttpd. */
ik_status serve_http_start(serve_results *results, uint16_t port, serve_http **out, ik_error *err);
/* "http://127.0.0.1:8080/TOKEN/" */
const char *serve_http_address(const serve_http *h);
uint16_t serve_http_port(const serve_http *h);
/* Closes connections that take too long; to be called several times a second. */
void serve_http_sweep(serve_http *h);
void serve_http_end(serve_http *h);

extern const char serve_script[]; /* live.js, as text */

#endif
