/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/base.h: status codes and errors, memory, quantities, random numbers, declared parameters,
 * threads.
 *
 * Conventions of the whole library:
 *  - every function that can fail returns ik_status and takes an `ik_error *err` last (NULL is
 *    allowed);
 *  - outputs are written only on success;
 *  - what the library allocates (ik_fabric *, ik_plan * ...) is freed by a function that takes
 *    NULL; what a caller declares (ik_proof, ik_load ...) begins as zeros: the function that frees
 *    what it holds may then be called before it is filled, and again, but not with NULL;
 *  - the library never prints, never ends the process, keeps no global state but plug-ins;
 *  - quantities carry their unit in the name: _ps (picoseconds), _bps (bit/s), _bytes, _hops.
 */
#ifndef IKAT_BASE_H
#define IKAT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What stands between the two has C linkage and is what the shared library exports: its other
 * functions are compiled with hidden visibility. */
#if defined(__GNUC__)
#define IK_EXPORT_BEGIN _Pragma("GCC visibility push(default)")
#define IK_EXPORT_END   _Pragma("GCC visibility pop")
#else
#define IK_EXPORT_BEGIN
#define IK_EXPORT_END
#endif
#ifdef __cplusplus
#define IK_BEGIN_DECLS                                                                             \
    extern "C" {                                                                                   \
    IK_EXPORT_BEGIN
#define IK_END_DECLS                                                                               \
    IK_EXPORT_END                                                                                  \
    }
#else
#define IK_BEGIN_DECLS IK_EXPORT_BEGIN
#define IK_END_DECLS   IK_EXPORT_END
#endif

IK_BEGIN_DECLS

#if defined(__GNUC__)
#define IK_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define IK_PRINTF(fmt, args)
#endif

/* "No such index": no peer, no route, no host. */
#define IK_NONE UINT32_MAX

/* ------------------------------------------------------------------------------------------
 * errors */

typedef enum ik_status {
    IK_OK = 0,
    /* the caller asked for something that makes no sense (wrong name, range, combination) */
    IK_ERR_USAGE,
    IK_ERR_INPUT,  /* a file or text from outside is wrong; err->file/line/column say where */
    IK_ERR_IO,     /* the operating system refused (missing file, full disk) */
    IK_ERR_MEMORY, /* out of memory, or the request would need more than allowed */
    /* a valid request that this member of a family cannot serve (routing does not fit the
     * fabric) */
    IK_ERR_UNSUPPORTED,
    IK_ERR_FAILED,    /* a proof or a check failed */
    IK_ERR_CANCELLED, /* the caller's cancel flag was raised */
    IK_ERR_INTERNAL   /* an invariant of ikat is broken: a bug, please report */
} ik_status;

/* What an error is, beyond its status: what a program may want to answer in a way of its own. */
typedef enum ik_error_kind {
    IK_ERROR_ANY = 0,
    IK_ERROR_FOREIGN_FILE, /* the whole file is something else than what was expected */
    IK_ERROR_PARTLY_DONE   /* cancelled, and the text says how much is finished */
} ik_error_kind;

/* One error: a code to branch on, its place, and a text with the actual values. `text` says what is
 * wrong, `hint` (may be empty) what would be right. Both are for people: a program asks `status`,
 * `kind`, `meant` and `settings`. Plain value: no ownership, copy freely. */
typedef struct ik_error {
    ik_status status;
    ik_error_kind kind;
    char file[256];  /* "" if the error has no place in a file */
    unsigned line;   /* 1-based, 0 = unknown */
    unsigned column; /* 1-based, 0 = unknown */
    char text[512];
    char hint[384];
    /* names of the settings that it is about, the one to blame first, a blank between two: "w k";
     * "section.name" where it is of that section of an experiment and no other. What a setting is
     * made of has a path: "jobs/2/traffic/bytes", members of a list by number. "" = not known */
    char settings[112];
    char meant[64]; /* the name that was probably meant, which the hint has too; "" = not known */
    /* the caller's, to find again what a function of a plug-in failed with: 0 in a new error, and
     * not read by the library */
    uint64_t token;
} ik_error;

