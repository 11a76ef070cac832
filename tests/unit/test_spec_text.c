/* SPDX-License-Identifier: Apache-2.0
 *
 * Specs within specs: lists, quotes and parentheses; what is printed is read back as the same. */
#include "unit/made.h"

#include "ikat/base.h"

typedef struct case_of_list {
    ik_param_type type;
    const char *text, *canonical;
} case_of_list;

/* The first rows are texts of earlier versions, which are printed as they were then. */
static const case_of_list lists[] = {
    {IK_PARAM_PATTERNS, "uniform", "uniform"},
    {IK_PARAM_PATTERNS, " uniform + shift:by=3 ", "uniform+shift:by=3"},
    {IK_PARAM_PATTERNS, "80 % *uniform+20%* a.b-c_1 = hotspot:nodes=5;fraction=100%",
     "80%*uniform+20%*a.b-c_1=hotspot:nodes=5;fraction=100%"},
    {IK_PARAM_PATTERNS, "a=x:j=1,k=3+2*b=file:path=a*b=c", "a=x:j=1;k=3+2*b=file:path=a*b=c"},
    {IK_PARAM_PATTERNS, "uniform:self=true", "uniform:self=true"},
    {IK_PARAM_JOBS, "a=exchange:hosts=0..7&b@10 us@30%=subset:pattern=hotspot:nodes=5;x=1|hosts=8",
     "a=exchange:hosts=0..7&b@10 us@30%=subset:pattern=hotspot:nodes=5;x=1|hosts=8"},
    {IK_PARAM_SCHEDULE, "@1 us@20%=uniform&n@2 us=shift:by=3|x=1&mix:4*uniform+shift:by=3;x=1",
     "@1 us@20%=uniform&n@2 us=shift:by=3|x=1&mix:4*uniform+shift:by=3;x=1"},
    {IK_PARAM_SPEC, "dor:tie=random,root=0", "dor:tie=random;root=0"},
    {IK_PARAM_SPEC, "dor:tie=random;root=0", "dor:tie=random;root=0"},
    /* parentheses go where nothing needs them */
    {IK_PARAM_PATTERNS, "80%*(uniform)+20%*in=( hotspot:nodes=5,fraction=1 )",
     "80%*uniform+20%*in=hotspot:nodes=5;fraction=1"},
    {IK_PARAM_PATTERNS, "(file:path=a;b+c,weight=2)+\"shift:by=1\"",
     "(file:path=a;b+c,weight=2)+shift:by=1"},
    {IK_PARAM_JOBS, "a=(subset:pattern=(mix:(shift:by=1)+2*uniform),hosts=0..7)",
     "a=(subset:pattern=(mix:(shift:by=1)+2*uniform),hosts=0..7)"},
    {IK_PARAM_SCHEDULE, "(uniform:self=true)&@5%=(file:path=\"a & (b\")",
     "uniform:self=true&@5%=(file:path=\"a & (b\")"},
    {IK_PARAM_SPEC, "(escape:routing=(lft:path=a;b))", "(escape:routing=(lft:path=a;b))"},
    {IK_PARAM_PATTERNS, "(a=b)+(2*c)", "(a=b)+(2*c)"},
    /* a quote that no value begins with is a character */
    {IK_PARAM_PATTERNS, "file:path=5\"disk+uniform", "(file:path=5\"disk)+uniform"},
};

static void lists_are_read_and_printed(void **state)
{
    (void)state;
    ik_arena arena = {0};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        const case_of_list *of = &lists[k];
        ik_spec_member *list = NULL, *again = NULL;
        size_t num = 0, num_again = 0;
        ik_error err;
        if (ik_spec_members_parse(of->type, of->text, &arena, &list, &num, &err) != IK_OK)
            fail_msg("'%s': %s", of->text, err.text);
        const char *printed = ik_spec_members_print(of->type, list, num, &arena);
        assert_string_equal(printed, of->canonical);
        assert_int_equal(ik_spec_members_parse(of->type, printed, &arena, &again, &num_again, NULL),
                         IK_OK);
        assert_int_equal(num, num_again);
    }
    ik_spec_member *list = NULL;
    size_t num = 0;
    assert_int_equal(ik_spec_members_parse(lists[2].type, lists[2].text, &arena, &list, &num, NULL),
                     IK_OK);
    assert_int_equal(num, 2);
    assert_string_equal(list[0].share, "80%");
    assert_null(list[0].name);
    assert_string_equal(list[1].name, "a.b-c_1");
    assert_string_equal(list[1].spec, "hotspot:nodes=5,fraction=100%");
    ik_arena_free(&arena);
}

