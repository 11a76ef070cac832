# The two libraries that are installed, and one that is not, of the objects in the target ikat_objects (docs/architecture.md).

# Adds to a target what the objects call; SCOPE: PRIVATE, PUBLIC or INTERFACE.
function(ikat_link_dependencies target scope)
  target_link_libraries(${target} ${scope} ${IKAT_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS} m)
endfunction()

# ---- tests, fuzz targets and benchmarks: an archive of the objects as they are, because they call functions that are not public
add_library(ikat_internal STATIC $<TARGET_OBJECTS:ikat_objects>)
target_include_directories(ikat_internal INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
ikat_link_dependencies(ikat_internal PUBLIC)

# ---- libikat.so.0: what the public headers declare, at the version node IK_0
add_library(libikat_shared SHARED $<TARGET_OBJECTS:ikat_objects>)
set_target_properties(libikat_shared PROPERTIES OUTPUT_NAME ikat EXPORT_NAME ikat VERSION ${PROJECT_VERSION} SOVERSION 0
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/ikat.map)
# -Bsymbolic-functions, not -Bsymbolic: a program may have its own copies of the public tables, and their addresses are the library's.
target_link_options(libikat_shared PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/ikat.map -Wl,-Bsymbolic-functions
                    -Wl,--as-needed)
if(NOT IKAT_SANITIZE) # whose functions are found when a program starts
  target_link_options(libikat_shared PRIVATE -Wl,--no-undefined)
endif()
ikat_link_dependencies(libikat_shared PRIVATE)

# ---- libikat.a: one object whose global names are the public ones. The tools of instrumented builds know the objects as they were
# compiled: these builds keep them. So do generators of several configurations, which have several sets of objects.
if(CMAKE_OBJCOPY AND NOT CMAKE_CONFIGURATION_TYPES AND NOT IKAT_SANITIZE AND NOT IKAT_COVERAGE AND NOT IKAT_FUZZ)
  set(joined ${CMAKE_BINARY_DIR}/generated/ikat_joined.o)
  set(object_list ${CMAKE_BINARY_DIR}/generated/ikat_objects.rsp)
  file(GENERATE OUTPUT ${object_list} CONTENT "\"$<JOIN:$<TARGET_OBJECTS:ikat_objects>,\"\n\">\"\n") # a path may have blanks
  add_custom_command(OUTPUT ${joined}
    COMMAND ${CMAKE_LINKER} -r -o ${joined} @${object_list}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${joined}
    DEPENDS $<TARGET_OBJECTS:ikat_objects> ${object_list} COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Making the private names of libikat.a local")
  add_library(libikat STATIC ${joined})
  set_source_files_properties(${joined} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  add_dependencies(libikat ikat_objects) # make knows no rule for the objects of another target
else()
  add_library(libikat STATIC $<TARGET_OBJECTS:ikat_objects>)
endif()
set_target_properties(libikat PROPERTIES OUTPUT_NAME ikat EXPORT_NAME ikat_static LINKER_LANGUAGE C)
ikat_link_dependencies(libikat PUBLIC)

foreach(library libikat libikat_shared)
  target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)
endforeach()