/* Fills *err (if not NULL) with status and text, clears the rest, and returns status: `return
 * ik_fail(err, …)`. */
ik_status ik_fail(ik_error *err, ik_status status, const char *format, ...) IK_PRINTF(3, 4);
/* As ik_fail, with a place. `file` may be NULL. */
ik_status ik_fail_at(ik_error *err, ik_status status, const char *file, unsigned line,
                     unsigned column, const char *format, ...) IK_PRINTF(6, 7);
/* Sets the hint of an error that was just filled; returns `status`, so that it can end a function
 * as ik_fail does. */
ik_status ik_hint(ik_error *err, ik_status status, const char *format, ...) IK_PRINTF(3, 4);
/* Says which name was probably meant instead of an unknown one: "did you mean 'name'?" before the
 * hint, which then begins with a capital letter. Nothing where name is NULL. Returns status:
 * `return ik_meant(err, ik_hint(err, …), nearest)`. */
ik_status ik_meant(ik_error *err, ik_status status, const char *name);
/* Says of which kind an error is (err may be NULL); returns status. */
ik_status ik_of_kind(ik_error *err, ik_status status, ik_error_kind kind);
/* Says which settings an error is about (ik_error.settings; err may be NULL); returns status:
 * `return ik_about(err, ik_fail(err, …), "w k")`. */
ik_status ik_about(ik_error *err, ik_status status, const char *format, ...) IK_PRINTF(3, 4);
/* The error of a part of a setting: puts the path of the part and '/' before the names of its
 * settings, but those of a section; without settings it is about the part. The names that then do
 * not fit are left out. */
ik_status ik_about_within(ik_error *err, ik_status status, const char *format, ...) IK_PRINTF(3, 4);
/* Sets the place of an error that has none yet (keeps an existing one). */
void ik_error_at(ik_error *err, const char *file, unsigned line, unsigned column);
/* "out of memory: 1.2 GiB for WHAT". */
ik_status ik_fail_memory(ik_error *err, size_t bytes, const char *what);
/* About so many bytes as people say it, into buffer (32 bytes do), which is returned: "6.6 GiB". */
char *ik_format_bytes(char *buffer, size_t size, double bytes);
const char *ik_status_name(ik_status status);
/* Makes a text fit to be shown in a line of a terminal: control characters, characters that end a
 * line or turn the direction of text, and bytes that are no UTF-8, become '?'. Returns text. The
 * texts of an ik_error are made so when it is filled. */
char *ik_text_line(char *text);
/* Prints a text as a cell of CSV (RFC 4180): in quotation marks where it must be, U+FFFD for what
 * ik_text_line() replaces other than line ends, and an apostrophe before what a spreadsheet would
 * take for a formula: a text that begins with '=', '+', '-' or '@', is longer, and is no number. */
void ik_text_csv(FILE *out, const char *text);

/* How text is laid out in lines. A character of UTF-8 counts as one column. */
typedef struct ik_wrap {
    /* most columns of a line, 0 = any number; a piece that is wider has a line of its own */
    unsigned width;
    unsigned column;  /* where the first line begins: so much stands there already */
    unsigned indent;  /* columns in front of every other line */
    const char *more; /* what ends a line that is continued, as " \\"; NULL = nothing */
    /* How many of the `left` bytes at text are not to be broken (0 = a word); NULL = words. */
    size_t (*piece)(const char *text, size_t left);
} ik_wrap;
/* Prints `size` bytes of text and a line break. Lines are broken at blanks and line breaks alone,
 * but also behind a '|' of a word that no line has room for. Control characters, and bytes that
 * are no UTF-8, become '?'. */
