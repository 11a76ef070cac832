# The HTML report's page: src/report/web bundled by esbuild (with ECharts, from the npm registry, versions pinned by
# package-lock.json) into one file, which becomes part of libikat.
find_program(NPM_PROGRAM npm)
find_program(NODE_PROGRAM NAMES node nodejs)
set(report_web ${CMAKE_CURRENT_SOURCE_DIR}/src/report/web)
set(report_work ${CMAKE_BINARY_DIR}/report-web)
set(report_page ${CMAKE_BINARY_DIR}/generated/report_page.html)
file(GLOB report_web_sources CONFIGURE_DEPENDS ${report_web}/*.js ${report_web}/*.mjs ${report_web}/*.css ${report_web}/*.html)

add_custom_command(OUTPUT ${report_page}
  COMMAND ${CMAKE_COMMAND} -DNPM=${NPM_PROGRAM} -DNODE=${NODE_PROGRAM} -DSOURCE=${report_web} -DWORK=${report_work}
          -DOUTPUT=${report_page} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/BundleReport.cmake
  DEPENDS ${report_web_sources} ${report_web}/package.json ${report_web}/package-lock.json
          ${CMAKE_CURRENT_SOURCE_DIR}/cmake/BundleReport.cmake
  COMMENT "Bundling the report's page" VERBATIM)

file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/report_page.c CONTENT
"/* Generated: the report's page as bytes. */
extern const char report_page[], report_page_end[];
__asm__(\".section .rodata\\n\"
        \".global report_page\\n.global report_page_end\\n.balign 16\\n\"
        \"report_page:\\n.incbin \\\"@report_page@\\\"\\n\"
        \"report_page_end:\\n.byte 0\\n.text\\n\");
" @ONLY)
set_source_files_properties(${CMAKE_BINARY_DIR}/generated/report_page.c PROPERTIES OBJECT_DEPENDS ${report_page})
target_sources(libikat PRIVATE ${CMAKE_BINARY_DIR}/generated/report_page.c)
