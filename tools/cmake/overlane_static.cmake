# The preset "static" links overlane into one file that needs no shared library: it starts in an
# empty root, whatever the distribution. Headers are those of Debian's -dev packages, so that objects
# are the release build's; only what is linked differs:
#   - archives that Debian ships (yaml-cpp, SQLite, libsodium, xxHash, tcmalloc, the C++ and C library),
#   - archives that tools/static-libraries compiles from Debian's sources (fmt, simdjson, libpcap).
# tools/check-static, a test of label root, runs the program in roots of several Debian releases.

option(OVERLANE_STATIC "Links overlane into one file that needs no shared library" OFF)
if(NOT OVERLANE_STATIC)
  return()
endif()

set(libraries "${PROJECT_BINARY_DIR}/libraries")
execute_process(COMMAND "${PROJECT_SOURCE_DIR}/tools/static-libraries" "${libraries}"
  COMMAND_ERROR_IS_FATAL ANY)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
# The start code of a static program ends it at a path to shared libraries.
set(CMAKE_SKIP_RPATH ON)
list(PREPEND CMAKE_LIBRARY_PATH "${libraries}")

# Packages found here are found in every folder, with the archive in place of the shared library.
foreach(package fmt:fmt::fmt:fmt yaml-cpp:yaml-cpp:yaml-cpp simdjson:simdjson::simdjson:simdjson)
  string(REGEX MATCH "^([^:]+):(.+):([^:]+)$" parts "${package}")
  set(target "${CMAKE_MATCH_2}")
  set(name "${CMAKE_MATCH_3}")
  find_package(${CMAKE_MATCH_1} REQUIRED)
  find_library(${name}_ARCHIVE ${name} REQUIRED)
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(configuration IN LISTS configurations)
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION_${configuration} "${${name}_ARCHIVE}")
  endforeach()
endforeach()

# overlane_link_statically(<program>)
function(overlane_link_statically program)
  target_link_options(${program} PRIVATE -static-pie -Wl,--gc-sections,-z,pack-relative-relocs -s
    "-Wl,--dependency-file=${PROJECT_BINARY_DIR}/overlane.link.d")
endfunction()