void ik_text_wrap(FILE *out, const char *text, size_t size, const ik_wrap *how);

/* ------------------------------------------------------------------------------------------
 * memory */

/* An arena: allocations that live and die together. Not thread-safe. Zero-initialise, free with
 * ik_arena_free. */
typedef struct ik_arena {
    struct ik_arena_block *head;
} ik_arena;
/* 16-byte aligned, zeroed; NULL when out of memory. */
void *ik_arena_alloc(ik_arena *arena, size_t bytes);
char *ik_arena_strdup(ik_arena *arena, const char *text);
char *ik_arena_printf(ik_arena *arena, const char *format, ...) IK_PRINTF(2, 3);
void ik_arena_free(ik_arena *arena);
/* calloc(count, size) that refuses overflow; NULL when out of memory or count * size overflows.
 * Free with free(). */
void *ik_calloc(size_t count, size_t size);

/* ------------------------------------------------------------------------------------------
 * quantities */

/* What a quantity measures; decides which units its text may carry. */
typedef enum ik_dimension {
    IK_DIM_NONE = 0, /* plain number */
    IK_DIM_TIME,     /* ps ns us ms s min h; kept as integer picoseconds */
    IK_DIM_RATE,     /* b/s kb/s Mb/s Gb/s Tb/s, B/s … ; kept as integer bit/s */
    /* B kB MB GB (powers of 1000) KiB MiB GiB (powers of 1024) KB (=1024 B, as 003 and 000 use it
     * is NOT accepted) */
    IK_DIM_SIZE,
    IK_DIM_FRACTION, /* 25 % or 0.25; kept as double */
    IK_DIM_LENGTH    /* m cm km; kept as integer millimetres */
} ik_dimension;

/* Parses "6 ns", "100Gb/s", "192 KiB", "25 %". Exact: a value that is not a whole number of the
 * base unit is refused. Out: *value in base units (ps, bit/s, bytes, mm). IK_ERR_INPUT with text
 * and hint otherwise. */
ik_status ik_parse_quantity(const char *text, ik_dimension dim, uint64_t *value, ik_error *err);
/* Fractions and plain reals. Accepts "25 %", "0.25", "1e-3". */
ik_status ik_parse_real(const char *text, ik_dimension dim, double *value, ik_error *err);
/* Shortest exact text in the largest fitting unit: "6 ns", "100 Gb/s", "192 KiB". Writes at most
 * `size` bytes. */
char *ik_format_quantity(char *buffer, size_t size, uint64_t value, ik_dimension dim);
/* The same of a rate for people: three digits where the exact text has more than three decimals:
 * "54.5 Gb/s" for 4xFDR. Not to be read back. */
char *ik_format_rate(char *buffer, size_t size, uint64_t rate_bps);
/* A count and what is counted: "1 switch", "2 host pairs" of "switch", "host pair". Where more than
 * the ending changes, `noun` has both: "entry is|entries are". IK_COUNT has a buffer of its own,
 * which lives as long as the block that it stands in. */
char *ik_format_count(char *buffer, size_t size, uint64_t count, const char *noun);
#define IK_COUNT(count, noun) ik_format_count((char[64]){""}, 64, count, noun)
/* Greatest common divisor; gcd(0, x) = x. */
uint64_t ik_gcd(uint64_t a, uint64_t b);
/* Transmission time of `bytes` at `rate_bps`, rounded to the nearest picosecond (ties up), at least
 * one but for no byte: 4096 B at 100 Gb/s = 327680 ps. */
uint64_t ik_transmit_ps(uint64_t bytes, uint64_t rate_bps);

/* ------------------------------------------------------------------------------------------ random
 * numbers */

/* Counter-based random numbers (Philox 4x32-10, Random123; Salmon et al., SC'11): the draw has an
 * address, not a state. The same (seed, purpose, entity, counter) gives the same number on every
 * machine and thread count. */
