# The documentation site: `cmake --build --preset release --target site` makes it where Sphinx, MyST and Furo are installed. It is not a part
# of the default build; `cmake --install` installs it if it was made. The manual pages are a part of it where mandoc is.
file(GLOB_RECURSE IKAT_DOCUMENTS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/docs/* ${CMAKE_CURRENT_SOURCE_DIR}/tools/site/*)
list(FILTER IKAT_DOCUMENTS EXCLUDE REGEX "/__pycache__/")
find_program(IKAT_MANDOC mandoc)
set(IKAT_SITE_MANUAL)
set(IKAT_SITE_MANUAL_TARGET)
if(IKAT_MANDOC AND TARGET man)
  set(IKAT_SITE_MANUAL --manual ${IKAT_MAN})
  set(IKAT_SITE_MANUAL_TARGET ${IKAT_MAN}/man1/ikat.1)
endif()
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/site/index.html
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/make_site.py ${CMAKE_BINARY_DIR}/site ${IKAT_SITE_MANUAL}
  DEPENDS ${IKAT_DOCUMENTS} ${IKAT_SITE_MANUAL_TARGET} ${CMAKE_CURRENT_SOURCE_DIR}/CONTRIBUTING.md ${CMAKE_CURRENT_SOURCE_DIR}/CHANGELOG.md
          ${CMAKE_CURRENT_SOURCE_DIR}/tools/make_site.py
  COMMENT "Making the documentation site" VERBATIM)
add_custom_target(site DEPENDS ${CMAKE_BINARY_DIR}/site/index.html)
install(DIRECTORY ${CMAKE_BINARY_DIR}/site/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html OPTIONAL)
