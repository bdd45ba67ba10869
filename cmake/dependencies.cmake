# Every outside package, found and never downloaded; a missing one is named with its Debian package.

# Finds `name` or stops with a message that says what to install.
macro(redoubt_require name debian_package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "redoubt needs ${name}; on Debian: apt-get install ${debian_package}")
  endif()
endmacro()

# In an isolated Python build Eigen comes from the cmeel-eigen wheel, which keeps its files in a
# folder of its own below each prefix.
set(redoubt_prefix_hints "")
foreach(prefix IN LISTS CMAKE_PREFIX_PATH)
  list(APPEND redoubt_prefix_hints "${prefix}/cmeel.prefix")
endforeach()
list(APPEND CMAKE_PREFIX_PATH ${redoubt_prefix_hints})

# Any version is found, so that the message can name it. Eigen 5 calls some things by other names.
redoubt_require(Eigen3 libeigen3-dev NO_MODULE)
if(Eigen3_VERSION VERSION_LESS 3.4 OR Eigen3_VERSION VERSION_GREATER_EQUAL 4)
  message(FATAL_ERROR "redoubt needs Eigen 3.4, found ${Eigen3_VERSION}; pip install . fetches the right one")
endif()
find_package(Threads REQUIRED)

# The JSON library is headers only. In an isolated Python build they come from the nlohmann-json
# wheel, which has no CMake package.
find_package(nlohmann_json 3.10 QUIET)
if(NOT nlohmann_json_FOUND)
  set(redoubt_json_hints ${CMAKE_PREFIX_PATH})
  list(TRANSFORM redoubt_json_hints APPEND "/nlohmann_json/include")
  find_path(REDOUBT_JSON_INCLUDE_DIR nlohmann/json.hpp HINTS ${redoubt_json_hints})
  if(NOT REDOUBT_JSON_INCLUDE_DIR)
    message(FATAL_ERROR "redoubt needs nlohmann_json; on Debian: apt-get install nlohmann-json3-dev")
  endif()
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
  target_include_directories(nlohmann_json::nlohmann_json INTERFACE "${REDOUBT_JSON_INCLUDE_DIR}")
endif()
# Gzip files are read where zlib is found.
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  message(STATUS "redoubt: building without gzip files, because zlib (Debian: zlib1g-dev) was not found")
endif()
# The Python package is of use without the program: then it needs no Debian package.
if(REDOUBT_BUILD_APP AND SKBUILD)
  find_package(CLI11 QUIET)
  if(NOT CLI11_FOUND)
    message(STATUS "redoubt: building without the program, because CLI11 (Debian: libcli11-dev) was not found")
    set(REDOUBT_BUILD_APP OFF)
  endif()
elseif(REDOUBT_BUILD_APP)
  redoubt_require(CLI11 libcli11-dev)
endif()
if(REDOUBT_BUILD_TESTS)
  redoubt_require(GTest libgtest-dev)
endif()
if(REDOUBT_BUILD_BENCHMARKS)
  redoubt_require(benchmark libbenchmark-dev)
endif()
