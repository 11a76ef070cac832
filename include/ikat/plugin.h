/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/plugin.h: members of families that are not a part of ikat: topologies, routings, selection
 * functions, VC schemes, traffic patterns and file formats from shared objects, or from the program
 * that uses the library.
 *
 * A plug-in consists of the same descriptors as the built-in members (ikat/topology.h,
 * ikat/routing.h, ikat/vc.h, ikat/traffic.h, ikat/format.h) and is compiled with these headers
 * alone:
 *
 *     cc -shared -fPIC $(pkg-config --cflags ikat) -o mine.so mine.c
 *
 * It calls the functions that the public headers declare; they are those of the program that loads
 * it, and it is not linked with the library. docs/howto/write-a-plug-in.md has complete examples.
 */
#ifndef IKAT_PLUGIN_H
#define IKAT_PLUGIN_H

#include "ikat/format.h"
#include "ikat/routing.h"
#include "ikat/topology.h"
#include "ikat/traffic.h"
#include "ikat/vc.h"

IK_BEGIN_DECLS

/* Changes whenever a plug-in has to be compiled again, or written differently. */
#define IK_PLUGIN_VERSION 1

/* Where descriptors and what their functions get have other sizes, a plug-in was compiled with
 * other headers, whatever its version says. */
#define IK_PLUGIN_LAYOUT                                                                           \
    ((uint32_t)(sizeof(ik_topology) + 3 * sizeof(ik_topo_ctx) + 5 * sizeof(ik_shorthand) +         \
                7 * sizeof(ik_series) + 11 * sizeof(ik_routing_family) + 13 * sizeof(ik_routing) + \
                17 * sizeof(ik_packet) + 19 * sizeof(ik_view) + 23 * sizeof(ik_legs) +             \
                29 * sizeof(ik_selection_family) + 31 * sizeof(ik_selection) +                     \
                37 * sizeof(ik_select_request) + 41 * sizeof(ik_vc_family) + 43 * sizeof(ik_vc) +  \
                47 * sizeof(ik_traffic_family) + 53 * sizeof(ik_traffic) +                         \
                59 * sizeof(ik_workload) + 61 * sizeof(ik_format) + 67 * sizeof(ik_fabric) +       \
                71 * sizeof(ik_param) + 73 * sizeof(ik_params) + 79 * sizeof(ik_value) +           \
                83 * sizeof(ik_env) + 89 * sizeof(ik_error)))

/* Everything that it points to lives as long as the process. */
typedef struct ik_plugin {
    uint32_t version, layout; /* IK_PLUGIN_HEADER sets both */
    const char *name;         /* letters, digits and '_', as of its members */
    const char *summary;      /* one line */
    /* A text that changes whenever results may change, such as a version: proofs and results that
     * are kept belong to it. Of a shared object it may be NULL, since its contents count anyway. */
    const char *identity;
    /* Members may take the places of those that an earlier plug-in of the same name has under the
     * same names. Objects that were made before keep theirs. */
    bool replaces;
    /* each ends with NULL; NULL = none */
    const ik_topology *const *topologies;
    const ik_routing_family *const *routings;
    const ik_selection_family *const *selections;
    const ik_vc_family *const *vcs;
    const ik_traffic_family *const *traffics;
    const ik_format *const *formats;
} ik_plugin;

#define IK_PLUGIN_HEADER .version = IK_PLUGIN_VERSION, .layout = IK_PLUGIN_LAYOUT

/* A shared object defines `IK_PLUGIN_EXPORT const ik_plugin ik_plugin_entry = {IK_PLUGIN_HEADER,
 * …};`. */
#if defined(__cplusplus)
#define IK_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define IK_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/* A plug-in that was added. */
typedef struct ik_plugin_info {
    const char *name, *summary;
    const char *file; /* from the root; "" if it came from no file */
    /* of a shared object the SHA-256 of its contents in hexadecimal digits */
    const char *identity;
    size_t num_members; /* of all kinds */
} ik_plugin_info;

/* Adds the members of a plug-in to their families, behind those that are there, where listings,
 * help, specs, experiments and messages find them. All or nothing. Refused: another version or
 * layout (IK_ERR_UNSUPPORTED); a descriptor that lacks what its family needs, parameters whose
 * defaults are no values, a name that another member of the family has, an identity of NULL
 * (IK_ERR_INPUT). Nothing is ever removed.
 *
 * May be called in any thread; it is meant to be called before work begins, since what looks up a
 * name meanwhile may or may not find it. */
ik_status ik_register(const ik_plugin *plugin, ik_error *err);

/* Opens a shared object and registers it. path: a file if it has a '/', else NAME or NAME.so in the
 * first folder of the environment's IKAT_PLUGIN_PATH (folders joined by ':') that has it. A file
 * that was loaded before is left as it is.
 *
 * A plug-in is a part of the process: its code runs when it is loaded, with all that the user may
 * do. Load none that you would not run as a program.
 *
 * IK_ERR_IO: there is none, or it cannot be read. IK_ERR_INPUT: no shared object; no symbol
 * ik_plugin_entry; another file of the same contents or name is loaded; and what ik_register
 * refuses. IK_ERR_UNSUPPORTED: it calls functions that are not there, because it was made for
 * another version of ikat or because the program does not export them (docs/architecture.md). */
ik_status ik_plugin_load(const char *path, ik_error *err);

/* The plug-ins that were added, in the order in which they were: the k-th, NULL beyond the last. */
const ik_plugin_info *ik_plugin_nth(size_t k);
/* The plug-in that a member (an ik_topology *, ik_routing_family * …) comes from; NULL: it is built
 * in. */
const ik_plugin_info *ik_plugin_of(const void *member);

IK_END_DECLS
#endif
