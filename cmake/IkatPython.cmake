# The Python package (python/, docs/python.md): ikat/_native.abi3.so, compiled of source that cffi writes from the public headers, and
# Python files. It is for the system's Python, whose packages (numpy, pandas, networkx) come from the same source; another python3 in
# PATH is not looked at.
set(IKAT_PYTHON AUTO CACHE STRING "build the Python package: AUTO (where Python.h and cffi are found), ON or OFF")
set_property(CACHE IKAT_PYTHON PROPERTY STRINGS AUTO ON OFF)
set(IKAT_PYTHON_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "the Python that the package is built and tested for")
set(IKAT_PYTHON_FOUND FALSE)
if(NOT IKAT_PYTHON OR IKAT_SANITIZE OR IKAT_COVERAGE OR IKAT_FUZZ) # which a plain Python does not load
  return()
endif()

execute_process(COMMAND ${IKAT_PYTHON_EXECUTABLE} -c "import cffi, sysconfig; print(sysconfig.get_path('include'))"
  OUTPUT_VARIABLE python_include ERROR_QUIET RESULT_VARIABLE python_failed OUTPUT_STRIP_TRAILING_WHITESPACE)
if(python_failed OR NOT EXISTS ${python_include}/Python.h)
  if(NOT IKAT_PYTHON STREQUAL "AUTO")
    message(FATAL_ERROR "IKAT_PYTHON: ${IKAT_PYTHON_EXECUTABLE} needs Python.h and cffi (Debian: python3-dev, python3-cffi)")
  endif()
  message(STATUS "The Python package is left out: ${IKAT_PYTHON_EXECUTABLE} has no Python.h or no cffi (python3-dev, python3-cffi)")
  return()
endif()
set(IKAT_PYTHON_FOUND TRUE)

# ---- the module
set(python_source ${CMAKE_CURRENT_SOURCE_DIR}/python)
set(python_folder ${CMAKE_BINARY_DIR}/python/ikat)
set(native ${CMAKE_BINARY_DIR}/generated/python_native.c)
file(GLOB public_headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/ikat/*.h)
add_custom_command(OUTPUT ${native}
  COMMAND ${IKAT_PYTHON_EXECUTABLE} ${python_source}/make_native.py ${CMAKE_CURRENT_SOURCE_DIR}/include ${native} ${CMAKE_C_COMPILER}
  DEPENDS ${python_source}/make_native.py ${python_source}/native.h ${public_headers}
  COMMENT "Writing the Python module's source from the public headers" VERBATIM)
add_library(ikat_python MODULE ${native} ${python_source}/native.c)
set_source_files_properties(${native} PROPERTIES COMPILE_OPTIONS "-w;-O1;-g0")
target_include_directories(ikat_python PRIVATE ${python_include} ${python_source})
target_link_libraries(ikat_python PRIVATE libikat_shared)
# It takes the library that lies beside it, as in a wheel (python/build_wheel.py), then that of the build. DT_RPATH, because
# LD_LIBRARY_PATH goes before DT_RUNPATH and may lead to another version.
target_link_options(ikat_python PRIVATE -Wl,--disable-new-dtags)
set_target_properties(ikat_python PROPERTIES PREFIX "" OUTPUT_NAME _native SUFFIX .abi3.so C_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${python_folder} BUILD_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON)

# ---- beside it the Python files, so that PYTHONPATH=build/release/python is enough
file(GLOB python_files CONFIGURE_DEPENDS ${python_source}/ikat/*.py ${python_source}/ikat/py.typed ${python_source}/ikat/*.pyi)
set(copies)
foreach(file IN LISTS python_files)
  get_filename_component(name ${file} NAME)
  add_custom_command(OUTPUT ${python_folder}/${name} COMMAND ${CMAKE_COMMAND} -E copy ${file} ${python_folder}/${name} DEPENDS ${file}
                     COMMENT "")
  list(APPEND copies ${python_folder}/${name})
endforeach()
add_custom_target(ikat_python_files ALL DEPENDS ${copies})
add_dependencies(ikat_python ikat_python_files)

# ---- installed where the system's Python looks for packages. Below another prefix than /usr the module finds its library by where
# it lies itself.
set(python_install lib/python3/dist-packages/ikat)
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  file(RELATIVE_PATH to_library ${CMAKE_INSTALL_PREFIX}/${python_install} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(ikat_python PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
endif()
install(TARGETS ikat_python LIBRARY DESTINATION ${python_install})
install(FILES ${python_files} DESTINATION ${python_install})
install(DIRECTORY examples/python DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
