# The helpers every folder uses. They take named arguments and refuse what they do not know.

set(CAUSALCHECK_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                         -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
# g++ 12 sees an uninitialised string inside every optimised Result<std::string>, and overlapping
# copies in "literal" + std::string: GCC bugs 105593 and 105651 and their kin. The sanitizers and clang
# watch both for real.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND CAUSALCHECK_WARNINGS -Wno-maybe-uninitialized -Wno-restrict)
endif()

# Notes that `files` belong to a target, for causalcheck_refuse_unnamed_files.
function(_causalcheck_name_files)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    set_property(GLOBAL APPEND PROPERTY CAUSALCHECK_NAMED_FILES ${file})
  endforeach()
endfunction()

# Warnings, sanitizers and the include root: what every target of ours has.
function(_causalcheck_common target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/causalcheck>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE ${CAUSALCHECK_WARNINGS})
  if(CAUSALCHECK_SANITIZE)
    target_compile_options(${target} PUBLIC
      -fsanitize=${CAUSALCHECK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${CAUSALCHECK_SANITIZE})
    if(CAUSALCHECK_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      # g++ warns of the fences in Boost's own headers, which the thread sanitizer does not know.
      target_compile_options(${target} PRIVATE -Wno-tsan)
    endif()
  endif()
endfunction()

# causalcheck_add_library(NAME <name> SOURCES <file>... [DEPS <target>...] [PRIVATE_DEPS <target>...])
#
# Makes the static library causalcheck_<name>, aliased and exported as causalcheck::<name>.
function(causalcheck_add_library)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;DEPS;PRIVATE_DEPS")
  if(NOT ARG_NAME OR NOT ARG_SOURCES OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "causalcheck_add_library: needs NAME and SOURCES, got '${ARGV}'")
  endif()
  add_library(causalcheck_${ARG_NAME} STATIC ${ARG_SOURCES})
  add_library(causalcheck::${ARG_NAME} ALIAS causalcheck_${ARG_NAME})
  set_target_properties(causalcheck_${ARG_NAME} PROPERTIES EXPORT_NAME ${ARG_NAME})
  target_link_libraries(causalcheck_${ARG_NAME} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
  _causalcheck_common(causalcheck_${ARG_NAME})
  _causalcheck_name_files(${ARG_SOURCES})
  install(TARGETS causalcheck_${ARG_NAME} EXPORT causalcheckTargets)
  foreach(file IN LISTS ARG_SOURCES)
    if(file MATCHES "\\.h$")
      cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      cmake_path(GET file PARENT_PATH folder)
      install(FILES ${PROJECT_SOURCE_DIR}/${file}
              DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/causalcheck/${folder})
    endif()
  endforeach()
endfunction()

# causalcheck_add_program(NAME <name> SOURCES <file>... [DEPS <target>...])
function(causalcheck_add_program)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;DEPS")
  if(NOT ARG_NAME OR NOT ARG_SOURCES OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "causalcheck_add_program: needs NAME and SOURCES, got '${ARGV}'")
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPS})
  _causalcheck_common(${ARG_NAME})
  _causalcheck_name_files(${ARG_SOURCES})
endfunction()

# causalcheck_add_test(NAME <name> SOURCES <file>... [DEPS <target>...] [DEFINES <name=value>...]
#                      [LABELS <label>...] [REQUIRES <target>])
#
# Makes a GoogleTest program and its ctest entry. Label `threads` marks those that the thread
# sanitizer has to see. Without the target REQUIRES there is no such test: what it is for was left out
# of the build.
function(causalcheck_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;REQUIRES" "SOURCES;DEPS;DEFINES;LABELS")
  if(NOT ARG_NAME OR NOT ARG_SOURCES OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "causalcheck_add_test: needs NAME and SOURCES, got '${ARGV}'")
  endif()
  _causalcheck_name_files(${ARG_SOURCES})
  if(ARG_REQUIRES AND NOT TARGET ${ARG_REQUIRES})
    return()
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${ARG_NAME} PRIVATE ${ARG_DEFINES})
  _causalcheck_common(${ARG_NAME})
  set_target_properties(${ARG_NAME} PROPERTIES UNITY_BUILD OFF)
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 900)
  if("threads" IN_LIST ARG_LABELS)
    if(NOT TARGET threaded_tests)
      add_custom_target(threaded_tests)
    endif()
    add_dependencies(threaded_tests ${ARG_NAME})
  endif()
endfunction()

# causalcheck_add_adapter(NAME <name> SOURCES <file>... [DEPS <target>...] SPEC <backend>...
#                         [REQUIRES <target> PACKAGE <package>])
#
# Makes the library causalcheck::adapter_<name> and the test <name>_conformance, which runs the
# conformance kit (harness/doctor/) against each SPEC, a backend as the command line names it. An adapter
# cannot exist without that test. Without the target REQUIRES, of the client library, the adapter is
# left out of the build; PACKAGE brings it.
function(causalcheck_add_adapter)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;REQUIRES;PACKAGE" "SOURCES;DEPS;SPEC")
  if(NOT ARG_NAME OR NOT ARG_SOURCES OR NOT ARG_SPEC OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "causalcheck_add_adapter: needs NAME, SOURCES and SPEC, got '${ARGV}'")
  endif()
  if(ARG_REQUIRES AND NOT TARGET ${ARG_REQUIRES})
    message(STATUS "The adapter ${ARG_NAME} is left out: no ${ARG_REQUIRES}; install ${ARG_PACKAGE}")
    _causalcheck_name_files(${ARG_SOURCES})
    return()
  endif()
  causalcheck_add_library(NAME adapter_${ARG_NAME} SOURCES ${ARG_SOURCES}
                          DEPS causalcheck::harness PRIVATE_DEPS ${ARG_DEPS})
  set_property(GLOBAL APPEND PROPERTY CAUSALCHECK_ADAPTERS ${ARG_NAME})
  if(CAUSALCHECK_TESTS)
    # The program `conformance_test` is made in tests/, where this name is looked up in the end.
    add_test(NAME ${ARG_NAME}_conformance COMMAND conformance_test ${ARG_SPEC})
    set_tests_properties(${ARG_NAME}_conformance PROPERTIES TIMEOUT 900)
  endif()
endfunction()

# causalcheck_embed_page(OUTPUT <file.cc> SCRIPTS <module>... STYLES <sheet>...)
#
# Makes OUTPUT, the page's modules as one script and its style sheets as one, at build time and from
# these files alone. SCRIPTS stand in the order of their imports: each uses only what stands before it.
function(causalcheck_embed_page)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "OUTPUT" "SCRIPTS;STYLES")
  if(NOT ARG_OUTPUT OR NOT ARG_SCRIPTS OR NOT ARG_STYLES OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "causalcheck_embed_page: needs OUTPUT, SCRIPTS and STYLES, got '${ARGV}'")
  endif()
  list(JOIN ARG_SCRIPTS "|" scripts)
  list(JOIN ARG_STYLES "|" styles)
  add_custom_command(
    OUTPUT ${ARG_OUTPUT}
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${ARG_OUTPUT}" "-DSCRIPTS=${scripts}" "-DSTYLES=${styles}"
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
    DEPENDS ${ARG_SCRIPTS} ${ARG_STYLES} ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
    COMMENT "Embedding the page" VERBATIM)
endfunction()

# Fails the configure step when a source file below `folders` belongs to no target: a test that can
# leave the build without a word will.
function(causalcheck_refuse_unnamed_files)
  get_property(named GLOBAL PROPERTY CAUSALCHECK_NAMED_FILES)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE found ${PROJECT_SOURCE_DIR}/${folder}/*.cc ${PROJECT_SOURCE_DIR}/${folder}/*.h)
    foreach(file IN LISTS found)
      if(NOT file IN_LIST named)
        cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
        list(APPEND unnamed ${file})
      endif()
    endforeach()
  endforeach()
  if(unnamed)
    list(JOIN unnamed "\n  " unnamed)
    message(FATAL_ERROR "No target names these files; add each to its folder's CMakeLists.txt:\n  ${unnamed}")
  endif()
endfunction()
