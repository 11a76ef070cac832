/* SPDX-License-Identifier: Apache-2.0
 *
 * verify/spec_files.h: the files that a fabric, a routing, a VC scheme or a traffic pattern reads,
 * which its results depend on as they do on its text.
 */
#ifndef IKAT_VERIFY_SPEC_FILES_H
#define IKAT_VERIFY_SPEC_FILES_H

#include "ikat/base.h"

/* Called with a file, or with the identity of the plug-in that a member comes from; false ends the
 * walk. */
typedef bool (*spec_files_fn)(void *ctx, const char *path);

/* Calls `file` for every file that a member with these parameters reads: those that its values
 * name, those of the specs inside its values, and those that belong to these (files that a netlist
 * includes, the parts of an OTF2 archive), in an order that depends on nothing but them. A file
 * that is not there is named as it is written. Calls `plugin` for the members that those specs name
 * where they are not built in: the member itself is its caller's. False: a call was, a spec within
 * a value is none, or memory ran out. */
bool spec_files_each(const ik_params *params, spec_files_fn file, spec_files_fn plugin, void *ctx);

#endif
