/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_http.c: the server: some addresses below a token, for programs of this machine.
 *
 * libmicrohttpd reads requests and writes answers, in a thread for each connection. It is loaded
 * when it is needed: linked, it and the libraries that it brings would take a third of the time
 * that a short command takes. Whatever its time limits are, a client that sends a byte now and
 * then keeps a connection: they are closed here instead.
 */
#define _GNU_SOURCE /* getrandom */
#include "serve.h"

#ifdef IKAT_MICROHTTPD
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>

static const char serve_library[] = "libmicrohttpd.so.12";

enum {
    CONNECTIONS = 48,
    REQUEST_S = 10,        /* until a request is there */
    ANSWER_S = 300,        /* until its answer is read, from when it is ready */
    HEAD_BYTES = 16 << 10, /* of a request: its line and headers, and as much for its answer's */
    BODY_BYTES = 16 << 10,
    STACK_BYTES = 1 << 20
};

/* Functions of libmicrohttpd, by their names without MHD_. */
#define SERVE_FUNCTIONS(X)                                                                         \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(get_daemon_info)                                                                             \
    X(create_response_from_buffer)                                                                 \
    X(add_response_header)                                                                         \
    X(queue_response)                                                                              \
    X(destroy_response)                                                                            \
    X(lookup_connection_value)                                                                     \
    X(get_connection_info)

typedef struct serve_mhd {
    void *handle;
#define SERVE_MEMBER(name) __typeof__(MHD_##name) *name;
    SERVE_FUNCTIONS(SERVE_MEMBER)
#undef SERVE_MEMBER
} serve_mhd;

/* A connection; it has one request. */
typedef struct serve_client {
    int socket;
    bool used, answering;
    double since; /* it was made, or its answer is ready; 0: its answer is being made */
    size_t size;
    char body[BODY_BYTES]; /* [size] */
} serve_client;

struct serve_http {
    serve_results *results;
    serve_whatif *whatif;
    serve_mhd mhd;
    struct MHD_Daemon *daemon;
    uint16_t port;
    char token[SERVE_TOKEN + 1], address[64 + SERVE_TOKEN];
    pthread_mutex_t clients_lock;
    serve_client clients[CONNECTIONS];
    pthread_mutex_t page_lock;
    struct MHD_Response *page, *data; /* those that were made last */
};

/* ---- connections */

static void serve_http_on_connection(void *server, struct MHD_Connection *connection,
                                     void **client_of, enum MHD_ConnectionNotificationCode what)
{
    serve_http *h = server;
    pthread_mutex_lock(&h->clients_lock);
    serve_client *client = *client_of;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            h->mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        for (size_t i = 0; info && i < CONNECTIONS && !client; i++)
            if (!h->clients[i].used)
                client = &h->clients[i];
        if (client) {
            client->socket = info->connect_fd;
            client->used = true;
            client->answering = false;
            client->since = ik_clock_s(CLOCK_MONOTONIC);
            client->size = 0;
        }
        *client_of = client;
    } else if (client) {
        client->used = false;
    }
    pthread_mutex_unlock(&h->clients_lock);
}

