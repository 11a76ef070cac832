# Every library that ikat links; why each was chosen stands in docs/dependencies.md.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
# Each is linked by the target PkgConfig::IKAT_PC_<name>. The CMake package asks for the same names.
set(IKAT_MODULES sqlite3 yaml-0.1 jansson zlib libmd cairo cairo-pdf cairo-png)
find_library(METIS_LIBRARY metis REQUIRED)
find_path(METIS_INCLUDE metis.h REQUIRED)
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)
# What has no pkg-config file is linked by its path here, and by its name by those who build on the installed libraries.
get_filename_component(metis_folder ${METIS_LIBRARY} DIRECTORY)
set(IKAT_LINK_LINE -lmetis)
if(NOT metis_folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  list(PREPEND IKAT_LINK_LINE -L${metis_folder})
endif()
set(IKAT_LIBRARIES "$<BUILD_INTERFACE:${METIS_LIBRARY}>" "$<INSTALL_INTERFACE:${IKAT_LINK_LINE}>")
set(IKAT_INCLUDE_DIRS ${METIS_INCLUDE} ${RANDOM123_INCLUDE})

# Traces in Open Trace Format 2 are read where its library is there.
pkg_check_modules(IKAT_OTF2 QUIET otf2>=3.0)
if(IKAT_OTF2_FOUND)
  list(APPEND IKAT_MODULES otf2>=3.0)
endif()

# The command serves reports where this library is there; its headers are enough to build (src/cli/serve).
pkg_check_modules(IKAT_MICROHTTPD QUIET libmicrohttpd>=0.9.71)

foreach(module IN LISTS IKAT_MODULES)
  string(MAKE_C_IDENTIFIER "IKAT_PC_${module}" name)
  pkg_check_modules(${name} REQUIRED QUIET IMPORTED_TARGET ${module})
  list(APPEND IKAT_LIBRARIES PkgConfig::${name})
  list(APPEND IKAT_LINK_LINE ${${name}_LDFLAGS}) # IKAT_LINK_LINE: what a program is linked with beside libikat.a
endforeach()
list(REMOVE_DUPLICATES IKAT_LINK_LINE)
foreach(folder IN LISTS CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  list(REMOVE_ITEM IKAT_LINK_LINE -L${folder})
endforeach()
