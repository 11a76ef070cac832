# What makes an installed ikat a library to build on: headers, both libraries, ikat.pc and the CMake package. All of it finds its
# files from where it lies itself, so that a prefix may be moved.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ikat)
set(generated ${CMAKE_BINARY_DIR}/generated/install)

install(DIRECTORY include/ikat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS libikat_shared EXPORT ikatTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS libikat EXPORT ikatStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# ---- pkg-config. What the static library calls is in Libs.private, not in Requires.private: with the shared library nobody needs the
# development files of cairo and others.
# A path below the prefix as pkg-config writes it, or the path itself if it is absolute.
function(below_prefix variable path)
  if(IS_ABSOLUTE ${path})
    set(${variable} ${path} PARENT_SCOPE)
  else()
    set(${variable} "\${prefix}/${path}" PARENT_SCOPE)
  endif()
endfunction()
below_prefix(IKAT_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
below_prefix(IKAT_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
file(RELATIVE_PATH IKAT_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" IKAT_PC_PREFIX "${IKAT_PC_PREFIX}")
string(REPLACE ";" " " IKAT_PC_LIBS "${IKAT_LINK_LINE};-pthread;-lm")
configure_file(cmake/ikat.pc.in ${generated}/ikat.pc @ONLY)
install(FILES ${generated}/ikat.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- CMake
string(REPLACE ";" " " IKAT_CMAKE_REQUIRES "${IKAT_MODULES}")
configure_package_config_file(cmake/ikatConfig.cmake.in ${generated}/ikatConfig.cmake INSTALL_DESTINATION ${package_folder}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${generated}/ikatConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/ikatConfig.cmake ${generated}/ikatConfigVersion.cmake DESTINATION ${package_folder})
install(EXPORT ikatTargets NAMESPACE ikat:: DESTINATION ${package_folder})
install(EXPORT ikatStaticTargets NAMESPACE ikat:: DESTINATION ${package_folder})
