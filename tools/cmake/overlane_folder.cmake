# overlane_folder(<folder> [SUBFOLDERS <name>[:<name>,...]...] [DEPENDS <folder>...] [EXTERNAL <target>...])
#
# Makes the folder's one library (dataplane/net -> target dataplane_net) from the *.cpp files in it
# and in its subfolders, and one test program per label from its tests: x_test.cpp is labelled fast,
# x_slow_test.cpp slow, x_root_test.cpp root and x_dpdk_test.cpp dpdk. Files in <folder>/testing/ are
# a library of their own, dataplane_net_testing, for tests only; a main.cpp is left to a program that
# links the library. x_fuzz.cpp is a fuzz target (overlane_fuzz.cmake); x_bench.cpp is linked into
# the program of bench/.
#
# DEPENDS names every folder it may include, besides floor 0, which every folder may. A subfolder may
# include those too, and the subfolders named behind its colon; the folder itself includes them all.
# The tools/check-floors test compares the includes with these lists.

set(OVERLANE_FLOOR_0 dataplane/net results/base results/finding sim/random)

function(overlane_folder folder)
  cmake_parse_arguments(ARG "" "" "SUBFOLDERS;DEPENDS;EXTERNAL" ${ARGN})
  string(REPLACE "/" "_" target "${folder}")
  set(directory "${PROJECT_SOURCE_DIR}/${folder}")

  set(sources_in "${directory}/*.cpp")
  set(headers_in "${directory}/*.h")
  foreach(subfolder IN LISTS ARG_SUBFOLDERS)
    string(REGEX REPLACE ":.*" "" name "${subfolder}")
    list(APPEND sources_in "${directory}/${name}/*.cpp")
    list(APPEND headers_in "${directory}/${name}/*.h")
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${sources_in})
  file(GLOB headers CONFIGURE_DEPENDS ${headers_in})
  file(GLOB testing CONFIGURE_DEPENDS "${directory}/testing/*.cpp")
  set(tests ${sources})
  set(fuzzers ${sources})
  set(benches ${sources})
  list(FILTER sources EXCLUDE REGEX "(_(test|bench|fuzz)|/main)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cpp$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")

  set(links ${ARG_EXTERNAL})
  if(NOT folder IN_LIST OVERLANE_FLOOR_0)
    list(APPEND ARG_DEPENDS ${OVERLANE_FLOOR_0})
  endif()
  foreach(dependency IN LISTS ARG_DEPENDS)
    string(REPLACE "/" "_" dependency_target "${dependency}")
    list(APPEND links "${dependency_target}")
  endforeach()

  if(sources)
    add_library(${target} STATIC ${sources})
    overlane_unity(${target})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(${target} ${scope} overlane_settings ${links})
  target_sources(${target} ${scope}
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${headers})
  set_property(TARGET ${target} PROPERTY VERIFY_INTERFACE_HEADER_SETS ON)

  overlane_declare_floors(${folder} "${ARG_DEPENDS}" "${ARG_SUBFOLDERS}")

  if(benches)
    set_property(GLOBAL APPEND PROPERTY OVERLANE_BENCH_SOURCES ${benches})
    set_property(GLOBAL APPEND PROPERTY OVERLANE_BENCH_TARGETS ${target})
  endif()

  if(BUILD_TESTING)
    overlane_folder_tests(${target} "${testing}" "${tests}")
  endif()
  if(BUILD_TESTING OR OVERLANE_FUZZ)
    foreach(fuzzer IN LISTS fuzzers)
      overlane_fuzz(${target} "${fuzzer}" "${testing}")
    endforeach()
  endif()
endfunction()

# Compiles the target's files in batches: most of a translation unit's time goes into the standard
# library's headers and templates, which a batch pays for once.
function(overlane_unity target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${OVERLANE_UNITY} UNITY_BUILD_BATCH_SIZE ${OVERLANE_UNITY_BATCH})
endfunction()

function(overlane_folder_tests target testing tests)
  set(links ${target} fmt::fmt GTest::gmock GTest::gtest_main)
  if(NOT target STREQUAL "results_base")
    list(APPEND links results_base_testing)
  endif()
  if(testing)
    add_library(${target}_testing STATIC ${testing})
    overlane_unity(${target}_testing)
    target_link_libraries(${target}_testing PUBLIC ${links})
    list(PREPEND links ${target}_testing)
  endif()
  foreach(label fast slow root dpdk)
    set(group ${tests})
    if(label STREQUAL "fast")
      list(FILTER group EXCLUDE REGEX "_(slow|root|dpdk)_test\\.cpp$")
    else()
      list(FILTER group INCLUDE REGEX "_${label}_test\\.cpp$")
    endif()
    if(group)
      set(program "${target}_${label}_test")
      add_executable(${program} ${group})
      overlane_unity(${program})
      target_link_libraries(${program} PRIVATE ${links})
      add_test(NAME ${target}.${label} COMMAND ${program})
      set_tests_properties(${target}.${label} PROPERTIES LABELS ${label})
      if(label STREQUAL "root")
        # Two tests of the kernel at a time could see each other's devices. They mostly wait, so
        # tests that only compute run in parallel with them.
        set_tests_properties(${target}.${label} PROPERTIES RESOURCE_LOCK kernel)
      endif()
    endif()
  endforeach()
endfunction()

# Keeps what the folder and each of its subfolders may include.
function(overlane_declare_floors folder depends subfolders)
  set(edges ${depends})
  foreach(subfolder IN LISTS subfolders)
    string(REGEX MATCH "^([^:]+):?(.*)$" parts "${subfolder}")
    list(APPEND edges "${folder}/${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_1}")
    string(REPLACE "," ";" siblings "${CMAKE_MATCH_2}")
    list(TRANSFORM siblings PREPEND "${folder}/")
    list(JOIN depends " " outside)
    list(JOIN siblings " " inside)
    set_property(GLOBAL APPEND PROPERTY OVERLANE_FLOORS "${folder}/${name}: ${outside} ${inside}")
  endforeach()
  list(JOIN edges " " edges)
  set_property(GLOBAL APPEND PROPERTY OVERLANE_FLOORS "${folder}: ${edges}")
endfunction()

# Writes what every overlane_folder declared, for tools/check-floors.
function(overlane_write_floors)
  get_property(floors GLOBAL PROPERTY OVERLANE_FLOORS)
  list(JOIN floors "\n" text)
  file(WRITE "${PROJECT_BINARY_DIR}/floors.txt" "${text}\n")
endfunction()
