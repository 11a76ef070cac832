/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_watch.c: the lives of watched packets, stage by stage: as rows of a table and as
 * text for a terminal. */
#include "ikat/report.h"
#include "report/report_csv.h"

#include <inttypes.h>
#include <string.h>

static uint64_t report_watch_whole(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static const char *report_watch_word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void report_watch_name_channel(const report_fabric *f, const json_t *event, char *name,
                                      size_t size)
{
    const json_t *channel = json_object_get(event, "channel");
    name[0] = '\0';
    if (channel && json_integer_value(channel) < (json_int_t)f->num_channels)
        model_name_channel(f, (uint32_t)json_integer_value(channel), name, size);
}

/* ---- the table */

static void report_watch_put_time(FILE *out, const json_t *event, const char *key)
{
    const json_t *value = json_object_get(event, key);
    putc(',', out);
    if (value)
        fprintf(out, "%.12g", (double)json_integer_value(value) / 1e3);
}

static void report_watch_put_event(FILE *out, const report_model *m, const report_row *row,
                                   const json_t *packet, const json_t *event)
{
    char name[200];
    const report_fabric *f = &m->fabrics[row->fabric];
    csv_curve(out, m, row->fabric, row->plan, row->traffic, row->variant, row->load);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ":%" PRIu64, row->seed,
            report_watch_whole(packet, "source"), report_watch_whole(packet, "number"));
    csv_value(out, json_object_get(packet, "destination"));
    csv_value(out, json_object_get(packet, "bytes"));
    report_watch_put_time(out, event, "time_ps");
    report_watch_put_time(out, event, "until_ps");
    fprintf(out, ",%s,%s,", event ? report_watch_word(event, "stage") : "not sent",
            report_watch_word(event, "reason"));
    report_watch_name_channel(f, event, name, sizeof name);
    ik_text_csv(out, name);
    csv_value(out, json_object_get(event, "vc"));
    csv_value(out, json_object_get(event, "ahead"));
    putc('\n', out);
}

ik_status csv_put_watch(report_model *m, FILE *out, ik_error *err)
{
    csv_header(out, m,
               "load,seed,packet,destination,bytes,time_ns,until_ns,stage,reason,channel,vc,ahead");
    for (size_t i = 0; i < m->num_rows; i++) {
        const json_t *packet, *event;
        size_t k, n;
        json_array_foreach(m->rows[i].watch, k, packet)
        {
            const json_t *events = json_object_get(packet, "events");
            if (!json_is_true(json_object_get(packet, "sent")))
                report_watch_put_event(out, m, &m->rows[i], packet, NULL);
            json_array_foreach(events, n, event)
                report_watch_put_event(out, m, &m->rows[i], packet, event);
        }
    }
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the lives of packets") : IK_OK;
}

/* ---- text */

/* What an event says, before the name of its channel. */
static void report_watch_describe(const json_t *event, char *text, size_t size)
{
    static const char *const sentences[][2] = {
        {"generated", "generated"},
        {"injected", "sent by its host:"},
        {"arrived", "at the switch, by"},
        {"routed", "asks for"},
        {"vc", "has won a VC of"},
        {"granted", "has won the crossbar to"},
        {"queued", "in the output buffer of"},
        {"sent", "on the link"},
        {"received", "at its host, by"},
        {"delivered", "delivered"},
        {"dropped", "given up: no route leads on from"},
        {"link", "waits for the link, which sends others:"},
        {"credit", "waits for credit of"},
        {"space", "waits for space in the output buffer of"},
        {"input", "waits: its input sends another packet; wants"},
        {"output", "waits: another input sends to"},
        {"choice", "waits: no output that it may take is free; came by"},
        {"turn", "waits for its turn at"},
    };
    const char *stage = report_watch_word(event, "stage"),
               *reason = report_watch_word(event, "reason");
    bool waits = strcmp(stage, "waits") == 0;
    const char *key = waits ? reason : stage;
    snprintf(text, size, "%s", waits ? "waits" : key);
    if (waits && strcmp(key, "behind") == 0)
        snprintf(text, size, "waits behind %" PRIu64 " packet%s for",
                 report_watch_whole(event, "ahead"),
                 report_watch_whole(event, "ahead") == 1 ? "" : "s");
    else if (waits && strcmp(key, "vc") == 0)
        snprintf(text, size, "waits for a free VC of");
    else
        for (size_t k = 0; k < sizeof sentences / sizeof *sentences; k++)
            if (strcmp(sentences[k][0], key) == 0)
                snprintf(text, size, "%s", sentences[k][1]);
}

static void report_watch_print_packet(FILE *out, const report_fabric *f, const json_t *packet)
{
    const json_t *events = json_object_get(packet, "events");
    json_t *event;
    size_t k;
    fprintf(out, "  packet %" PRIu64 " of host %" PRIu64, report_watch_whole(packet, "number"),
            report_watch_whole(packet, "source"));
    if (!json_is_true(json_object_get(packet, "sent"))) {
        fputs(" was not sent in this run\n", out);
        return;
    }
    fprintf(out, " to host %" PRIu64 ", %" PRIu64 " B%s\n",
            report_watch_whole(packet, "destination"), report_watch_whole(packet, "bytes"),
            json_is_true(json_object_get(packet, "delivered")) ? "" : ", not delivered");
    json_array_foreach(events, k, event)
    {
        char text[120], name[200];
        report_watch_describe(event, text, sizeof text);
        report_watch_name_channel(f, event, name, sizeof name);
        fprintf(out, "  %16.3f ns  %s", (double)report_watch_whole(event, "time_ps") / 1e3, text);
        if (strcmp(text, "generated") != 0 && strcmp(text, "delivered") != 0)
            fprintf(out, " %s, VC %" PRIu64, name, report_watch_whole(event, "vc"));
        putc('\n', out);
    }
}

ik_status ik_report_watch(const char *store_path, FILE *out, ik_error *err)
{
    report_model *m = NULL;
    ik_status status = model_read(store_path, &m, err);
    for (size_t i = 0; status == IK_OK && i < m->num_rows; i++) {
        const report_row *row = &m->rows[i];
        const json_t *packet;
        size_t k;
        if (row->watch) {
            fprintf(out, "\n%s, %s, %s", m->fabrics[row->fabric].label, m->plans[row->plan].label,
                    row->traffic);
            if (row->load > 0)
                fprintf(out, ", load %.4g", row->load);
            fprintf(out, ", seed %" PRIu64 "%s%s\n", row->seed, row->variant[0] ? ", " : "",
                    row->variant);
        }
        json_array_foreach(row->watch, k, packet)
        {
            report_watch_print_packet(out, &m->fabrics[row->fabric], packet);
        }
    }
    model_free(m);
    return status != IK_OK ? status
           : ferror(out)   ? ik_fail(err, IK_ERR_IO, "cannot write the lives of packets")
                           : IK_OK;
}
