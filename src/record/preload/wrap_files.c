/* SPDX-License-Identifier: Apache-2.0
 *
 * wrap_files.c: calls on files that may send messages of their own, or call collective operations:
 * what the library does within them is none of the program's. They leave no record: their time is
 * time of computation.
 */
#include "recorder.h"

#define WRAP_FILE(NAME, PARAMS, ARGS)                                                              \
    WRAP(NAME, PARAMS, ARGS)                                                                       \
    {                                                                                              \
        if (!recorder_hide(HERE))                                                                  \
            return real(UNPACK ARGS);                                                              \
        int code = real(UNPACK ARGS);                                                              \
        recorder_show();                                                                           \
        return code;                                                                               \
    }

#define READ  void *data, int num, MPI_Datatype type
#define WRITE const void *data, int num, MPI_Datatype type
#define MOVED data, num, type

WRAP_FILE(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
          (comm, name, mode, info, file))
WRAP_FILE(File_close, (MPI_File * file), (file))
WRAP_FILE(File_delete, (const char *name, MPI_Info info), (name, info))
WRAP_FILE(File_set_size, (MPI_File file, MPI_Offset size), (file, size))
WRAP_FILE(File_preallocate, (MPI_File file, MPI_Offset size), (file, size))
WRAP_FILE(File_get_size, (MPI_File file, MPI_Offset *size), (file, size))
WRAP_FILE(File_set_info, (MPI_File file, MPI_Info info), (file, info))
WRAP_FILE(File_set_view,
          (MPI_File file, MPI_Offset at, MPI_Datatype type, MPI_Datatype as, const char *form,
           MPI_Info info),
          (file, at, type, as, form, info))
WRAP_FILE(File_set_atomicity, (MPI_File file, int flag), (file, flag))
WRAP_FILE(File_sync, (MPI_File file), (file))
WRAP_FILE(File_seek_shared, (MPI_File file, MPI_Offset at, int from), (file, at, from))
WRAP_FILE(File_get_position_shared, (MPI_File file, MPI_Offset *at), (file, at))

/* ---- moves, by where they begin, who takes part, and when they return */

#define WRAP_MOVES(NAME, DATA)                                                                     \
    WRAP_FILE(NAME, (MPI_File file, DATA, MPI_Status * status), (file, MOVED, status))             \
    WRAP_FILE(NAME##_all, (MPI_File file, DATA, MPI_Status * status), (file, MOVED, status))       \
    WRAP_FILE(NAME##_shared, (MPI_File file, DATA, MPI_Status * status), (file, MOVED, status))    \
    WRAP_FILE(NAME##_ordered, (MPI_File file, DATA, MPI_Status * status), (file, MOVED, status))   \
    WRAP_FILE(NAME##_at, (MPI_File file, MPI_Offset at, DATA, MPI_Status * status),                \
              (file, at, MOVED, status))                                                           \
    WRAP_FILE(NAME##_at_all, (MPI_File file, MPI_Offset at, DATA, MPI_Status * status),            \
              (file, at, MOVED, status))                                                           \
    WRAP_FILE(NAME##_all_begin, (MPI_File file, DATA), (file, MOVED))                              \
    WRAP_FILE(NAME##_ordered_begin, (MPI_File file, DATA), (file, MOVED))                          \
    WRAP_FILE(NAME##_at_all_begin, (MPI_File file, MPI_Offset at, DATA), (file, at, MOVED))

WRAP_MOVES(File_read, READ)
WRAP_MOVES(File_write, WRITE)

#define WRAP_END(NAME, DATA)                                                                       \
    WRAP_FILE(NAME, (MPI_File file, DATA, MPI_Status * status), (file, data, status))

WRAP_END(File_read_all_end, void *data)
WRAP_END(File_read_ordered_end, void *data)
WRAP_END(File_read_at_all_end, void *data)
WRAP_END(File_write_all_end, const void *data)
WRAP_END(File_write_ordered_end, const void *data)
WRAP_END(File_write_at_all_end, const void *data)
