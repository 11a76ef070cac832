# Every library that ikat links; why each was chosen stands in docs/dependencies.md.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(IKAT_PC REQUIRED IMPORTED_TARGET sqlite3 yaml-0.1 jansson zlib libmd cairo cairo-pdf cairo-png)
find_library(METIS_LIBRARY metis REQUIRED)
find_path(METIS_INCLUDE metis.h REQUIRED)
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)
set(IKAT_LIBRARIES PkgConfig::IKAT_PC ${METIS_LIBRARY})
set(IKAT_INCLUDE_DIRS ${METIS_INCLUDE} ${RANDOM123_INCLUDE})

# Whether METIS brings the functions that src/base/partitioner.c replaces, and what these need.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES ${METIS_LIBRARY})
check_c_source_compiles("extern _Thread_local int gk_cur_jbufs; void gk_sigthrow(int why); int gk_sigtrap(void);
                         int gk_siguntrap(void); void gk_errexit(int why, char *format, ...);
                         int main(void) { if (gk_sigtrap() && gk_siguntrap() && gk_cur_jbufs > 0) { gk_errexit(0, 0); gk_sigthrow(0); } return 0; }"
                        IKAT_METIS_TRAPS)
unset(CMAKE_REQUIRED_LIBRARIES)

# Traces in Open Trace Format 2 are read where its library is there.
pkg_check_modules(IKAT_OTF2 IMPORTED_TARGET otf2>=3.0)
if(IKAT_OTF2_FOUND)
  list(APPEND IKAT_LIBRARIES PkgConfig::IKAT_OTF2)
endif()