typedef enum ik_purpose {
    IK_RNG_TRAFFIC_DEST = 1, /* destination of a message; entity = source host */
    IK_RNG_TRAFFIC_TIME,     /* inter-arrival; entity = source host */
    IK_RNG_TRAFFIC_SETUP,    /* permutations, hot sets */
    IK_RNG_ROUTE_SETUP,      /* static random tables */
    IK_RNG_ROUTE_PACKET,     /* oblivious draws; entity = source host, counter = packet number */
    IK_RNG_SELECT,           /* selection functions; entity = switch */
    IK_RNG_ARBITER,          /* random arbiters; entity = switch */
    IK_RNG_TOPOLOGY,         /* random graphs */
    IK_RNG_FAULT,            /* failed links and switches */
    IK_RNG_VC,               /* VC choices */
    IK_RNG_ANALYSIS,         /* sampled measures, sampled permutations */
    IK_RNG_TEST,             /* tests only */
    /* outputs of oblivious routings; entity = source host | hops << 40, counter = packet number */
    IK_RNG_ROUTE_HOP,
    IK_RNG_RAIL,         /* which ports of two hosts a message takes; entity = source host */
    IK_RNG_MESSAGE_SIZE, /* entity = source host */
    IK_RNG_SELECT_LAST = IK_RNG_RAIL
} ik_purpose;

uint64_t ik_random_u64(uint64_t seed, ik_purpose purpose, uint64_t entity, uint64_t counter);
/* Unbiased enough for simulation: multiply-shift of 64 bits on n < 2^32 (bias below 2^-32). n >
 * 0. */
uint32_t ik_random_below(uint64_t seed, ik_purpose purpose, uint64_t entity, uint64_t counter,
                         uint32_t n);
/* The same for `count` counters from `counter` on, each `step` beyond the one before: out[k] =
 * ik_random_below(…, counter + k * step, n). For a quarter of the cost each where the processor has
 * AVX2 and they come by eights. */
void ik_random_below_run(uint64_t seed, ik_purpose purpose, uint64_t entity, uint64_t counter,
                         uint32_t step, uint32_t n, uint32_t count, uint32_t *out);
/* Uniform in [0,1), 53 bits. */
double ik_random_unit(uint64_t seed, ik_purpose purpose, uint64_t entity, uint64_t counter);

/* A sequential view of one address line, for set-up code: counter advances by one a draw. */
typedef struct ik_rng {
    uint64_t seed, entity, counter;
    ik_purpose purpose;
} ik_rng;
ik_rng ik_rng_at(uint64_t seed, ik_purpose purpose, uint64_t entity);
uint64_t ik_rng_u64(ik_rng *rng);
uint32_t ik_rng_below(ik_rng *rng, uint32_t n); /* exactly unbiased (rejection); n > 0 */
double ik_rng_unit(ik_rng *rng);
/* Fisher-Yates. */
void ik_rng_shuffle_u32(ik_rng *rng, uint32_t *items, size_t count);

/* ------------------------------------------------------------------------------------------
 * declared parameters */

