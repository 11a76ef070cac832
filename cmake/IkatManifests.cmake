# A family is a manifest: src/FLOOR/MANIFEST holds one row X(stem) a member, the member lives in PREFIX_stem.c below src/FLOOR and
# defines `const TYPE SYMBOLstem`. From the rows this makes build/generated/ikat_MANIFEST.h (extern declarations, the NULL-terminated
# table `NAME_table`, `NAME_find` and the error `NAME_unknown`) and the list IKAT_MEMBERS_<prefix> that the tests use. A row without
# a file, or a file without a row, fails the build. An argument behind these, such as REGISTRY_ROUTING, says that plug-ins may add
# members (src/registry): `NAME_all()` gives those too.
function(ikat_manifest floor manifest prefix type symbol)
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/src/${floor})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${dir}/${manifest})
  file(STRINGS ${dir}/${manifest} rows REGEX "^X\\(")
  set(members)
  set(files)
  file(GLOB_RECURSE paths CONFIGURE_DEPENDS ${dir}/${prefix}_*.c)
  foreach(path IN LISTS paths)
    get_filename_component(file ${path} NAME)
    list(APPEND files ${file})
  endforeach()
  set(externs "")
  set(table "")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "^X\\(([a-z0-9_]+)\\).*$" "\\1" stem "${row}")
    if(NOT ${prefix}_${stem}.c IN_LIST files)
      message(FATAL_ERROR "src/${floor}/${manifest} has a row X(${stem}) but no ${prefix}_${stem}.c is below src/${floor}")
    endif()
    list(APPEND members ${stem})
    string(APPEND externs "extern const ${type} ${symbol}${stem};\n")
    string(APPEND table "    &${symbol}${stem},\n")
  endforeach()
  foreach(file IN LISTS files)
    string(REGEX REPLACE "^${prefix}_(.*)\\.c$" "\\1" stem "${file}")
    if(NOT stem IN_LIST members)
      message(FATAL_ERROR "src/${floor}/${file} has no row X(${stem}) in src/${floor}/${manifest}")
    endif()
  endforeach()
  string(REPLACE ".def" "" name ${manifest})
  set(include "")
  set(all "${name}_table")
  if(ARGN)
    set(include "#include \"registry/registry.h\"\n")
    set(all "registry_members(${ARGN}, ${name}_table)")
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/ikat_${name}.h CONTENT
"/* Generated from src/${floor}/${manifest}. */
${include}#include <stdlib.h>
#include <string.h>
${externs}
static const ${type} *const ${name}_table[] = {
${table}    NULL,
};

/* Ends with NULL. */
static inline const ${type} *const *${name}_all(void)
{
    return ${all};
}

static inline const ${type} *${name}_find(const char *name)
{
    for (const ${type} *const *member = ${name}_all(); *member; member++)
        if (strcmp((*member)->name, name) == 0)
            return *member;
    return NULL;
}

/* what: the family in an error message, singular. */
static inline ik_status ${name}_unknown(const char *what, const char *name, ik_error *err)
{
    const ${type} *const *all = ${name}_all();
    size_t num = 0;
    while (all[num])
        num++;
    const char **names = ik_calloc(num + 1, sizeof *names);
    if (!names)
        return ik_fail_memory(err, num * sizeof *names, \"a list of names\");
    for (size_t n = 0; n < num; n++)
        names[n] = all[n]->name;
    ik_status status = ik_fail_unknown(err, what, name, names);
    free(names);
    return status;
}
" @ONLY)
  include_directories(${CMAKE_BINARY_DIR}/generated)
  set(IKAT_MEMBERS_${prefix} ${members} PARENT_SCOPE)
endfunction()
