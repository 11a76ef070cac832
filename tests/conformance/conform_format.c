/* SPDX-License-Identifier: Apache-2.0
 *
 * Every file format keeps the family's promises: what it writes it recognises and reads back, and
 * writes again as the same bytes; texts that are cut off or spoilt are refused with their file, or
 * give a fabric that holds together.
 */
#include "expect.h"
#include "format_helpers.h"

#include <unistd.h>

#define CHECK(holds, ...) EXPECT_OF(format->name, holds, __VA_ARGS__)

static const char *const specs[] = {"data/cluster96.ibnetdiscover",
                                    "xgft:m=1,w=1",
                                    "karytree:k=2,n=3",
                                    "xgft:m=4:3:2,w=2:2:3,hosts=17,fail=20%,fail_seed=1",
                                    "xgft:m=4:4,w=1:4,fail=sw4,link_rate=200 Gb/s",
                                    "pgft:m=4:4,w=1:2,p=1:2",
                                    "torus:dims=3:3",
                                    "slimfly:q=5",
                                    "lrt:N=64,d=4,r=3",
                                    "xgft:m=3:2,w=1:2,host_latency=12 ns,latency=6 ns",
                                    NULL};

/* Does the format keep the graph and its rates; anynet and edges do not keep labels and
 * latencies. */
static void compare(const ik_format *format, const char *spec, const ik_fabric *a,
                    const ik_fabric *b)
{
    uint32_t links_a = 0, links_b = 0;
    CHECK(a->num_switches == b->num_switches && a->num_hosts == b->num_hosts,
          "%s: %u switches, %u hosts came back as %u, %u", spec, a->num_switches, a->num_hosts,
          b->num_switches, b->num_hosts);
    for (uint32_t port = 0; port < a->num_ports; port++)
        links_a += a->port_peer[port] != IK_NONE;
    for (uint32_t port = 0; port < b->num_ports; port++)
        links_b += b->port_peer[port] != IK_NONE;
    CHECK(links_a == links_b, "%s: %u link ends came back as %u", spec, links_a, links_b);
    char why[256];
    if (strcmp(format->name, "json") == 0)
        CHECK(ik_fabric_equal(a, b, why, sizeof why), "%s came back changed: %s", spec, why);
}

static void round_trip(const ik_format *format, const char *spec, const ik_fabric *f, text first)
{
    ik_error err = {0};
    ik_fabric *back = NULL;
    if (ik_fabric_read_memory(first.at, first.size, "round-trip", NULL, NULL, &back, &err) !=
        IK_OK) {
        CHECK(false, "%s does not come back: %s:%u:%u: %s", spec, err.file, err.line, err.column,
              err.text);
        return;
    }
    CHECK(ik_fabric_check(back, &err) == IK_OK, "%s comes back broken: %s", spec, err.text);
    CHECK(!back->intact, "%s: a fabric from a file says that it was generated", spec);
    compare(format, spec, f, back);
    text second = written(format, back, &err);
    CHECK(second.at, "%s is not written a second time: %s", spec, err.text);
    /* json tells the judgement, which a generated fabric has not */
    if (second.at && strcmp(format->name, "json") != 0)
        CHECK(same_text(first, second), "%s: the second export differs", spec);
    ik_fabric *again = NULL;
    if (second.at && ik_fabric_read_memory(second.at, second.size, "round-trip", format, NULL,
                                           &again, &err) == IK_OK) {
        text third = written(format, again, &err);
        CHECK(third.at && same_text(second, third), "%s: the third export differs", spec);
        free(third.at);
    } else {
        CHECK(false, "%s does not come back twice: %s", spec, err.text);
    }
    ik_fabric_free(again);
    ik_fabric_free(back);
    free(second.at);
}

/* A byte order mark in front, as some editors write it, changes nothing. */
static void test_mark(const ik_format *format, const char *spec, text t)
{
    ik_error err = {0};
    ik_fabric *plain = NULL, *marked = NULL;
    char *copy = malloc(t.size + 3), why[256] = "";
    memcpy(copy, "\xef\xbb\xbf", 3);
    memcpy(copy + 3, t.at, t.size);
    CHECK(ik_fabric_read_memory(t.at, t.size, "plain", NULL, NULL, &plain, &err) == IK_OK &&
              ik_fabric_read_memory(copy, t.size + 3, "marked", NULL, NULL, &marked, &err) == IK_OK,
          "%s with a byte order mark does not come back: %s", spec, err.text);
    if (plain && marked)
        CHECK(ik_fabric_equal(plain, marked, why, sizeof why),
              "%s: a byte order mark changes the fabric: %s", spec, why);
    ik_fabric_free(plain);
    ik_fabric_free(marked);
    free(copy);
}

