# Compiles includes of private headers as a source of LAYER would: those of the folders VISIBLE must
# compile, one of any other folder of SOURCES must not be found. COMPILER and the INCLUDES of the
# layer are given.

cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE "${WORK_DIR}")
list(TRANSFORM INCLUDES PREPEND -I)

# Sets `code` and `message` to what the compiler makes of a source with these includes, told to do
# `task`.
function(compile name task text)
  file(WRITE "${WORK_DIR}/${name}.cpp" "${text}")
  execute_process(COMMAND "${COMPILER}" -std=c++20 ${task} ${INCLUDES} "${WORK_DIR}/${name}.cpp"
                  RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE message)
  set(code "${code}" PARENT_SCOPE)
  set(message "${message}" PARENT_SCOPE)
endfunction()

set(allowed "")
set(refused ${VISIBLE})
file(GLOB headers RELATIVE "${SOURCES}" "${SOURCES}/*/*.hpp")
foreach(header IN LISTS headers)
  get_filename_component(folder "${header}" DIRECTORY)
  if(folder IN_LIST VISIBLE)
    string(APPEND allowed "#include \"${header}\"\n")
  endif()
  if(folder IN_LIST refused)
    continue()
  endif()
  list(APPEND refused ${folder})
  compile(refused -fsyntax-only "#include \"${header}\"\n")
  if(code EQUAL 0)
    message(SEND_ERROR "a source of ${LAYER} can include ${header}")
  elseif(NOT message MATCHES "No such file|file not found")
    message(SEND_ERROR "${header} is refused for another reason: ${message}")
  endif()
endforeach()

# That the headers compile is what the build shows.
compile(allowed -E "${allowed}")
if(NOT code EQUAL 0)
  message(SEND_ERROR "a source of ${LAYER} cannot include what it should: ${message}")
endif()
message(STATUS "${LAYER} sees ${VISIBLE} of ${refused}")
