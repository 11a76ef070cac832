/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_options.c: the words of event_plugin_options that are for ikat.
 */
#include "ikat/routing.h"
#include "opensm/sm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prefix[] = "ikat.";
static const char *const names[] = {"routing", "vc",     "vls",     "query_lane",
                                    "time",    "memory", "threads", NULL};

static ik_status sm_options_number(const char *name, const char *value, unsigned most,
                                   unsigned *out, ik_error *err)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || number == 0 || number > most)
        return ik_fail(err, IK_ERR_USAGE, "%s%s=%.60s: expected a number from 1 to %u", prefix,
                       name, value, most);
    *out = (unsigned)number;
    return IK_OK;
}

static ik_status sm_options_quantity(const char *name, const char *value, ik_dimension dimension,
                                     uint64_t *out, ik_error *err)
{
    ik_error why;
    if (ik_parse_quantity(value, dimension, out, &why) == IK_OK && *out)
        return IK_OK;
    return ik_fail(err, IK_ERR_USAGE, "%s%s=%.60s: expected %s", prefix, name, value,
                   dimension == IK_DIM_TIME ? "a time above 0, like 30s"
                                            : "a size above 0, like 4GiB");
}

static ik_status sm_options_take(sm_options *o, const char *name, const char *value, ik_error *err)
{
    if (strcmp(name, "vls") == 0)
        return sm_options_number(name, value, IK_DEPLOYABLE_VCS, &o->vls, err);
    if (strcmp(name, "threads") == 0)
        return sm_options_number(name, value, 256, &o->threads, err);
    if (strcmp(name, "time") == 0)
        return sm_options_quantity(name, value, IK_DIM_TIME, &o->time_ps, err);
    if (strcmp(name, "memory") == 0)
        return sm_options_quantity(name, value, IK_DIM_SIZE, &o->memory_bytes, err);
    if (strcmp(name, "routing") == 0 || strcmp(name, "vc") == 0) {
        *(name[0] == 'r' ? &o->routing : &o->vc) = value;
        return IK_OK;
    }
    if (strcmp(name, "query_lane") != 0) {
        ik_fail(err, IK_ERR_USAGE, "%s%.60s is no option", prefix, name);
        return ik_hint_nearest(err, IK_ERR_USAGE, name, names);
    }
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
        return ik_fail(err, IK_ERR_USAGE, "%s%s=%.60s: expected yes or no", prefix, name, value);
    o->query_lane = value[0] == 'y';
    return IK_OK;
}

ik_status sm_options_read(const char *text, sm_options *options, ik_error *err)
{
    sm_options o = {
        .text = strdup(text ? text : ""), .time_ps = UINT64_C(30000000000000), .threads = 1};
    char *rest = NULL;
    if (!o.text)
        return ik_fail_memory(err, strlen(text ? text : ""), "options");
    ik_status status = IK_OK;
    for (char *word = strtok_r(o.text, " \t", &rest); word && status == IK_OK;
         word = strtok_r(NULL, " \t", &rest)) {
        if (strncmp(word, prefix, sizeof prefix - 1) != 0)
            continue;
        char *name = word + sizeof prefix - 1, *equals = strchr(name, '=');
        if (!equals || !equals[1]) {
            status = ik_fail(err, IK_ERR_USAGE, "'%.60s': expected %sNAME=VALUE", word, prefix);
            break;
        }
        *equals = '\0';
        status = sm_options_take(&o, name, equals + 1, err);
    }
    if (status == IK_OK && o.vc && !o.routing)
        status = ik_fail(err, IK_ERR_USAGE, "%svc is given without %srouting", prefix, prefix);
    if (status != IK_OK)
        free(o.text);
    else
        *options = o;
    return status;
}

void sm_options_rename(const char *text, char *out, size_t size)
{
    static const char *const both[][2] = {{"--routing ", "ikat.routing="},
                                          {"--vc ", "ikat.vc="},
                                          {"--vls ", "ikat.vls="},
                                          {"--query-lane", "ikat.query_lane=yes"},
                                          {"--threads ", "ikat.threads="}};
    size_t used = 0, num = sizeof both / sizeof *both, i;
    while (*text && used + 1 < size) {
        for (i = 0; i < num && strncmp(text, both[i][0], strlen(both[i][0])) != 0;)
            i++;
        if (i == num) {
            out[used++] = *text++;
            continue;
        }
        used += (size_t)snprintf(out + used, size - used, "%s", both[i][1]);
        used = used < size ? used : size - 1;
        text += strlen(both[i][0]);
    }
    out[used] = '\0';
}
