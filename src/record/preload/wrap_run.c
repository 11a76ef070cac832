/* SPDX-License-Identifier: Apache-2.0
 *
 * wrap_run.c: begin and end of a program; processes of other programs.
 */
#include "recorder.h"

WRAP(Init, (int *argc, char ***argv), (argc, argv))
{
    int code = real(argc, argv);
    if (code == MPI_SUCCESS)
        recorder_started();
    return code;
}

WRAP(Init_thread, (int *argc, char ***argv, int required, int *provided),
     (argc, argv, required, provided))
{
    int code = real(argc, argv, required, provided);
    if (code == MPI_SUCCESS)
        recorder_started();
    return code;
}

EXPORT int MPI_Finalize(void)
{
    int (*next)(void);
    recorder_world_ends();
    *(void **)&next = recorder_next("MPI_Finalize");
    return next();
}

EXPORT int PMPI_Finalize(void)
{
    int (*next)(void);
    recorder_world_ends();
    *(void **)&next = recorder_next("PMPI_Finalize");
    return next();
}

#ifdef HAVE_SESSIONS
WRAP(Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session *session),
     (info, handler, session))
{
    int code = real(info, handler, session);
    if (code == MPI_SUCCESS)
        recorder_session_started(*session);
    return code;
}

WRAP(Session_finalize, (MPI_Session * session), (session))
{
    recorder_session_ends();
    return real(session);
}
#endif

/* Calls whose effect ikat does not know, with their time. */
#define WRAP_OTHER(NAME, KIND, PARAMS, ARGS)                                                       \
    WRAP_CALL(NAME, PARAMS, ARGS, , true, record_other(&c, KIND))

WRAP_OTHER(Comm_spawn, OTHER_SPAWN,
           (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
            MPI_Comm *made, int errors[]),
           (command, argv, maxprocs, info, root, comm, made, errors))
WRAP_OTHER(Comm_spawn_multiple, OTHER_SPAWN,
           (int count, char *commands[], char **argvs[], const int maxprocs[],
            const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm *made, int errors[]),
           (count, commands, argvs, maxprocs, infos, root, comm, made, errors))
WRAP_OTHER(Comm_accept, OTHER_SPAWN,
           (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
           (port, info, root, comm, made))
WRAP_OTHER(Comm_connect, OTHER_SPAWN,
           (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
           (port, info, root, comm, made))
WRAP_OTHER(Comm_join, OTHER_SPAWN, (int fd, MPI_Comm *made), (fd, made))
