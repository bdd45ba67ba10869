# Installs the build in BUILD_DIR into an empty prefix, then configures, builds and runs the
# consumer project against it.
#   cmake -D BUILD_DIR=... -D WORK_DIR=... -P check_install.cmake

function(run_or_stop)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
run_or_stop("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${WORK_DIR}/prefix")
run_or_stop("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK_DIR}/build"
            "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix" -DCMAKE_BUILD_TYPE=Release)
run_or_stop("${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
run_or_stop("${WORK_DIR}/build/consumer")
run_or_stop("${WORK_DIR}/prefix/bin/redoubt" --version)