static serve_client *serve_http_client(const serve_http *h, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        h->mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* since 0: for as long as it takes. */
static void serve_http_time(serve_http *h, serve_client *client, bool answering, double since)
{
    pthread_mutex_lock(&h->clients_lock);
    client->answering = answering;
    client->since = since;
    pthread_mutex_unlock(&h->clients_lock);
}

void serve_http_sweep(serve_http *h)
{
    double now = ik_clock_s(CLOCK_MONOTONIC);
    pthread_mutex_lock(&h->clients_lock); /* no socket is closed meanwhile */
    for (size_t i = 0; i < CONNECTIONS; i++) {
        serve_client *client = &h->clients[i];
        if (client->used && client->since > 0 &&
            now - client->since > (client->answering ? ANSWER_S : REQUEST_S))
            shutdown(client->socket, SHUT_RDWR);
    }
    pthread_mutex_unlock(&h->clients_lock);
}

/* ---- answers */

/* Headers of every answer: no other page may show it, keep it or learn its address, and it loads
 * nothing from elsewhere. */
static void serve_http_dress(const serve_http *h, struct MHD_Response *answer, const char *type)
{
    static const char *const headers[][2] = {
        {"Connection", "close"},
        {"Cache-Control", "no-store"},
        {"Referrer-Policy", "no-referrer"},
        {"X-Content-Type-Options", "nosniff"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'; "
         "img-src data: blob:; connect-src 'self' data:; form-action 'none'; base-uri 'none'; "
         "frame-ancestors 'none'"}};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        h->mhd.add_response_header(answer, headers[i][0], headers[i][1]);
    h->mhd.add_response_header(answer, "Content-Type", type);
}

static struct MHD_Response *serve_http_make(const serve_http *h, char *text, size_t size,
                                            enum MHD_ResponseMemoryMode memory, const char *type)
{
    struct MHD_Response *answer = h->mhd.create_response_from_buffer(size, text, memory);
    if (answer)
        serve_http_dress(h, answer, type);
    else if (memory == MHD_RESPMEM_MUST_FREE)
        free(text);
    return answer;
}

static enum MHD_Result serve_http_send(const serve_http *h, struct MHD_Connection *connection,
                                       unsigned status, struct MHD_Response *answer)
{
    enum MHD_Result sent = answer ? h->mhd.queue_response(connection, status, answer) : MHD_NO;
    if (answer)
        h->mhd.destroy_response(answer);
    return sent;
}

static enum MHD_Result serve_http_say(const serve_http *h, struct MHD_Connection *connection,
                                      unsigned status, const char *sentence)
{
    return serve_http_send(h, connection, status,
                           serve_http_make(h, (char *)(uintptr_t)sentence, strlen(sentence),
                                           MHD_RESPMEM_MUST_COPY, "text/plain; charset=utf-8"));
}

static enum MHD_Result serve_http_refuse_method(const serve_http *h,
                                                struct MHD_Connection *connection,
                                                const char *allowed)
{
    static char sentence[] = "This address does not take requests of this kind.\n";
    struct MHD_Response *answer = serve_http_make(
        h, sentence, sizeof sentence - 1, MHD_RESPMEM_PERSISTENT, "text/plain; charset=utf-8");
    if (answer)
        h->mhd.add_response_header(answer, "Allow", allowed);
    return serve_http_send(h, connection, MHD_HTTP_METHOD_NOT_ALLOWED, answer);
}

/* ---- the addresses */

static struct MHD_Response *serve_http_make_html(const serve_http *h, struct MHD_Response *old,
                                                 char *html, size_t size)
{
    if (old)
        h->mhd.destroy_response(old); /* whoever reads it keeps it */
    return html ? serve_http_make(h, html, size, MHD_RESPMEM_MUST_FREE, "text/html; charset=utf-8")
                : NULL;
}

/* Made once for all who ask while the results do not change. Of a page without results the data is
 * the page. */
static enum MHD_Result serve_http_send_of_page(serve_http *h, struct MHD_Connection *connection,
                                               bool data)
{
    serve_page page;
    ik_error err;
    enum MHD_Result sent;
    pthread_mutex_lock(&h->page_lock);
    ik_status status = serve_results_page(h->results, &page, &err);
    if (status == IK_OK && page.html) {
        h->page = serve_http_make_html(h, h->page, page.html, page.size);
        h->data = serve_http_make_html(h, h->data, page.data, page.data_size);
    }
    struct MHD_Response *answer = data && page.good ? h->data : h->page;
    if (status != IK_OK || !answer)
        sent = serve_http_say(h, connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
                              status != IK_OK ? err.text : "out of memory");
    else
        sent = h->mhd.queue_response(
            connection, page.good ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, answer);
    pthread_mutex_unlock(&h->page_lock);
    return sent;
}

static enum MHD_Result serve_http_send_page(serve_http *h, struct MHD_Connection *connection)
{
    return serve_http_send_of_page(h, connection, false);
}

static enum MHD_Result serve_http_send_data(serve_http *h, struct MHD_Connection *connection)
{
    return serve_http_send_of_page(h, connection, true);
}

static enum MHD_Result serve_http_send_script(serve_http *h, struct MHD_Connection *connection)
{
    return serve_http_send(h, connection, MHD_HTTP_OK,
                           serve_http_make(h, (char *)(uintptr_t)serve_script, strlen(serve_script),
                                           MHD_RESPMEM_PERSISTENT,
                                           "text/javascript; charset=utf-8"));
}

static enum MHD_Result serve_http_send_status(serve_http *h, struct MHD_Connection *connection)
{
    char *text = serve_results_status(h->results);
    if (!text)
        return serve_http_say(h, connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
    return serve_http_send(
        h, connection, MHD_HTTP_OK,
        serve_http_make(h, text, strlen(text), MHD_RESPMEM_MUST_FREE, "application/json"));
}

static enum MHD_Result serve_http_stop_runs(serve_http *h, struct MHD_Connection *connection)
{
    char sentence[SERVE_SENTENCE];
    unsigned asked = serve_results_stop(h->results, sentence);
    return serve_http_say(h, connection, asked ? MHD_HTTP_OK : MHD_HTTP_CONFLICT, sentence);
}

static enum MHD_Result serve_http_compute(serve_http *h, struct MHD_Connection *connection)
{
    const serve_client *client = serve_http_client(h, connection);
    char *text = NULL;
    unsigned status = serve_whatif_answer(h->whatif, client->body, client->size, &text);
    if (!text)
        return serve_http_say(h, connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
    return serve_http_send(
        h, connection, status,
        serve_http_make(h, text, strlen(text), MHD_RESPMEM_MUST_FREE,
                        status == MHD_HTTP_OK ? "application/json" : "text/plain; charset=utf-8"));
}

static enum MHD_Result serve_http_cancel(serve_http *h, struct MHD_Connection *connection)
{
    return serve_whatif_cancel(h->whatif)
               ? serve_http_say(h, connection, MHD_HTTP_OK, "It is being cancelled.")
               : serve_http_say(h, connection, MHD_HTTP_CONFLICT, "Nothing is computed.");
}

static const struct serve_route {
    const char *path, *method;
    enum MHD_Result (*answer)(serve_http *h, struct MHD_Connection *connection);
} serve_routes[] = {
    {"", "GET", serve_http_send_page},          {"data", "GET", serve_http_send_data},
    {"live.js", "GET", serve_http_send_script}, {"status", "GET", serve_http_send_status},
    {"stop", "POST", serve_http_stop_runs},     {"whatif", "POST", serve_http_compute},
    {"cancel", "POST", serve_http_cancel}};

/* ---- requests */

/* Names of this machine, with any port: it may be another one at the near end of a tunnel. A page
 * from elsewhere whose name was made to mean this machine has its own name here. */
static bool serve_http_is_meant(const serve_http *h, struct MHD_Connection *connection)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    const char *host = h->mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    size_t length = host ? strcspn(host, ":") : 0;
    if (!host ||
        (host[length] && strspn(host + length + 1, "0123456789") != strlen(host) - length - 1))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncasecmp(host, names[i], length) == 0)
            return true;
    return false;
}

/* The addresses here have no escapes: one with them is another one. */
static size_t serve_http_keep_escapes(void *none, struct MHD_Connection *connection, char *text)
{
    (void)none, (void)connection;
    return strlen(text);
}

/* What stands behind the token; NULL: it is another one. Takes as long wherever they differ. */
static const char *serve_http_below_token(const serve_http *h, const char *url)
{
    unsigned char differ = 0;
    if (strlen(url) < SERVE_TOKEN + 2)
        return NULL;
    for (size_t i = 0; i < SERVE_TOKEN; i++)
        differ |= (unsigned char)(url[1 + i] ^ h->token[i]);
    differ |= (unsigned char)(url[0] ^ '/') | (unsigned char)(url[1 + SERVE_TOKEN] ^ '/');
    return differ ? NULL : url + SERVE_TOKEN + 2;
}

static enum MHD_Result serve_http_answer(serve_http *h, struct MHD_Connection *connection,
                                         const char *url, const char *method)
{
    const struct serve_route *route = NULL;
    if (!serve_http_is_meant(h, connection))
        return serve_http_say(h, connection, MHD_HTTP_FORBIDDEN,
                              "This server answers to 127.0.0.1 and localhost alone.\n");
    if (strcmp(method, "GET") != 0 && strcmp(method, "POST") != 0)
        return serve_http_refuse_method(h, connection, "GET, POST");
    const char *path = serve_http_below_token(h, url);
    for (size_t i = 0; path && i < sizeof serve_routes / sizeof *serve_routes; i++)
        if (strcmp(path, serve_routes[i].path) == 0)
            route = &serve_routes[i];
    if (!route)
        return serve_http_say(h, connection, MHD_HTTP_NOT_FOUND, "There is nothing here.\n");
    if (strcmp(method, route->method) != 0)
        return serve_http_refuse_method(h, connection, route->method);
    return route->answer(h, connection);
}

/* Called when the headers are there, for each part of a body, and at the end. */
static enum MHD_Result serve_http_on_request(void *server, struct MHD_Connection *connection,
                                             const char *url, const char *method,
                                             const char *version, const char *body, size_t *size,
                                             void **client_of)
{
    serve_http *h = server;
    serve_client *client = serve_http_client(h, connection);
    (void)version;
    if (!client)
        return MHD_NO;
    if (!*client_of) {
        *client_of = client;
        return MHD_YES;
    }
    if (*size) {
        if (*size > BODY_BYTES - client->size)
            return MHD_NO;
        memcpy(client->body + client->size, body, *size);
        client->size += *size;
        *size = 0;
        return MHD_YES;
    }
    serve_http_time(h, client, false, 0);
    enum MHD_Result sent = serve_http_answer(h, connection, url, method);
    serve_http_time(h, client, true, ik_clock_s(CLOCK_MONOTONIC));
    return sent;
}

/* ---- begin and end */

static ik_status serve_http_load(serve_mhd *mhd, ik_error *err)
{
    static const char *const names[] = {
#define SERVE_NAME(name) "MHD_" #name,
        SERVE_FUNCTIONS(SERVE_NAME)
#undef SERVE_NAME
    };
    void **const functions[] = {
#define SERVE_PLACE(name) (void **)(void *)&mhd->name,
        SERVE_FUNCTIONS(SERVE_PLACE)
#undef SERVE_PLACE
    };
    mhd->handle = dlopen(serve_library, RTLD_NOW | RTLD_LOCAL);
    bool found = mhd->handle;
    for (size_t i = 0; found && i < sizeof names / sizeof *names; i++)
        found = (*functions[i] = dlsym(mhd->handle, names[i]));
    if (found)
        return IK_OK;
    ik_fail(err, IK_ERR_UNSUPPORTED, "'ikat serve' needs a library that cannot be loaded: %.300s",
            dlerror());
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "it is libmicrohttpd: 'apt install libmicrohttpd12' in Debian; 'ikat report' "
                   "makes the page without it");
}

