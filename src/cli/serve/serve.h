/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/serve/serve.h: the parts of `ikat serve`: the results that it shows, the processes that
 * write them, what would be if their fabrics were damaged, and the server.
 */
#ifndef IKAT_CLI_SERVE_H
#define IKAT_CLI_SERVE_H
#include "cli.h"

#include "ikat/report.h"

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

/* Does the page that was made last have a fabric, a routing or traffic of this spec? */
bool serve_results_has(serve_results *r, ik_results_list what, const char *spec);
/* The settings of a point, as ik_report_settings() gives them, out of the file that has it.
 * IK_ERR_INPUT: none has it. */
ik_status serve_results_settings(serve_results *r, uint64_t point, ik_settings **out,
                                 ik_error *err);

/* ---- folders for files that are needed for a while (serve_folder.c) */

enum { SERVE_FOLDER = 4096 };
typedef struct serve_folder {
    char path[SERVE_FOLDER];
    int lock; /* the folder, locked while it is in use; -1: there is none */
} serve_folder;
/* A new one in $TMPDIR or /tmp, whose names begin with ikat-serve-; and what removes it with all of
 * its files. */
ik_status serve_folder_make(serve_folder *f, ik_error *err);
void serve_folder_remove(serve_folder *f);
/* Removes those that servers of this user have left there which were killed: nobody holds their
 * lock, and they are older than a minute. */
void serve_folder_clean(void);

/* ---- commands in processes of their own (serve_child.c) */

typedef struct serve_child {
    int status;   /* its exit status */
    char *text;   /* [size + 1] what it printed; NULL: nothing */
    char *errors; /* what it printed to standard error, its beginning; NULL: nothing */
    size_t size;
} serve_child;
/* Runs this program with other arguments (NULL-terminated, its name first). It is ended after so
 * many seconds, or when *cancel is set. NULL, or a sentence that says why there is no result. Free
 * *out in either case. */
const char *serve_child_run(const char *const *args, double seconds, const int *cancel,
                            serve_child *out);
void serve_child_free(serve_child *c);

/* ---- what if (serve_whatif.c) */

typedef struct serve_whatif serve_whatif;
/* c: with options that its commands take, too; borrowed. NULL: no memory. */
serve_whatif *serve_whatif_open(const cli *c, serve_results *results);
void serve_whatif_close(serve_whatif *w);
/* Computes what a form asks for (`size` bytes, as a browser sends it): one at a time. The status of
 * the answer, and its text: JSON, or a sentence that says what is wrong; free. NULL: no memory. */
unsigned serve_whatif_answer(serve_whatif *w, const char *form, size_t size, char **text);
/* Ends the computation that runs. false: there is none. */
bool serve_whatif_cancel(serve_whatif *w);
/* Ends it, too, and takes no other one from now on. */
void serve_whatif_end(serve_whatif *w);
/* Makes a results file of a fabric and its routing, without simulation. */
ik_status serve_whatif_make(const cli *c, const char *fabric, const char *routing,
                            const char *folder, const char *store, ik_error *err);

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
ik_status serve_http_start(serve_results *results, serve_whatif *whatif, uint16_t port,
                           serve_http **out, ik_error *err);
/* "http://127.0.0.1:8080/TOKEN/" */
const char *serve_http_address(const serve_http *h);
uint16_t serve_http_port(const serve_http *h);
/* Closes connections that take too long; to be called several times a second. */
void serve_http_sweep(serve_http *h);
void serve_http_end(serve_http *h);

extern const char serve_script[]; /* live.js, as text */

#endif
