/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_lists.c: results of a point that are a list of numbers, as details: a deflated
 * JSON list of numbers, or of objects {place, value} where places have names, under the name of
 * the list.
 */
#include "experiment/store.h"
#include "ikat/json.h"

#include <stdlib.h>
#include <string.h>

static ik_status store_lists_pack_list(const value_list *list, void **body, size_t *size,
                                       ik_error *err)
{
    ik_json j;
    char *text = NULL;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_array(&j, NULL);
    for (size_t i = 0; i < list->num; i++) {
        if (!list->places) {
            ik_json_real(&j, NULL, list->values[i], 17);
            continue;
        }
        ik_json_object(&j, NULL);
        ik_json_text(&j, "place", list->places[i]);
        ik_json_real(&j, "value", list->values[i], 17);
        ik_json_close(&j);
    }
    ik_json_close(&j);
    ik_status status = ik_json_end_text(&j, &text, NULL, err);
    if (status == IK_OK)
        status = store_deflate(text, strlen(text), body, size, err);
    free(text);
    return status;
}

static ik_status store_lists_insert_list(store *s, int64_t id, const char *name,
                                         const value_list *list, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    void *body = NULL;
    size_t size = 0;
    ik_status status = store_lists_pack_list(list, &body, &size, err);
    if (status == IK_OK)
        status =
            store_prepare(s,
                          "INSERT OR REPLACE INTO details(params, kind, body) SELECT params, ?1, "
                          "?3 FROM points WHERE id = ?2",
                          (const char *[]){name, NULL}, &statement, err);
    if (status == IK_OK) {
        sqlite3_bind_int64(statement, 2, id);
        if (sqlite3_bind_blob64(statement, 3, body, size, SQLITE_TRANSIENT) != SQLITE_OK) {
            sqlite3_finalize(statement);
            status = ik_fail_memory(err, size, "the result store");
        } else {
            status = store_execute(s, statement, err);
        }
    }
    free(body);
    return status;
}

static ik_status store_lists_delete_list(store *s, int64_t id, const char *name, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    ik_status status = store_prepare(s,
                                     "DELETE FROM details WHERE kind = ?1 AND params = (SELECT "
                                     "params FROM points WHERE id = ?2)",
                                     (const char *[]){name, NULL}, &statement, err);
    if (status != IK_OK)
        return status;
    sqlite3_bind_int64(statement, 2, id);
    return store_execute(s, statement, err);
}

ik_status store_set_lists(store *s, int64_t id, const value_list *lists, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < NUM_LISTS && status == IK_OK; i++)
        status = lists[i].num ? store_lists_insert_list(s, id, result_lists[i].name, &lists[i], err)
                              : store_lists_delete_list(s, id, result_lists[i].name, err);
    return status;
}

ik_status store_forget_lists(store *s, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < NUM_LISTS && status == IK_OK; i++) {
        sqlite3_stmt *statement = NULL;
        status = store_prepare(s, "DELETE FROM details WHERE kind = ?1",
                               (const char *[]){result_lists[i].name, NULL}, &statement, err);
        if (status == IK_OK)
            status = store_execute(s, statement, err);
    }
    return status;
}