typedef enum ik_param_type {
    IK_PARAM_UINT,   /* unsigned integer within [min, max] */
    IK_PARAM_REAL,   /* double within [min, max] */
    IK_PARAM_BOOL,   /* true|false|yes|no|on|off */
    IK_PARAM_ENUM,   /* one of `choices` ("a|b|c"); kept as its index and its text */
    IK_PARAM_STRING, /* free text */
    /* texts without blanks, separated by blanks or commas; in YAML also a list. One value */
    IK_PARAM_TEXTS,
    /* name of a file that is read; in an experiment relative to its folder, and the contents count
     * as part of it */
    IK_PARAM_PATH,
    IK_PARAM_UINT_LIST, /* 16:16 on the command line, [16, 16] or 16:16 in YAML */
    /* whole numbers and ranges of them, 0..63:70 or [0..63, 70]: list holds pairs of the first and
     * the last number of each range, in the order written */
    IK_PARAM_RANGES,
    /* a spec within a spec, see ik_spec_members_parse as for all that follow */
    IK_PARAM_SPEC,
    IK_PARAM_PATTERNS, /* specs of traffic patterns; in YAML also a list of mappings */
    IK_PARAM_JOBS,     /* jobs; in YAML a list of mappings */
    /* entries of a schedule; in YAML a list of mappings */
    IK_PARAM_SCHEDULE,
    IK_PARAM_TIME,     /* ik_parse_quantity, picoseconds */
    IK_PARAM_RATE,     /* bit/s */
    IK_PARAM_SIZE,     /* bytes */
    IK_PARAM_FRACTION, /* 25 % or 0.25, within [min, max] */
    IK_PARAM_LENGTH    /* millimetres */
} ik_param_type;

/* What the quantities of a parameter measure; IK_DIM_NONE for types without a unit. */
ik_dimension ik_param_dimension(ik_param_type type);

struct ik_param;
/* p->min or p->max as people write it, with its unit, into buffer (48 bytes do), which is
 * returned. */
const char *ik_param_bound(const struct ik_param *p, double bound, char *buffer, size_t size);

/* One declared parameter: help, parsing, error messages, documentation and fuzz dictionaries come
 * from this row. A table ends with a row whose name is NULL. */
typedef struct ik_param {
    const char *name;
    ik_param_type type;
    /* default as text; NULL = required; "" = optional without a value (ik_params_has is false) */
    const char *def;
    /* inclusive; both 0 = no limit. Of STRING, max 1: a share is one of the texts, max 2: a whole
     * number, too; experiments sweep ranges of them */
    double min, max;
    /* IK_PARAM_ENUM; of UINT, TIME, RATE, SIZE and LENGTH: words that stand beside the numbers, of
     * PATH: beside files (ik_params_word); of numbers "least*F" is the word with any factor */
    const char *choices;
    const char *help; /* one line, no full stop */
    /* NULL, or where it has an effect: "model=iq|ioq", "queues=damq and vcs>1 or not t_max" (see
     * ik_params_check_needs); and what to use elsewhere, or NULL. Written where it has no effect it
     * is refused. */
    const char *needs, *instead;
} ik_param;

typedef struct ik_value {
    const char *text;      /* canonical text (also what provenance stores) */
    bool has;              /* false: optional and not given */
    bool given;            /* true: written by the user rather than the default */
    const char *source;    /* where it was written, as ik_params.source was then */
    unsigned line, column; /* place in its source, 0 = none */
    uint64_t u;            /* UINT, BOOL, ENUM index, TIME, RATE, SIZE, LENGTH */
    /* 1 + index of a word instead of a number (u is 0 then) or a file; 0 = none */
    unsigned word;
    double r;             /* REAL, FRACTION; the factor of a word that stands beside numbers */
    const uint32_t *list; /* UINT_LIST; RANGES: pairs */
    size_t list_count;
    /* PATTERNS, JOBS, SCHEDULE: what is listed; SPEC: the one */
    struct ik_spec_member *members;
    size_t num_members;
} ik_value;

/* A set of parameter values according to a declaration. Owns its memory (arena). */
typedef struct ik_params {
    ik_arena arena;
    /* borrowed, static; the concatenation of the member's and the family's common rows */
    const ik_param *decl;
    size_t num;
    ik_value *values;   /* [num], same order as decl */
    const char *source; /* "command line", a file name; for error places */
} ik_params;

/* Starts with every default. `common` may be NULL (rows that all members of a family share). Free
 * with ik_params_free. */
ik_status ik_params_init(ik_params *params, const ik_param *decl, const ik_param *common,
                         ik_error *err);
