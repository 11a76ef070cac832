# Manual pages and completion, made from what the command declares and laid out under ${CMAKE_BINARY_DIR}/share as they are
# installed: MANPATH=build/release/share/man man ikat-run; . build/release/share/bash-completion/completions/ikat. A part of the default build; nothing of it needs man or a shell.
set(IKAT_VERSION_DATE 2026-11-23) # of the version; SOURCE_DATE_EPOCH takes its place
set(IKAT_MAN ${CMAKE_BINARY_DIR}/share/man)
add_custom_command(OUTPUT ${IKAT_MAN}/man1/ikat.1
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/make_man.py $<TARGET_FILE:ikat> ${IKAT_VERSION_DATE} ${IKAT_MAN}
  DEPENDS ikat ${CMAKE_CURRENT_SOURCE_DIR}/tools/make_man.py ${CMAKE_CURRENT_SOURCE_DIR}/tools/declarations.py
  COMMENT "Making the manual pages" VERBATIM)
add_custom_target(man ALL DEPENDS ${IKAT_MAN}/man1/ikat.1)
install(DIRECTORY ${IKAT_MAN}/ DESTINATION ${CMAKE_INSTALL_MANDIR})

set(IKAT_COMPLETION ${CMAKE_BINARY_DIR}/share/bash-completion/completions/ikat ${CMAKE_BINARY_DIR}/share/zsh/site-functions/_ikat)
add_custom_command(OUTPUT ${IKAT_COMPLETION}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/make_completion.py $<TARGET_FILE:ikat> ${CMAKE_BINARY_DIR}/share
  DEPENDS ikat ${CMAKE_CURRENT_SOURCE_DIR}/tools/make_completion.py ${CMAKE_CURRENT_SOURCE_DIR}/tools/completion.bash
          ${CMAKE_CURRENT_SOURCE_DIR}/tools/completion.zsh ${CMAKE_CURRENT_SOURCE_DIR}/tools/declarations.py
  COMMENT "Making the completion of bash and zsh" VERBATIM)
add_custom_target(completion ALL DEPENDS ${IKAT_COMPLETION})
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/bash-completion ${CMAKE_BINARY_DIR}/share/zsh DESTINATION ${CMAKE_INSTALL_DATADIR})

set(IKAT_SCHEMA ${CMAKE_BINARY_DIR}/share/ikat/schema)
add_custom_command(OUTPUT ${IKAT_SCHEMA}/audit.schema.json
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/make_schema.py $<TARGET_FILE:ikat> ${IKAT_SCHEMA}
  DEPENDS ikat ${CMAKE_CURRENT_SOURCE_DIR}/tools/make_schema.py ${CMAKE_CURRENT_SOURCE_DIR}/tools/declarations.py
  COMMENT "Making the schemas of JSON output" VERBATIM)
add_custom_target(schema ALL DEPENDS ${IKAT_SCHEMA}/audit.schema.json)
install(DIRECTORY ${IKAT_SCHEMA} DESTINATION ${CMAKE_INSTALL_DATADIR}/ikat)
