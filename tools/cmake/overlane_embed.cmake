# overlane_embed(<target> <folder>)
#
# Links every *.yaml file of <folder> into <target>, which declares `embedded_files` (see
# scenarios/library/library.cpp) as a list of {file name, text}.

function(overlane_embed target folder)
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.yaml")
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