/* Sets one value from text. Unknown name: IK_ERR_INPUT with the nearest declared name as hint; bad
 * value: what was expected, range and unit. `owner` names the thing in messages ("topology
 * 'xgft'"). */
ik_status ik_params_set(ik_params *params, const char *owner, const char *name, const char *text,
                        unsigned line, unsigned column, ik_error *err);
/* Checks that every required value is present. */
ik_status ik_params_finish(const ik_params *params, const char *owner, ik_error *err);
void ik_params_free(ik_params *params);
/* Accessors: name must be declared with the fitting type (checked by an assertion in debug
 * builds). */
bool ik_params_has(const ik_params *params, const char *name);
/* written by the user, be it the default's value */
bool ik_params_given(const ik_params *params, const char *name);
/* UINT, BOOL, TIME, RATE, SIZE, LENGTH */
uint64_t ik_params_uint(const ik_params *params, const char *name);
double ik_params_real(const ik_params *params, const char *name); /* REAL, FRACTION */
bool ik_params_bool(const ik_params *params, const char *name);
unsigned ik_params_enum(const ik_params *params, const char *name);
/* Of a number or a file whose row has `choices`: 1 + the index of the word that stands there
 * instead, 0 = a number, a file. */
unsigned ik_params_word(const ik_params *params, const char *name);
/* Of a UINT with the choices least and least*F: the number, or so many times `least`, rounded
 * up. */
uint64_t ik_params_limit(const ik_params *params, const char *name, uint64_t least);
const char *ik_params_text(const ik_params *params, const char *name);
/* PATTERNS, JOBS, SCHEDULE: what is listed; SPEC: the one. NULL if not given. */
const struct ik_spec_member *ik_params_members(const ik_params *params, const char *name,
                                               size_t *num);
const uint32_t *ik_params_list(const ik_params *params, const char *name, size_t *count);
/* Refuses what was given (at its default too) where its row's `needs` does not hold: IK_ERR_INPUT
 * with the value's place, which other value stands against it, and what to use instead. needs: ways
 * joined by " or ", clauses of a way by " and "; a clause is [not] NAME (has a value),
 * NAME=VALUE|VALUE, NAME>BOUND or NAME<BOUND (a number or another parameter). NAME may be
 * SECTION.NAME: it is looked up in `other` if `other_name` is that section, else it counts as
 * holding. */
ik_status ik_params_check_needs(const ik_params *params, const char *owner, const char *other_name,
                                const ik_params *other, ik_error *err);
/* Whether row i's `needs` holds among these values; what it says of other sections counts as
 * holding. */
bool ik_params_counts(const ik_params *params, size_t i);
/* Canonical "a=1,b=2" of every value that differs from its default (all = true: of every value that
 * is set). Owned by params. */
const char *ik_params_print(ik_params *params, bool all);

/* "xgft:m=16:16,w=1:10" -> name "xgft" and pairs. The one syntax of specs on the command line and
 * in files: NAME [ ':' ITEM { ',' ITEM } ], ITEM = KEY '=' VALUE; a first ITEM without '=' is the
 * value of the member's first declared parameter. Values may contain ':', and commas that no KEY=
 * follows. A value in quotes may contain anything: file:path="a,b=\"c\".csv", with the escapes \"
 * and \\. Nothing is looked for inside of parentheses, which stand in pairs. Owned by arena.
 * IK_ERR_USAGE: text is NULL. */
typedef struct ik_spec {
    const char *name;
    size_t num;
    const char **keys; /* NULL for the positional item */
    const char **values;
} ik_spec;
ik_status ik_spec_parse(const char *text, ik_arena *arena, ik_spec *spec, ik_error *err);
/* IK_ERR_INPUT if an item before i sets the same parameter. */
ik_status ik_spec_once(const ik_spec *spec, size_t i, const ik_params *params, const char *owner,
                       ik_error *err);
/* Applies every item of the spec to params. */
ik_status ik_spec_apply(const ik_spec *spec, ik_params *params, const char *owner, ik_error *err);

