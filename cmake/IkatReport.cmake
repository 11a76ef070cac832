# The HTML report's page, a part of libikat: src/report/page/report_page.html, made once from src/report/web and shipped, so that
# a build needs neither Node.js nor the npm registry. The target `report-page` makes it again (esbuild bundles it with ECharts, of
# the versions that package-lock.json pins); cli_test_report_page fails while it is not what src/report/web gives.
set(report_web ${CMAKE_CURRENT_SOURCE_DIR}/src/report/web)
set(report_page ${CMAKE_CURRENT_SOURCE_DIR}/src/report/page/report_page.html)
find_program(NPM_PROGRAM npm)
find_program(NODE_PROGRAM NAMES node nodejs)
add_custom_target(report-page
  COMMAND ${CMAKE_COMMAND} "-DNPM=${NPM_PROGRAM}" "-DNODE=${NODE_PROGRAM}" -DSOURCE=${report_web}
          -DWORK=${CMAKE_BINARY_DIR}/report-web -DOUTPUT=${report_page}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/BundleReport.cmake
  COMMENT "Bundling the report's page" VERBATIM)

file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/report_page.c CONTENT
"/* Generated: the report's page as bytes. */
extern const char report_page[], report_page_end[];
__asm__(\".section .rodata\\n\"
        \".global report_page\\n.global report_page_end\\n.hidden report_page\\n.hidden report_page_end\\n.balign 16\\n\"
        \"report_page:\\n.incbin \\\"@report_page@\\\"\\n\"
        \"report_page_end:\\n.byte 0\\n.text\\n\");
" @ONLY)
set_source_files_properties(${CMAKE_BINARY_DIR}/generated/report_page.c PROPERTIES OBJECT_DEPENDS ${report_page})
target_sources(ikat_objects PRIVATE ${CMAKE_BINARY_DIR}/generated/report_page.c)
