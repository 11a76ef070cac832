/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_watch.c: watched packets of a point as a JSON text: what reports show as it
 * stands. */
#include "experiment/store_texts.h"

#include "ikat/json.h"

static void store_watch_put_event(ik_json *j, const ik_watch_event *e)
{
    ik_json_object(j, NULL);
    ik_json_uint(j, "time_ps", e->t_ps);
    if (e->until_ps)
        ik_json_uint(j, "until_ps", e->until_ps);
    ik_json_text(j, "stage", ik_watch_stage_names[e->stage]);
    if (e->reason)
        ik_json_text(j, "reason", ik_watch_reason_names[e->reason]);
    if (e->channel != IK_NONE)
        ik_json_uint(j, "channel", e->channel);
    ik_json_uint(j, "vc", e->vc);
    if (e->ahead)
        ik_json_uint(j, "ahead", e->ahead);
    ik_json_close(j);
}

static void store_watch_put_packet(ik_json *j, const ik_watch_result *w, const ik_watched *p)
{
    ik_json_object(j, NULL);
    ik_json_uint(j, "source", p->src);
    ik_json_uint(j, "number", p->number);
    ik_json_bool(j, "sent", p->sent);
    ik_json_bool(j, "delivered", p->delivered);
    if (p->sent) {
        ik_json_uint(j, "destination", p->dst);
        ik_json_uint(j, "bytes", p->bytes);
    }
    ik_json_array(j, "events");
    for (size_t k = 0; k < p->num_events; k++)
        store_watch_put_event(j, &w->events[p->first + k]);
    ik_json_close(j);
    ik_json_close(j);
}

ik_status watch_text(const ik_watch_result *w, char **text, ik_error *err)
{
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_array(&j, NULL);
    for (size_t k = 0; k < w->num_packets; k++)
        store_watch_put_packet(&j, w, &w->packets[k]);
    ik_json_close(&j);
    return ik_json_end_text(&j, text, NULL, err);
}