/* A member of a list of specs within a spec:
 *
 *   IK_PARAM_PATTERNS  "[SHARE*][NAME=]SPEC" joined by '+'. A name has letters, digits and "_-."
 *   IK_PARAM_JOBS      "NAME[@START][@LOAD]=SPEC" joined by '&'
 *   IK_PARAM_SCHEDULE  "[NAME][@UNTIL][@LOAD]=SPEC", or SPEC alone, joined by '&'
 *   IK_PARAM_SPEC      one SPEC
 *
 * SPEC is a spec in parentheses, "a=(file:path=x,weight=2)&b=(mix:(shift:by=1)+uniform)", or one
 * without '(' and quotes, with ';' instead of ',' inside of it, '|' in jobs and schedules. */
typedef struct ik_spec_member {
    const char *share; /* SHARE; what follows the first '@'. NULL = not given */
    const char *name;  /* NULL = not given */
    const char *spec;  /* as ik_spec_parse takes it */
} ik_spec_member;
/* *out: [*num], num > 0, in the arena. IK_ERR_INPUT if a part is empty, or a job has no name;
 * specs, names and shares are not looked into. */
ik_status ik_spec_members_parse(ik_param_type type, const char *text, ik_arena *arena,
                                ik_spec_member **out, size_t *num, ik_error *err);
/* The text that is parsed to the same list, with parentheses only where they are needed; NULL when
 * out of memory. */
const char *ik_spec_members_print(ik_param_type type, const ik_spec_member *list, size_t num,
                                  ik_arena *arena);

/* ik_params_init, ik_spec_apply and ik_params_finish in one: what every family's from_spec does.
 * kind: "topology", "routing" … */
ik_status ik_params_from_spec(ik_params *params, const char *kind, const ik_spec *spec,
                              const ik_param *decl, const ik_param *common, ik_error *err);
/* "there is no KIND 'name'", with the nearest of names (NULL-terminated), or all of them, as hint.
 * IK_ERR_INPUT. */
ik_status ik_fail_unknown(ik_error *err, const char *kind, const char *name,
                          const char *const *names);
/* The hint alone, of an error that was just filled; returns `status`. */
ik_status ik_hint_nearest(ik_error *err, ik_status status, const char *name,
                          const char *const *names);
/* Nearest of `names` (NULL-terminated) to `name` by edit distance (Damerau-Levenshtein), NULL if
 * none is close. */
const char *ik_nearest_name(const char *name, const char *const *names);
/* The same of words joined by '|'; it stands in the arena. NULL also without memory. */
const char *ik_nearest_word(const char *name, const char *words, ik_arena *arena);

/* ------------------------------------------------------------------------------------------
 * progress, cancelling, threads */

/* What a long computation gets from its caller. All fields may be zero, and an ik_env* that a
 * function takes may be NULL, which is the same. Borrowed for the duration of the call. */
typedef struct ik_env {
    uint64_t seed;        /* of all random numbers; 0 is a seed like any other */
    unsigned num_threads; /* 0 or 1 = this thread only; results never depend on it */
    /* non-zero = stop soon with IK_ERR_CANCELLED; raised with ik_cancel_raise, by a signal handler
     * or any thread. NULL = never */
    const int *cancel;
    /* Called from the calling thread at most every ~50 ms. done <= total; unit e.g. "pairs".
     * NULL = not called */
    void (*progress)(void *ctx, const char *what, uint64_t done, uint64_t total, const char *unit);
    void *progress_ctx;
    uint64_t memory_limit_bytes; /* 0 = no limit: refuse requests that need more, saying how much */
    const char *cache_folder;    /* where ik_verify_cached keeps proofs; NULL = nowhere */
    /* what a routing is made for that is made for a pattern, where its spec names none; NULL =
     * nothing, and such a routing is refused */
    const struct ik_traffic *traffic;
    /* processes that simulate together with this one (ikat/ranks.h), which all make the same calls;
     * NULL = none */
    struct ik_ranks *ranks;
} ik_env;