static ik_status serve_http_draw_token(serve_http *h, ik_error *err)
{
    unsigned char bytes[SERVE_TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return ik_fail(err, IK_ERR_IO, "no random bytes can be had for the address: %s",
                       strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(h->token + 2 * i, 3, "%02x", bytes[i]);
    return IK_OK;
}

static ik_status serve_http_listen(serve_http *h, uint16_t port, ik_error *err)
{
    struct sockaddr_in here = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    errno = 0;
    h->daemon = h->mhd.start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, port, NULL,
        NULL, serve_http_on_request, h, MHD_OPTION_SOCK_ADDR, &here, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_BYTES,
        MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK_BYTES, MHD_OPTION_NOTIFY_CONNECTION,
        serve_http_on_connection, h, MHD_OPTION_UNESCAPE_CALLBACK, serve_http_keep_escapes, NULL,
        MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        h->daemon ? h->mhd.get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (info) {
        h->port = info->port;
        snprintf(h->address, sizeof h->address, "http://127.0.0.1:%u/%s/", (unsigned)h->port,
                 h->token);
        return IK_OK;
    }
    ik_fail(err, IK_ERR_IO, "port %u of 127.0.0.1 cannot be had: %s", (unsigned)port,
            strerror(errno ? errno : EADDRINUSE));
    return ik_hint(err, IK_ERR_IO, "without --port, any free port is taken");
}

ik_status serve_http_start(serve_results *results, serve_whatif *whatif, uint16_t port,
                           serve_http **out, ik_error *err)
{
    serve_http *h = ik_calloc(1, sizeof *h);
    if (!h)
        return ik_fail_memory(err, sizeof *h, "the server");
    h->results = results;
    h->whatif = whatif;
    pthread_mutex_init(&h->clients_lock, NULL);
    pthread_mutex_init(&h->page_lock, NULL);
    ik_status status = serve_http_load(&h->mhd, err);
    if (status == IK_OK)
        status = serve_http_draw_token(h, err);
    if (status == IK_OK)
        status = serve_http_listen(h, port, err);
    if (status == IK_OK)
        *out = h;
    else
        serve_http_end(h);
    return status;
}

void serve_http_end(serve_http *h)
{
    if (!h)
        return;
    if (h->whatif)
        serve_whatif_end(h->whatif); /* whoever waits for it is answered */
    if (h->daemon)
        h->mhd.stop_daemon(h->daemon);
    if (h->page)
        h->mhd.destroy_response(h->page);
    if (h->data)
        h->mhd.destroy_response(h->data);
    if (h->mhd.handle)
        dlclose(h->mhd.handle);
    pthread_mutex_destroy(&h->clients_lock);
    pthread_mutex_destroy(&h->page_lock);
    free(h);
}

const char *serve_http_address(const serve_http *h)
{
    return h->address;
}

uint16_t serve_http_port(const serve_http *h)
{
    return h->port;
}

#else /* built without it */

ik_status serve_http_start(serve_results *results, serve_whatif *whatif, uint16_t port,
                           serve_http **out, ik_error *err)
{
    (void)results, (void)whatif, (void)port, (void)out;
    ik_fail(err, IK_ERR_UNSUPPORTED,
            "this ikat was built without libmicrohttpd, which 'ikat "
            "serve' needs");
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "install libmicrohttpd-dev and build ikat again; 'ikat report' makes the page "
                   "without it");
}

const char *serve_http_address(const serve_http *h)
{
    (void)h;
    return "";
}

uint16_t serve_http_port(const serve_http *h)
{
    (void)h;
    return 0;
}

void serve_http_sweep(serve_http *h)
{
    (void)h;
}

void serve_http_end(serve_http *h)
{
    (void)h;
}

#endif