static void what_is_no_list_is_refused(void **state)
{
    (void)state;
    static const case_of_list wrong[] = {
        {IK_PARAM_PATTERNS, "", "names nothing"},
        {IK_PARAM_PATTERNS, "uniform+", "no member"},
        {IK_PARAM_PATTERNS, "2*", "no member"},
        {IK_PARAM_PATTERNS, "*uniform", "no member"},
        {IK_PARAM_PATTERNS, "=uniform", "no member"},
        {IK_PARAM_PATTERNS, "2*a=+uniform", "no member"},
        {IK_PARAM_PATTERNS, "()", "no member"},
        {IK_PARAM_JOBS, "exchange", "no job"},
        {IK_PARAM_JOBS, "=exchange", "no job"},
        {IK_PARAM_JOBS, "@1 us=exchange", "no job"},
        {IK_PARAM_SCHEDULE, "=uniform", "no entry"},
        {IK_PARAM_SCHEDULE, "a@=uniform", "no entry"},
        {IK_PARAM_PATTERNS, "(uniform", "'(' without its ')'"},
        {IK_PARAM_PATTERNS, "uniform)", "')' without its '('"},
        {IK_PARAM_PATTERNS, "file:path=\"a", "no other end"},
    };
    ik_arena arena = {0};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ik_spec_member *list;
        size_t num;
        ik_error err;
        if (ik_spec_members_parse(wrong[k].type, wrong[k].text, &arena, &list, &num, &err) !=
            IK_ERR_INPUT)
            fail_msg("'%s' is taken", wrong[k].text);
        if (k && !strstr(err.text, wrong[k].canonical))
            fail_msg("'%s': %s", wrong[k].text, err.text);
        assert_true(err.hint[0] != '\0');
    }
    ik_arena_free(&arena);
}

static void values_stand_in_quotes(void **state)
{
    (void)state;
    ik_arena arena = {0};
    ik_spec s;
    ik_error err;
    assert_int_equal(ik_spec_parse("file:path=\"a,b=\\\"c\\\\\",x=(d,e=f)", &arena, &s, NULL),
                     IK_OK);
    assert_int_equal(s.num, 2);
    assert_string_equal(s.values[0], "a,b=\"c\\");
    assert_string_equal(s.values[1], "(d,e=f)");
    assert_int_equal(ik_spec_parse("file:\"a,b=c\"", &arena, &s, NULL), IK_OK);
    assert_null(s.keys[0]);
    assert_string_equal(s.values[0], "a,b=c");
    assert_int_equal(ik_spec_parse("file:path=\"a\"b", &arena, &s, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "behind the quotes"));
    ik_arena_free(&arena);
}

/* Parts of a list are not inside each other, however many they are; a chain is. */
static void depth_is_that_of_nesting(void **state)
{
    (void)state;
    char text[4000] = "jobs:jobs=";
    ik_arena arena = {0};
    ik_spec s;
    ik_error err;
    for (int k = 0; k < 100; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%sj%d=(exchange:hosts=0)",
                 k ? "&" : "", k);
    assert_int_equal(ik_spec_parse(text, &arena, &s, NULL), IK_OK);
    for (unsigned levels = 31; levels <= 33; levels++) {
        text[0] = '\0';
        for (unsigned k = 0; k < levels; k++)
            strcat(text, "subset:pattern=(");
        strcat(text, "uniform");
        for (unsigned k = 0; k < levels; k++)
            strcat(text, ")");
        assert_int_equal(ik_spec_parse(text, &arena, &s, &err),
                         levels <= 32 ? IK_OK : IK_ERR_INPUT);
    }
    assert_non_null(strstr(err.text, "more than 32 levels"));
    ik_arena_free(&arena);
}

/* ---- what is printed is read back */

