# Each folder of src is a layer: an object library that sees its own headers, those of the layers it
# names and of the layers these name, the public headers of the library, and nothing else. A wrong
# include does not compile; tests/layers shows it.

# What all layers and their users share.
add_library(redoubt_headers INTERFACE)
target_include_directories(redoubt_headers INTERFACE
  "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/generated")
target_compile_features(redoubt_headers INTERFACE cxx_std_20)
target_link_libraries(redoubt_headers INTERFACE Eigen3::Eigen Threads::Threads)

# Owns what the layers have precompiled.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/precompiled.cpp" CONTENT "// Only its precompiled headers count.\n")
add_library(redoubt_precompiled OBJECT "${PROJECT_BINARY_DIR}/generated/precompiled.cpp")
target_link_libraries(redoubt_precompiled PRIVATE redoubt_headers redoubt_options)
redoubt_precompile(redoubt_precompiled)

# redoubt_layer(NAME [DEPENDS LAYER...]) makes the layer of the folder NAME, whose CMakeLists.txt
# lists its sources, and puts it into the library.
function(redoubt_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
  # Headers are included as "NAME/header.hpp". A folder that holds a link to this one, and no other,
  # makes that work without showing the neighbours.
  set(view "${PROJECT_BINARY_DIR}/layers/${name}")
  file(MAKE_DIRECTORY "${view}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/${name}" "${view}/${name}" SYMBOLIC)

  add_library(redoubt_${name} OBJECT)
  target_include_directories(redoubt_${name} PUBLIC "${view}")
  list(TRANSFORM arg_DEPENDS PREPEND redoubt_)
  target_link_libraries(redoubt_${name} PUBLIC redoubt_headers ${arg_DEPENDS} PRIVATE redoubt_options)
  redoubt_precompile_as(redoubt_${name} redoubt_precompiled)
  add_subdirectory(${name})

  # For the tests: the layers that this one sees, directly or through others.
  set(visible ${name})
  foreach(below IN LISTS arg_DEPENDS)
    get_target_property(more ${below} redoubt_visible_layers)
    list(APPEND visible ${more})
  endforeach()
  list(REMOVE_DUPLICATES visible)
  set_target_properties(redoubt_${name} PROPERTIES redoubt_visible_layers "${visible}")

  set_target_properties(redoubt_${name} PROPERTIES UNITY_BUILD ${REDOUBT_UNITY} UNITY_BUILD_BATCH_SIZE 0)
  target_sources(redoubt PRIVATE $<TARGET_OBJECTS:redoubt_${name}>)
  set_property(GLOBAL APPEND PROPERTY redoubt_layers ${name})
endfunction()

# redoubt_show_layers(TARGET LAYER...) lets the sources of a target outside src include the headers of
# these layers and of those below them.
function(redoubt_show_layers target)
  foreach(name IN LISTS ARGN)
    target_include_directories(${target} PRIVATE
      $<TARGET_PROPERTY:redoubt_${name},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
endfunction()
