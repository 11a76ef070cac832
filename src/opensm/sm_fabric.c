/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_fabric.c: OpenSM's objects of the subnet as a fabric. They are written as ibnetdiscover would
 * print them, in memory, and read by the reader of dumps: names, rates, LMC and aggregation nodes
 * are then what they are to `ikat deploy`.
 */
#include "ikat/format.h"
#include "opensm/sm.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct sm_text {
    char *at;
    size_t size, room;
    bool failed;
} sm_text;

__attribute__((format(printf, 2, 3))) static void sm_fabric_say(sm_text *t, const char *format, ...)
{
    enum { LONGEST = 512 }; /* of one line */
    if (!t->failed && t->room - t->size < LONGEST) {
        size_t room = 2 * t->room + 65536;
        char *larger = realloc(t->at, room);
        t->failed = !larger;
        t->at = larger ? larger : t->at;
        t->room = larger ? room : t->room;
    }
    if (t->failed)
        return;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(t->at + t->size, LONGEST, format, args);
    va_end(args);
    t->failed = length < 0 || length >= LONGEST;
    t->size += t->failed ? 0 : (size_t)length;
}

/* ---- OpenSM's objects */

static uint64_t sm_fabric_guid(const osm_node_t *node)
{
    return cl_ntoh64(node->node_info.node_guid);
}

static int sm_fabric_compare(const void *a, const void *b)
{
    const osm_node_t *x = *(osm_node_t *const *)a, *y = *(osm_node_t *const *)b;
    uint64_t guid_x = sm_fabric_guid(x), guid_y = sm_fabric_guid(y);
    if (!x->sw != !y->sw)
        return x->sw ? -1 : 1;
    return (guid_x > guid_y) - (guid_x < guid_y);
}

/* The port with a cable that works, NULL: it has none. */
static osm_physp_t *sm_fabric_port(osm_node_t *node, unsigned number)
{
    osm_physp_t *port = osm_node_get_physp_ptr(node, number);
    bool cabled = port && port->p_remote_physp && osm_physp_is_valid(port->p_remote_physp) &&
                  osm_link_is_healthy(port);
    return cabled ? port : NULL;
}

/* A switch's LID is that of its port 0. */
static const osm_physp_t *sm_fabric_lid_port(const osm_physp_t *port)
{
    return port->p_node->sw ? port->p_node->physp_table : port;
}

static unsigned sm_fabric_lid(const osm_physp_t *port)
{
    return cl_ntoh16(sm_fabric_lid_port(port)->port_info.base_lid);
}

static unsigned sm_fabric_lmc(const osm_physp_t *port)
{
    return ib_port_info_get_lmc(&sm_fabric_lid_port(port)->port_info);
}

/* "4xEDR"; "" where a port does not say. */
static const char *sm_fabric_rate(const osm_physp_t *port, char text[16])
{
    static const char *const extended[] = {[1] = "FDR", [2] = "EDR", [4] = "HDR", [8] = "NDR"};
    static const char *const basic[] = {[1] = "SDR", [2] = "DDR", [4] = "QDR"};
    static const uint8_t widths[] = {[1] = 1, [2] = 4, [4] = 8, [8] = 12, [16] = 2};
    const ib_port_info_t *info = &port->port_info;
    const osm_physp_t *says = sm_fabric_lid_port(port); /* a switch's port 0 has its capabilities */
    unsigned width = info->link_width_active, speed = ib_port_info_get_link_speed_active(info),
             fast = says->port_info.capability_mask & IB_PORT_CAP_HAS_EXT_SPEEDS
                        ? ib_port_info_get_link_speed_ext_active(info)
                        : 0;
    const char *name = fast < 9 && extended[fast]                       ? extended[fast]
                       : port->ext_port_info.link_speed_active == FDR10 ? "FDR10"
                       : speed < 5                                      ? basic[speed]
                                                                        : NULL;
    text[0] = '\0';
    if (name && width < sizeof widths && widths[width])
        snprintf(text, 16, "%ux%s", widths[width], name);
    return text;
}

/* ---- as ibnetdiscover prints them */

static const char *sm_fabric_name(const osm_node_t *node, char name[65])
{
    memcpy(name, node->node_desc.description, 64);
    name[64] = '\0';
    for (char *c = name; *c; c++)
        if (*c == '"' || (unsigned char)*c < ' ' || *c == 0x7f)
            *c = '_';
    return name[0] ? name : strcpy(name, "?");
}

