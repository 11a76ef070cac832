/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_mutate.c: the changes that find faults in readers of text and of packed numbers: bytes,
 * ranges, lines, numbers at their limits, words of the format, and ranges of other inputs. */
#include "replay_mutate.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* SplitMix64: Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014. */
static uint64_t draw_bits(replay_draw *draw)
{
    uint64_t z = draw->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 to limit - 1; 0 for limit 0. */
static size_t draw_below(replay_draw *draw, size_t limit)
{
    return limit ? draw_bits(draw) % limit : 0;
}

/* The length of a range: short ones mostly, at most `limit`. */
static size_t draw_length(replay_draw *draw, size_t limit)
{
    size_t most = (size_t)1 << draw_below(draw, 10);
    return limit ? 1 + draw_below(draw, most < limit ? most : limit) : 0;
}

/* Puts `size` bytes, no part of `to`, in place of `gone` bytes at `at`, if there is room. */
static void put(replay_draw *draw, replay_input *to, size_t at, size_t gone, const void *bytes,
                size_t size)
{
    if (to->size - gone + size > draw->most)
        return;
    memmove(to->data + at + size, to->data + at + gone, to->size - at - gone);
    if (size)
        memcpy(to->data + at, bytes, size);
    to->size += size - gone;
}

static void change_byte(replay_draw *draw, replay_input *to)
{
    static const uint8_t bytes[] = {0,   1,   9,   10,  13,  ' ', '"', '#',  '(',  ')', ',',
                                    '-', '.', '/', '0', '9', ':', ';', '=',  '[',  ']', '_',
                                    '{', '}', 'a', 'x', 'e', '%', 127, 0x80, 0xc3, 0xff};
    if (!to->size)
        return;
    uint8_t *byte = &to->data[draw_below(draw, to->size)];
    switch (draw_below(draw, 3)) {
    case 0:
        *byte ^= (uint8_t)(1u << draw_below(draw, 8));
        break;
    case 1:
        *byte = bytes[draw_below(draw, sizeof bytes)];
        break;
    default:
        *byte = (uint8_t)draw_bits(draw);
    }
}

static void insert_bytes(replay_draw *draw, replay_input *to)
{
    uint8_t bytes[64];
    size_t size = 1 + draw_below(draw, draw_below(draw, 8) ? 4 : sizeof bytes);
    bool same = draw_below(draw, 2);
    for (size_t i = 0; i < size; i++)
        bytes[i] = same && i ? bytes[0] : (uint8_t)draw_bits(draw);
    put(draw, to, draw_below(draw, to->size + 1), 0, bytes, size);
}

static void remove_range(replay_draw *draw, replay_input *to)
{
    size_t size = draw_length(draw, to->size);
    put(draw, to, draw_below(draw, to->size - size + 1), size, NULL, 0);
}

static void cut_end(replay_draw *draw, replay_input *to)
{
    to->size = draw_below(draw, to->size + 1);
}

/* A range of one of the given inputs, here or in place of as much. */
static void splice(replay_draw *draw, replay_input *to)
{
    const replay_input *from = &draw->given->of[draw_below(draw, draw->given->num)];
    size_t size = draw_length(draw, from->size), at = draw_below(draw, to->size + 1);
    size_t gone = draw_below(draw, 2) ? size : 0;
    put(draw, to, at, gone < to->size - at ? gone : to->size - at,
        from->data + draw_below(draw, from->size - size + 1), size);
}

static void put_word(replay_draw *draw, replay_input *to)
{
    if (!draw->words->num) {
        insert_bytes(draw, to);
        return;
    }
    const replay_input *word = &draw->words->of[draw_below(draw, draw->words->num)];
    size_t at = draw_below(draw, to->size + 1), gone = draw_below(draw, 2) ? word->size : 0;
    put(draw, to, at, gone < to->size - at ? gone : to->size - at, word->data, word->size);
}

/* A decimal number becomes one at a limit, its neighbour, or some other. */
static void change_number(replay_draw *draw, replay_input *to)
{
    static const char *const limits[] = {"0",
                                         "-1",
                                         "1",
                                         "2",
                                         "255",
                                         "256",
                                         "65535",
                                         "65536",
                                         "2147483647",
                                         "2147483648",
                                         "4294967295",
                                         "4294967296",
                                         "9223372036854775807",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "1e308",
                                         "1e-320",
                                         "nan",
                                         "inf",
                                         "0x10",
                                         "00",
                                         ".5",
                                         "99999999999999999999999999"};
    char text[32];
    size_t start = draw_below(draw, to->size), seen = 0;
    while (seen < to->size && (to->data[start] < '0' || to->data[start] > '9')) {
        start = (start + 1) % to->size;
        seen++;
    }
    if (seen == to->size)
        return;
    size_t end = start;
    uint64_t value = 0;
    for (; end < to->size && to->data[end] >= '0' && to->data[end] <= '9'; end++)
        value = 10 * value + to->data[end] - '0';
    const char *number = text;
    switch (draw_below(draw, 3)) {
    case 0:
        number = limits[draw_below(draw, sizeof limits / sizeof *limits)];
        break;
    case 1:
        snprintf(text, sizeof text, "%llu",
                 (unsigned long long)(value + (draw_below(draw, 2) ? 1 : UINT64_MAX)));
        break;
    default:
        snprintf(text, sizeof text, "%zu", draw_below(draw, 1000));
    }
    put(draw, to, start, end - start, number, strlen(number));
}

/* Four or eight bytes become an integer at a limit, in either order of bytes. */
static void put_integer(replay_draw *draw, replay_input *to)
{
    static const uint64_t limits[] = {0,
                                      1,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0x7fff,
                                      0xffff,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0xffffffffffffffff};
    size_t size = (size_t)1 << draw_below(draw, 4);
    uint64_t value = limits[draw_below(draw, sizeof limits / sizeof *limits)];
    bool big = draw_below(draw, 2);
    if (to->size < size)
        return;
    uint8_t *bytes = to->data + draw_below(draw, to->size - size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* Where the line of a drawn place begins and ends, its '\n' included. */
static void find_line(replay_draw *draw, const replay_input *in, size_t *start, size_t *end)
{
    *start = *end = draw_below(draw, in->size);
    while (*start > 0 && in->data[*start - 1] != '\n')
        --*start;
    while (*end < in->size && in->data[(*end)++] != '\n')
        ;
}

/* A line goes, or a line of one of the given inputs comes before it or in its place. */
static void change_line(replay_draw *draw, replay_input *to)
{
    const replay_input *from = &draw->given->of[draw_below(draw, draw->given->num)];
    size_t start, end, from_start = 0, from_end = 0, way = draw_below(draw, 3);
    find_line(draw, to, &start, &end);
    if (way > 0)
        find_line(draw, from, &from_start, &from_end);
    put(draw, to, start, way == 1 ? 0 : end - start, from->data + from_start,
        from_end - from_start);
}

void replay_mutate(replay_draw *draw, replay_input *to)
{
    static void (*const changes[])(replay_draw *, replay_input *) = {
        change_byte, change_byte,   insert_bytes,  remove_range, cut_end,     splice,     put_word,
        put_word,    change_number, change_number, put_integer,  change_line, change_line};
    const replay_input *from = &draw->given->of[draw_below(draw, draw->given->num)];
    to->size = from->size < draw->most ? from->size : draw->most;
    if (to->size)
        memcpy(to->data, from->data, to->size);
    for (size_t left = (size_t)1 << draw_below(draw, 4); left; left--) {
        size_t which = draw_below(draw, sizeof changes / sizeof *changes);
        if (changes[which] != cut_end || draw_below(draw, 4) == 0)
            changes[which](draw, to);
    }
}
