# Flags that every target of the project shares.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# The sources of a folder are compiled together, in a quarter of the time: most of it goes into
# headers that they share. Names in unnamed namespaces are therefore unique within a folder.
option(REDOUBT_UNITY "Compile the sources of a folder together" ON)
function(redoubt_compile_together target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${REDOUBT_UNITY} UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder "${source}" DIRECTORY)
    string(MAKE_C_IDENTIFIER "in_${folder}" group)
    set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${group}")
  endforeach()
endfunction()

# What nearly every source includes is read once per set of flags instead of once per compilation.
option(REDOUBT_PRECOMPILE "Precompile the headers that all sources share" ON)
set(redoubt_shared_headers
  <Eigen/Core> <algorithm> <array> <atomic> <cmath> <cstdint> <functional> <limits> <map> <memory> <mutex>
  <optional> <span> <sstream> <string> <string_view> <thread> <utility> <variant> <vector>)

# redoubt_precompile(TARGET HEADER...) lets the target read the shared headers and these precompiled.
# redoubt_precompile_as(TARGET OWNER) lets it use those of another target of equal flags.
function(redoubt_precompile target)
  if(REDOUBT_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${redoubt_shared_headers} ${ARGN})
  endif()
  redoubt_cache_precompiled(${target})
endfunction()
function(redoubt_precompile_as target owner)
  if(REDOUBT_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
  redoubt_cache_precompiled(${target})
endfunction()
# What ccache needs in order to know a precompiled header again in another checkout.
function(redoubt_cache_precompiled target)
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

add_library(redoubt_options INTERFACE)
target_compile_options(redoubt_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # Contraction into fused multiply-adds would change bits between instruction sets.
  -ffp-contract=off
  # No path of the machine in what is built, so that two checkouts share the objects of ccache.
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
  # GCC 12 sees overlapping and endless copies in std::string (GCC bug 105651) and freed pointers in use in
  # Eigen's small vectors where there are none; the sanitizers, which run on every test, see none of them.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-use-after-free>)
if(REDOUBT_WERROR)
  target_compile_options(redoubt_options INTERFACE -Werror)
endif()
if(REDOUBT_SANITIZE)
  # What sanitizers add to the code makes GCC 12 take empty optionals for uninitialized ones, and short
  # strings for long ones; the ordinary build looks for both.
  target_compile_options(redoubt_options INTERFACE
    -fsanitize=${REDOUBT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-stringop-overread>)
  target_link_options(redoubt_options INTERFACE -fsanitize=${REDOUBT_SANITIZE})
  # Every test links the whole library, in a quarter of the time with LLD.
  find_program(REDOUBT_LLD ld.lld)
  if(REDOUBT_LLD)
    target_link_options(redoubt_options INTERFACE -fuse-ld=lld)
  endif()
  # Functions cloned per instruction set are resolved before the sanitizer's runtime is up.
  target_compile_definitions(redoubt_options INTERFACE REDOUBT_NO_TARGET_CLONES)
endif()

# For what takes longer to compile than to run: LEVEL is the optimisation that it gets. The library is linked
# first, so that of the templates that both have its optimised ones are taken.
function(redoubt_compile_quickly target level)
  target_compile_options(${target} PRIVATE ${level})
  target_link_options(${target} PRIVATE
    "LINKER:--whole-archive" "$<TARGET_FILE:redoubt>" "LINKER:--no-whole-archive")
endfunction()
