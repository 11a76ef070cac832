# Every library that ikat links; why each was chosen stands in docs/dependencies.md.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(IKAT_PC REQUIRED IMPORTED_TARGET sqlite3 yaml-0.1 jansson zlib libmd)
find_library(METIS_LIBRARY metis REQUIRED)
find_path(METIS_INCLUDE metis.h REQUIRED)
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)
set(IKAT_LIBRARIES PkgConfig::IKAT_PC ${METIS_LIBRARY})
set(IKAT_INCLUDE_DIRS ${METIS_INCLUDE} ${RANDOM123_INCLUDE})
