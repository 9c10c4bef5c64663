# overlane_embed(<target> <folder> [<pattern>...])
#
# Links every file of <folder> that matches a pattern (*.yaml) into <target>, which declares
# `embedded_files` (see scenarios/library/library.cpp) as a list of {file name, text}.

function(overlane_embed target folder)
  set(patterns ${ARGN})
  if(NOT patterns)
    set(patterns "*.yaml")
  endif()
  list(TRANSFORM patterns PREPEND "${PROJECT_SOURCE_DIR}/${folder}/")
  file(GLOB files CONFIGURE_DEPENDS ${patterns})
  set(rows "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    get_filename_component(name "${file}" NAME)
    string(APPEND rows "    {\"${name}\", R\"overlane(${text})overlane\"},\n")
  endforeach()
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}_files.inc")
  file(CONFIGURE OUTPUT "${output}" CONTENT "@rows@" @ONLY)
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