static void sm_fabric_print_port(sm_text *t, const osm_physp_t *port)
{
    if (!port)
        return;
    const osm_physp_t *far = port->p_remote_physp;
    char name[65], rate[16];
    bool is_switch = port->p_node->sw, to_switch = far->p_node->sw;
    sm_fabric_say(t, "[%u]", port->port_num);
    if (!is_switch)
        sm_fabric_say(t, "(%" PRIx64 ")", cl_ntoh64(port->port_guid));
    sm_fabric_say(t, " \"%c-%016" PRIx64 "\"[%u]", to_switch ? 'S' : 'H',
                  sm_fabric_guid(far->p_node), far->port_num);
    if (!to_switch)
        sm_fabric_say(t, "(%" PRIx64 ")", cl_ntoh64(far->port_guid));
    sm_fabric_say(t, " # ");
    if (!is_switch)
        sm_fabric_say(t, "lid %u lmc %u ", sm_fabric_lid(port), sm_fabric_lmc(port));
    sm_fabric_say(t, "\"%s\" lid %u %s\n", sm_fabric_name(far->p_node, name), sm_fabric_lid(far),
                  sm_fabric_rate(port, rate));
}

static void sm_fabric_print_node(sm_text *t, osm_node_t *node)
{
    char name[65];
    unsigned ports = node->physp_tbl_size - 1;
    sm_fabric_say(t, "%s %u \"%c-%016" PRIx64 "\" # \"%s\"", node->sw ? "Switch" : "Ca", ports,
                  node->sw ? 'S' : 'H', sm_fabric_guid(node), sm_fabric_name(node, name));
    if (node->sw)
        sm_fabric_say(t, " base port 0 lid %u lmc %u", sm_fabric_lid(node->physp_table),
                      sm_fabric_lmc(node->physp_table));
    sm_fabric_say(t, "\n");
    for (unsigned number = 1; number <= ports; number++)
        sm_fabric_print_port(t, sm_fabric_port(node, number));
}

ik_status sm_fabric_read(const osm_opensm_t *osm, const ik_env *env, ik_fabric **out, ik_error *err)
{
    const cl_qmap_t *map = &osm->subn.node_guid_tbl;
    size_t num = 0, most = cl_qmap_count(map);
    osm_node_t **nodes = calloc(most + 1, sizeof *nodes);
    sm_text t = {.failed = !nodes};
    for (cl_map_item_t *item = cl_qmap_head(map); nodes && item != cl_qmap_end(map);
         item = cl_qmap_next(item))
        nodes[num++] = (osm_node_t *)item;
    if (nodes)
        qsort(nodes, num, sizeof *nodes, sm_fabric_compare);
    sm_fabric_say(&t, "# Topology file: in memory\n");
    for (size_t i = 0; i < num && !t.failed; i++)
        sm_fabric_print_node(&t, nodes[i]);
    free(nodes);
    ik_status status = t.failed
                           ? ik_fail_memory(err, most * sizeof *nodes + t.room, "the subnet")
                           : ik_fabric_read_memory(t.at, t.size, "the subnet",
                                                   ik_format_find("ibnetdiscover"), env, out, err);
    free(t.at);
    return status;
}

unsigned sm_fabric_lanes(const osm_opensm_t *osm)
{
    static const uint8_t lanes_of[] = {1, 1, 2, 4, 8, 15}; /* IB's code for VLs 0 to n - 1 */
    const cl_qmap_t *map = &osm->subn.node_guid_tbl;
    unsigned least = osm->subn.opt.max_op_vls;
    if (!osm->subn.opt.qos) /* then OpenSM sets up no lanes */
        return 1;
    for (cl_map_item_t *item = cl_qmap_head(map); item != cl_qmap_end(map);
         item = cl_qmap_next(item)) {
        osm_node_t *node = (osm_node_t *)item;
        for (unsigned number = 1; number < node->physp_tbl_size; number++) {
            osm_physp_t *port = sm_fabric_port(node, number);
            unsigned has = port ? ib_port_info_get_vl_cap(&port->port_info) : least;
            least = has < least ? has : least;
        }
    }
    return lanes_of[least < sizeof lanes_of ? least : 0];
}

osm_switch_t *sm_fabric_switch(const osm_opensm_t *osm, const ik_fabric *f, uint32_t sw)
{
    const cl_qmap_t *map = &osm->subn.sw_guid_tbl;
    cl_map_item_t *item = cl_qmap_get(map, cl_hton64(ik_node_guid(f, sw)));
    return item == cl_qmap_end(map) ? NULL : (osm_switch_t *)item;
}