static const ik_param rows[] = {{"path", IK_PARAM_PATH, "", 0, 0, NULL, "a file"},
                                {"text", IK_PARAM_STRING, "", 0, 0, NULL, "a text"},
                                {"patterns", IK_PARAM_PATTERNS, "", 0, 0, NULL, "patterns"},
                                {"jobs", IK_PARAM_JOBS, "", 0, 0, NULL, "jobs"},
                                {"entries", IK_PARAM_SCHEDULE, "", 0, 0, NULL, "a schedule"},
                                {"spec", IK_PARAM_SPEC, "", 0, 0, NULL, "a spec"},
                                {0}};

/* Letters, and all that means something somewhere. */
static const char *any_text(ik_rng *rng, ik_arena *arena)
{
    static const char *const pieces[] = {"a", "x=", ",",   ";",    "+",  "&", "|", "*",  "@",
                                         ":", "(",  ")",   "\"",   "\\", "'", " ", "\n", "\xc3\xa4",
                                         "%", "1",  ",x=", "\\\"", "[",  "]", "#", "{"};
    char *text = ik_arena_alloc(arena, 80);
    for (unsigned num = ik_rng_below(rng, 9) + 1; num-- > 0;)
        strcat(text, pieces[ik_rng_below(rng, sizeof pieces / sizeof *pieces)]);
    return text;
}

static const char *any_spec(ik_rng *rng, unsigned depth, ik_arena *arena);

static const char *any_list(ik_rng *rng, ik_param_type type, unsigned depth, ik_arena *arena)
{
    ik_spec_member list[3] = {{0}}, *again = NULL;
    size_t num = type == IK_PARAM_SPEC ? 1 : 1 + ik_rng_below(rng, 3), num_again = 0;
    for (size_t i = 0; i < num; i++) {
        list[i].spec = any_spec(rng, depth, arena);
        if (type == IK_PARAM_SPEC)
            continue;
        list[i].name = type == IK_PARAM_JOBS || ik_rng_below(rng, 2) ? "n" : NULL;
        list[i].share = ik_rng_below(rng, 2) ? "20%" : NULL;
    }
    const char *text = ik_spec_members_print(type, list, num, arena);
    ik_error err;
    if (ik_spec_members_parse(type, text, arena, &again, &num_again, &err) != IK_OK)
        fail_msg("'%s': %s", text, err.text);
    assert_int_equal(num, num_again);
    for (size_t i = 0; i < num; i++) {
        assert_string_equal(list[i].spec, again[i].spec);
        assert_string_equal(list[i].name ? list[i].name : "-", again[i].name ? again[i].name : "-");
        assert_string_equal(list[i].share ? list[i].share : "-",
                            again[i].share ? again[i].share : "-");
    }
    return text;
}

static const char *any_spec(ik_rng *rng, unsigned depth, ik_arena *arena)
{
    ik_params p, again;
    ik_spec spec;
    ik_error err;
    assert_int_equal(ik_params_init(&p, rows, NULL, NULL), IK_OK);
    for (size_t i = 0; i < p.num; i++) {
        if (ik_rng_below(rng, 2))
            continue;
        bool text = rows[i].type == IK_PARAM_PATH || rows[i].type == IK_PARAM_STRING;
        if (!text && !depth)
            continue;
        const char *value =
            text ? any_text(rng, arena) : any_list(rng, rows[i].type, depth - 1, arena);
        assert_int_equal(ik_params_set(&p, "thing", rows[i].name, value, 0, 0, NULL), IK_OK);
    }
    const char *values = ik_params_print(&p, true),
               *printed = ik_arena_printf(arena, "thing%s%s", *values ? ":" : "", values);
    if (ik_spec_parse(printed, arena, &spec, &err) != IK_OK ||
        ik_params_from_spec(&again, "thing", &spec, rows, NULL, &err) != IK_OK)
        fail_msg("'%s': %s", printed, err.text);
    for (size_t i = 0; i < p.num; i++) {
        assert_int_equal(p.values[i].has, again.values[i].has);
        if (p.values[i].has)
            assert_string_equal(p.values[i].text, again.values[i].text);
    }
    ik_params_free(&p);
    ik_params_free(&again);
    return printed;
}

static void what_is_printed_is_read_back(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 3000; seed++) {
        ik_arena arena = {0};
        ik_rng rng = ik_rng_at(seed, IK_RNG_FAULT, 1);
        any_spec(&rng, seed % 4, &arena);
        ik_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read_and_printed),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(values_stand_in_quotes),
        cmocka_unit_test(depth_is_that_of_nesting),
        cmocka_unit_test(what_is_printed_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
