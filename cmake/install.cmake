# What `cmake --install` puts where, so that find_package(redoubt) works for a C++ user.
#
# In a wheel the install prefix is site-packages: everything but the program and the extension then
# lies in the package's own folder, found through the wheel's `cmake.prefix` entry point.

include(CMakePackageConfigHelpers)

if(SKBUILD)
  set(redoubt_include_dir redoubt/include)
  set(redoubt_lib_dir redoubt/lib)
else()
  set(redoubt_include_dir "${CMAKE_INSTALL_INCLUDEDIR}")
  set(redoubt_lib_dir "${CMAKE_INSTALL_LIBDIR}")
endif()
set(redoubt_config_dir "${redoubt_lib_dir}/cmake/redoubt")

install(TARGETS redoubt EXPORT redoubtTargets
        ARCHIVE DESTINATION "${redoubt_lib_dir}"
        INCLUDES DESTINATION "${redoubt_include_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/redoubt" "${PROJECT_BINARY_DIR}/generated/redoubt"
        DESTINATION "${redoubt_include_dir}" FILES_MATCHING PATTERN "*.hpp")
install(EXPORT redoubtTargets NAMESPACE redoubt:: DESTINATION "${redoubt_config_dir}")

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/redoubtConfig.cmake.in" "${PROJECT_BINARY_DIR}/redoubtConfig.cmake"
  INSTALL_DESTINATION "${redoubt_config_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/redoubtConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/redoubtConfig.cmake"
              "${PROJECT_BINARY_DIR}/redoubtConfigVersion.cmake"
        DESTINATION "${redoubt_config_dir}")

if(REDOUBT_BUILD_APP AND SKBUILD)
  install(PROGRAMS "$<TARGET_FILE:redoubt_program>" DESTINATION "${SKBUILD_SCRIPTS_DIR}")
elseif(REDOUBT_BUILD_APP)
  install(TARGETS redoubt_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
elseif(SKBUILD)
  # A command that says how to get the program.
  install(PROGRAMS "${PROJECT_SOURCE_DIR}/python/program_missing.py"
          DESTINATION "${SKBUILD_SCRIPTS_DIR}" RENAME redoubt)
endif()
