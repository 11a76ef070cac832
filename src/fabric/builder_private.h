/* SPDX-License-Identifier: Apache-2.0
 *
 * builder_private.h: what the builder keeps while nodes, links and labels come in.
 */
#ifndef IKAT_BUILDER_PRIVATE_H
#define IKAT_BUILDER_PRIVATE_H

#include "fabric/fabric_private.h"

enum column_id {
    PEER,
    LINK_CLASS,
    PORT_GUID,
    PORT_LABEL,
    PORT_LID,
    PORT_LMC,
    NAME,
    GUID,
    LID,
    LMC,
    LEVEL,
    XY,
    PLACE,
    NUM_COLUMNS
};
typedef struct space {
    uint32_t num, cap; /* nodes */
    uint32_t ports, port_cap;
    uint32_t *base;            /* [cap + 1] */
    void *column[NUM_COLUMNS]; /* NULL until first written, then [cap] or [port_cap] */
} space;

typedef struct pending_finding {
    ik_severity severity;
    char *code, *text;
    bool has_end;
    ik_end end;
} pending_finding;

struct ik_builder {
    space nodes[2]; /* [0] switches, [1] hosts */
    ik_fabric *f;   /* classes, provenance and strings are made in place */
    pending_finding *findings;
    size_t num_findings, finding_cap;
    uint16_t default_class[2]; /* of links between switches, of links to hosts */
    bool has_defaults;
    /* What topology `file` was told of the devices of a list of cables (format/devices.h): patterns
     * of names joined by ':', NULL = nothing; whether the reader of the file has asked. */
    const char *host_names, *without;
    bool asked_devices;
    ik_error error;
};

/* Keeps the first error. */
#define STICK(b, ...)                                                                              \
    do {                                                                                           \
        if ((b)->error.status == IK_OK)                                                            \
            ik_fail(&(b)->error, __VA_ARGS__);                                                     \
    } while (0)

/* The column of a space, allocated on first use; NULL when out of memory (sticky). */
void *builder_column(ik_builder *b, space *s, enum column_id id);
/* The column of a node label if the node exists, else NULL (sticky). */
void *builder_node_column(ik_builder *b, bool is_host, uint32_t index, enum column_id id);
/* Index of the end's port in its space's port columns, IK_NONE (sticky) if there is none. */
uint32_t builder_end_port(ik_builder *b, ik_end end);

#endif
