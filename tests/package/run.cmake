# Installs the built project into a fresh folder, builds the outside project against it and runs it.
# Needs BUILD, SOURCE, WORK, COMPILER, FLAGS and GENERATOR.
file(REMOVE_RECURSE ${WORK})
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
must(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
     -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
must(${CMAKE_COMMAND} --build ${WORK}/build)
must(${WORK}/build/outside)
must(${WORK}/prefix/bin/causalcheck backends)