/* Whatever is done to a text, the answer is an error with its place or a sound fabric. */
static void must_hold(const ik_format *format, const char *at, size_t size, const char *what)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_status status = ik_fabric_read_memory(at, size, "spoilt", format, NULL, &f, &err);
    if (status == IK_OK) {
        CHECK(ik_fabric_check(f, &err) == IK_OK, "%s text gives a broken fabric: %s", what,
              err.text);
        ik_fabric_free(f);
    } else {
        CHECK(status == IK_ERR_INPUT && strcmp(err.file, "spoilt") == 0 && err.text[0] && !f,
              "%s text gives status %s, file '%s', text '%s'", what, ik_status_name(status),
              err.file, err.text);
    }
}

static void spoil(const ik_format *format, text t)
{
    ik_rng rng = ik_rng_at(1, IK_RNG_TEST, 0);
    char *copy = malloc(t.size + 1);
    for (int i = 0; i < 150; i++)
        must_hold(format, t.at, ik_rng_below(&rng, (uint32_t)t.size), "cut off");
    for (int i = 0; i < 400; i++) {
        memcpy(copy, t.at, t.size);
        for (uint32_t k = 0; k <= (uint32_t)i % 3; k++)
            copy[ik_rng_below(&rng, (uint32_t)t.size)] =
                (char)(i % 2 ? ' ' + ik_rng_below(&rng, 95) : ik_rng_below(&rng, 256));
        must_hold(format, copy, t.size, "spoilt");
    }
    free(copy);
    must_hold(format, "", 0, "empty");
    must_hold(format, "\0\1\2", 3, "binary");
    must_hold(format, "]", 1, "senseless");
}

static void test_files(const ik_format *format, const ik_fabric *f)
{
    char path[64], packed[80];
    ik_error err = {0};
    snprintf(path, sizeof path, "fabric.%s", format->extensions[0]);
    snprintf(packed, sizeof packed, "%s.gz", path);
    CHECK(ik_fabric_write(f, path, NULL, &err) == IK_OK, "%s: %s", path, err.text);
    CHECK(ik_fabric_write(f, packed, NULL, &err) == IK_OK, "%s: %s", packed, err.text);
    CHECK(ik_fabric_write(f, "no/such/folder/a", format->name, &err) == IK_ERR_IO,
          "a missing folder is not an error");
    CHECK(ik_fabric_write(f, "/dev/full", format->name, &err) == IK_ERR_IO,
          "a full disk is not an error");
    if (format->read) {
        ik_fabric *plain = NULL, *unpacked = NULL;
        char why[256] = "";
        CHECK(ik_fabric_read(path, NULL, NULL, &plain, &err) == IK_OK, "%s: %s", path, err.text);
        CHECK(ik_fabric_read(packed, NULL, NULL, &unpacked, &err) == IK_OK, "%s: %s", packed,
              err.text);
        if (plain && unpacked)
            CHECK(ik_fabric_equal(plain, unpacked, why, sizeof why), "gzip changes the fabric: %s",
                  why);
        ik_fabric_free(plain);
        ik_fabric_free(unpacked);
    }
    unlink(path);
    unlink(packed);
}

static void test_spec(const ik_format *format, const char *spec)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_OK) {
        CHECK(false, "%s: %s", spec, err.text);
        return;
    }
    text t = format->write ? written(format, f, &err) : (text){0};
    CHECK(t.at || !format->write || (err.status == IK_ERR_UNSUPPORTED && err.text[0]), "%s: %s",
          spec, err.text);
    text twice = t.at ? written(format, f, &err) : (text){0};
    CHECK(!t.at || same_text(t, twice), "%s is written differently the second time", spec);
    if (t.at && format->read)
        round_trip(format, spec, f, t);
    if (t.at && format->read)
        test_mark(format, spec, t);
    if (t.at && format->read && f->num_ports < 200)
        spoil(format, t);
    if (t.at && strncmp(spec, "karytree", 8) == 0)
        test_files(format, f);
    free(t.at);
    free(twice.at);
    ik_fabric_free(f);
}

int main(int argc, char **argv)
{
    if (argc != 2 || chdir(SOURCE_DIR) != 0) {
        fprintf(stderr, "usage: conform_format FORMAT\n");
        return 2;
    }
    const ik_format *format = ik_format_find(argv[1]);
    if (!format) {
        fprintf(stderr, "there is no format %s\n", argv[1]);
        return 2;
    }
    CHECK(format->summary && format->source && format->extensions && format->extensions[0] &&
              (format->read || format->write),
          "an incomplete declaration");
    char folder[] = "/tmp/ikat-conform-XXXXXX"; /* nobody else's files have these names */
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        perror(folder);
        return 2;
    }
    for (size_t i = 0; specs[i]; i++) {
        char spec[512];
        snprintf(spec, sizeof spec, strncmp(specs[i], "data/", 5) == 0 ? SOURCE_DIR "/%s" : "%s",
                 specs[i]);
        test_spec(format, spec);
    }
    CHECK(rmdir(folder) == 0, "%s: files are left over", folder);
    return num_failures ? 1 : 0;
}
