# Installs the built project into a fresh folder, builds the outside project against it and runs it;
# then does the same with what `causalcheck new-adapter` writes, and with what the manual says of it.
# Needs BUILD, SOURCE, WORK, COMPILER, FLAGS, GENERATOR and MANUAL_TEST.
file(REMOVE_RECURSE ${WORK})
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(must_build source build)
  must(${CMAKE_COMMAND} -G ${GENERATOR} -S ${source} -B ${build} -DCMAKE_PREFIX_PATH=${WORK}/prefix
       -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
  must(${CMAKE_COMMAND} --build ${build})
endfunction()
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
set(program ${WORK}/prefix/bin/causalcheck)

must_build(${SOURCE} ${WORK}/build)
must(${WORK}/build/outside)
must(${program} backends)
must(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build -j 4 --output-on-failure)
if(NOT output MATCHES "100% tests passed, 0 tests failed out of 4")
  message(FATAL_ERROR "the suite did not run its four tests:\n${output}")
endif()

must(${program} new-adapter my-store --dir ${WORK}/my-store)
must_build(${WORK}/my-store ${WORK}/my-store/build)
must(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/my-store/build -j 4 --output-on-failure)
if(NOT output MATCHES "100% tests passed, 0 tests failed out of 3")
  message(FATAL_ERROR "the skeleton did not run its three tests:\n${output}")
endif()

# The manual's page on adapters, followed as a user would.
must(${CMAKE_COMMAND} -E env "PATH=${WORK}/prefix/bin:$ENV{PATH}" CMAKE_PREFIX_PATH=${WORK}/prefix
     CMAKE_GENERATOR=${GENERATOR} CXX=${COMPILER} "CXXFLAGS=${FLAGS}"
     ${MANUAL_TEST} ${SOURCE}/../../docs/manual/add-an-adapter.md)
