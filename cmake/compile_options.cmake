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

add_library(redoubt_options INTERFACE)
target_compile_options(redoubt_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # Contraction into fused multiply-adds would change bits between instruction sets.
  -ffp-contract=off
  # No path of the machine in what is built, so that two checkouts share the objects of ccache.
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
  # GCC 12 sees overlapping copies in std::string (GCC bug 105651) and freed pointers in use in Eigen's
  # small vectors where there are none; the sanitizers, which run on every test, see neither.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-use-after-free>)
if(REDOUBT_WERROR)
  target_compile_options(redoubt_options INTERFACE -Werror)
endif()
if(REDOUBT_SANITIZE)
  # What sanitizers add to the code makes GCC 12 take empty optionals for uninitialized ones; the ordinary
  # build looks for those.
  target_compile_options(redoubt_options INTERFACE
    -fsanitize=${REDOUBT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(redoubt_options INTERFACE -fsanitize=${REDOUBT_SANITIZE})
  # Functions cloned per instruction set are resolved before the sanitizer's runtime is up.
  target_compile_definitions(redoubt_options INTERFACE REDOUBT_NO_TARGET_CLONES)
endif()

# For what takes longer to compile than to run: a sanitized build compiles it without optimisation, in
# a third of the time. The library is linked first, so that of the templates that both have its
# optimised ones are taken.
function(redoubt_compile_quickly target)
  if(REDOUBT_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
    target_link_options(${target} PRIVATE
      "LINKER:--whole-archive" "$<TARGET_FILE:redoubt>" "LINKER:--no-whole-archive")
  endif()
endfunction()
