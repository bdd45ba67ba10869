# Runs one harness from its corpus: PROGRAM, CORPUS, DICTIONARY, WORK_DIR, LENGTH and RUNS are given.
# The same seed and a fresh folder of findings make it the same run each time.

set(limits
  # A single allocation. The harnesses themselves watch the sum of all, which is far below.
  -malloc_limit_mb=16
  # The whole process with the sanitizers' own needs, the quarantine of freed memory (256 MiB) first.
  -rss_limit_mb=1024
  # Seconds for one input; those of these lengths take about a millisecond.
  -timeout=10)

file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}/found")
execute_process(
  COMMAND "${PROGRAM}" -seed=1 "-runs=${RUNS}" "-max_len=${LENGTH}" ${limits}
          "-dict=${DICTIONARY}" "-artifact_prefix=${WORK_DIR}/" -print_final_stats=1
          "${WORK_DIR}/found" "${CORPUS}"
  RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the harness stopped with ${code}; the input is in ${WORK_DIR}")
endif()