/* Atomic; all may be called in a signal handler. */
static inline void ik_cancel_raise(int *cancel)
{
    __atomic_store_n(cancel, 1, __ATOMIC_RELAXED);
}
static inline bool ik_cancel_raised(const int *cancel)
{
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED);
}
static inline bool ik_env_cancelled(const ik_env *env)
{
    return env && ik_cancel_raised(env->cancel);
}

/* Runs fn(ctx, index, thread) for index in [0, count) on env->num_threads threads, dynamic chunks,
 * and waits. fn must not depend on the order; it returns a status, the lowest index's failure is
 * returned. */
typedef ik_status (*ik_parallel_fn)(void *ctx, size_t index, unsigned thread, ik_error *err);
ik_status ik_parallel_for(const ik_env *env, const char *what, size_t count, ik_parallel_fn fn,
                          void *ctx, ik_error *err);
/* The same; unit: what is counted, for progress. */
ik_status ik_parallel_for_units(const ik_env *env, const char *what, const char *unit, size_t count,
                                ik_parallel_fn fn, void *ctx, ik_error *err);
/* Number of threads ik_parallel_for will use (>= 1): size per-thread scratch with it. */
unsigned ik_env_threads(const ik_env *env);
/* Refuses what needs more than env's memory limit before it begins, IK_ERR_MEMORY: "WHAT: about 6.6
 * GiB would be needed, the limit is 1 GiB". */
ik_status ik_env_refuse_bytes(const ik_env *env, double bytes, const char *what, ik_error *err);

/* ------------------------------------------------------------------------------------------ text
 * files in */

/* The whole file ("-" = standard input), unpacked if it is gzip; *text is the caller's to free()
 * and has a 0 behind its *size bytes. limit_bytes: refuse more (unpacked) with IK_ERR_MEMORY; 0 = 4
 * GiB. IK_ERR_IO: it cannot be opened or read, or is a directory. IK_ERR_INPUT: the packed file is
 * damaged, or holds a byte that no text holds, at which reading ends. Cost O(size), peak memory
 * three times the size. */
ik_status ik_text_read(const char *path, uint64_t limit_bytes, char **text, size_t *size,
                       ik_error *err);
/* What every reader of a text starts with: passes over a UTF-8 byte order mark (*text and *size
 * move behind it) and refuses bytes that no text holds, at their place in `file`: the readers
 * behind need not think of either. O(size). */
ik_status ik_text_begin(const char **text, size_t *size, const char *file, ik_error *err);

/* ------------------------------------------------------------------------------------------ files
 * out */

/* A file that is written whole or not at all: `out` is a new file beside `path`, which closing
 * flushes to disk and renames. A device or pipe is written in place; where `path` is a link, the
 * file behind it is replaced. The new file is locked (flock): those beside `path` that killed
 * processes have left are removed when the next one is made. */
typedef struct ik_output {
    FILE *out;
    const char *path;         /* borrowed until it is closed */
    char *target, *temporary; /* private; NULL if it is written in place */
    int lock;                 /* private: held on the temporary file */
} ik_output;
ik_status ik_output_open(ik_output *o, const char *path, ik_error *err);
/* `status` says how the writing went: anything but IK_OK leaves `path` as it was. Returns it, or
 * IK_ERR_IO. */
ik_status ik_output_close(ik_output *o, ik_status status, ik_error *err);

/* Seconds of a clock of clock_gettime(), as CLOCK_MONOTONIC of <time.h>. */
double ik_clock_s(int clock);
const char *ik_version(void); /* "0.1.0" */
/* The version and a digest of the sources and the compiler: equal texts, equal answers. */
const char *ik_build(void);

IK_END_DECLS
#endif
