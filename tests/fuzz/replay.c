/* SPDX-License-Identifier: Apache-2.0
 *
 * All fuzz targets in one program of the build with the address sanitizer, without libFuzzer: a
 * target gets each file of its corpus, and then as many changed ones as are asked for. They are
 * drawn from a fixed seed, so that they are the same on every machine and at every load.
 *
 *   fuzz_replay TARGET RUNS [-words FILE] [-keep FOLDER] [FILE or FOLDER]...
 *
 * What ended the program lies in TARGET.input of the current folder. With -keep, every input is
 * written to a folder, with which the target of the preset `fuzz` shows what they reach. */
#include "replay_mutate.h"
#include "replay_targets.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <sanitizer/common_interface_defs.h>

enum { SECONDS_PER_INPUT = 60, LEAST_SIZE = 4096, SEED = 1 };

typedef struct replay_target {
    const char *name;
    int (*run)(const uint8_t *data, size_t size);
} replay_target;

static const replay_target targets[] = {REPLAY_TARGETS};

static replay_input running; /* what the target has been given */
static char input_name[64];

/* Before the program ends within a target: nothing but system calls, since a handler calls it. */
static void keep_running(void)
{
    int file = running.data ? open(input_name, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file < 0)
        return;
    if (write(file, running.data, running.size) == (ssize_t)running.size) {
        static const char said[] = "The input is kept in this folder: ";
        if (write(2, said, sizeof said - 1) > 0 && write(2, input_name, strlen(input_name)) > 0)
            running.data = NULL; /* once */
    }
    close(file);
}

static void end(int signal)
{
    static const char slow[] = "More than 60 s of processor time. ";
    if (signal == SIGPROF && write(2, slow, sizeof slow - 1) < 0)
        _exit(1);
    __sanitizer_print_stack_trace();
    keep_running();
    _exit(1);
}

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "fuzz_replay: %s: %s\n", what, name);
    exit(2);
}

/* The bytes of a file, with room for no more: what is read beyond them is noticed. */
static replay_input read_input(const char *name)
{
    struct stat about;
    FILE *file = fopen(name, "rb");
    if (!file || fstat(fileno(file), &about) != 0)
        fail("cannot read", name);
    replay_input in = {malloc((size_t)about.st_size), (size_t)about.st_size};
    if (!in.data || fread(in.data, 1, in.size, file) != in.size || fclose(file) != 0)
        fail("cannot read", name);
    return in;
}

static void append(replay_inputs *to, replay_input in)
{
    to->of = realloc(to->of, (to->num + 1) * sizeof *to->of);
    if (!to->of)
        fail("no memory", "inputs");
    to->of[to->num++] = in;
}

/* A file, or all files of a folder, in the order of their names. */
static void append_files(replay_inputs *to, const char *name)
{
    struct dirent **found = NULL;
    int num = scandir(name, &found, NULL, alphasort);
    if (num < 0)
        append(to, read_input(name));
    for (int i = 0; i < num; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", name, found[i]->d_name);
        if (found[i]->d_name[0] != '.')
            append(to, read_input(path));
        free(found[i]);
    }
    free(found);
}

/* Words as libFuzzer takes them: "text" per line, with \xHH, \\ and \". */
static void append_words(replay_inputs *to, const char *name)
{
    char line[512];
    FILE *file = fopen(name, "r");
    if (!file)
        fail("cannot read", name);
    while (fgets(line, sizeof line, file)) {
        replay_input word = {malloc(sizeof line), 0};
        const char *at = strchr(line, '"');
        for (at = at ? at + 1 : ""; word.data && *at && *at != '"'; at++) {
            unsigned value = (unsigned char)*at;
            if (at[0] == '\\' && at[1] == 'x' && sscanf(at + 2, "%2x", &value) == 1)
                at += 3;
            else if (at[0] == '\\' && at[1])
                value = (unsigned char)*++at;
            word.data[word.size++] = (uint8_t)value;
        }
        append(to, word);
    }
    fclose(file);
}

static void free_inputs(replay_inputs *inputs)
{
    for (size_t i = 0; i < inputs->num; i++)
        free(inputs->of[i].data);
    free(inputs->of);
}

static void write_input(const char *folder, size_t number, const replay_input *in)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%06zu", folder, number);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(in->data, 1, in->size, file) != in->size || fclose(file) != 0)
        fail("cannot write", path);
}

/* Gives the target a copy that ends where its memory ends. */
static void give(const replay_target *target, const replay_input *in, const char *keep)
{
    static size_t number;
    const struct itimerval limit = {.it_value = {.tv_sec = SECONDS_PER_INPUT}}, none = {0};
    running = (replay_input){malloc(in->size), in->size};
    if (in->size)
        memcpy(running.data, in->data, in->size);
    if (keep)
        write_input(keep, number++, in);
    setitimer(ITIMER_PROF, &limit, NULL);
    target->run(running.data, running.size);
    setitimer(ITIMER_PROF, &none, NULL);
    free(running.data);
    running.data = NULL;
}

static void run_all(const replay_target *target, unsigned long runs, replay_draw *draw,
                    const char *keep)
{
    for (size_t i = 0; i < draw->given->num; i++) {
        give(target, &draw->given->of[i], keep);
        if (draw->given->of[i].size > draw->most)
            draw->most = draw->given->of[i].size;
    }
    replay_input changed = {malloc(draw->most), 0};
    for (unsigned long run = 0; changed.data && run < runs; run++) {
        replay_mutate(draw, &changed);
        give(target, &changed, keep);
    }
    free(changed.data);
}

static const replay_target *find_target(const char *name)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    fail("no such target", name);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        fail("usage", "fuzz_replay TARGET RUNS [-words FILE] [-keep FOLDER] [FILE or FOLDER]...");
    const replay_target *target = find_target(argv[1]);
    const char *keep = NULL;
    replay_inputs given = {0}, words = {0};
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], "-words") == 0 && i + 1 < argc)
            append_words(&words, argv[++i]);
        else if (strcmp(argv[i], "-keep") == 0 && i + 1 < argc)
            keep = argv[++i];
        else
            append_files(&given, argv[i]);
    if (!given.num)
        append(&given, (replay_input){malloc(1), 0});
    snprintf(input_name, sizeof input_name, "%s.input", target->name);
    __sanitizer_set_death_callback(keep_running);
    signal(SIGABRT, end);
    signal(SIGPROF, end);
    replay_draw draw = {&given, &words, LEAST_SIZE, SEED};
    run_all(target, strtoul(argv[2], NULL, 10), &draw, keep);
    printf("%s: %zu files and %s changed ones\n", target->name, given.num, argv[2]);
    free_inputs(&given);
    free_inputs(&words);
    return 0;
}
