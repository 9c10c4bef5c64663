# overlane_fuzz(<target> <x_fuzz.cpp> <testing>)
#
# Makes the program <target>_x_fuzz from x_fuzz.cpp, which defines LLVMFuzzerTestOneInput, and the
# seeds beside it in x_fuzz.seeds (tools/fuzzing/mutate.h). With OVERLANE_FUZZ libFuzzer drives it
# (tools/fuzz). Without, tools/fuzzing runs the seeds and a fixed number of mutations of them, as
# the test <target>.x_fuzz.

set(OVERLANE_FUZZ OFF CACHE BOOL "Fuzz targets are driven by libFuzzer (needs clang)")
set(OVERLANE_FUZZ_TEST_RUNS 20000)

function(overlane_fuzz target source testing)
  cmake_path(GET source STEM name)
  set(program "${target}_${name}")
  cmake_path(REPLACE_EXTENSION source LAST_ONLY seeds OUTPUT_VARIABLE seeds)
  if(NOT EXISTS "${seeds}")
    message(FATAL_ERROR "${source} has no seeds: ${seeds} is missing")
  endif()

  add_executable(${program} "${source}")
  if(testing AND BUILD_TESTING)
    target_link_libraries(${program} PRIVATE ${target}_testing)
  else()
    target_sources(${program} PRIVATE ${testing})
    target_link_libraries(${program} PRIVATE ${target})
  endif()
  if(OVERLANE_FUZZ)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    set_property(GLOBAL APPEND PROPERTY OVERLANE_FUZZERS
      "${program}\t$<TARGET_FILE:${program}>\t${seeds}")
  else()
    target_sources(${program} PRIVATE "${PROJECT_SOURCE_DIR}/tools/fuzzing/main.cpp")
    target_link_libraries(${program} PRIVATE tools_fuzzing)
    add_test(NAME ${target}.${name}
      COMMAND ${program} "${seeds}" ${OVERLANE_FUZZ_TEST_RUNS})
    # A sanitizer that aborts lets the program print the input.
    set_tests_properties(${target}.${name} PROPERTIES LABELS fast ENVIRONMENT
      "ASAN_OPTIONS=abort_on_error=1;UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1")
  endif()
endfunction()

# Writes name, program and seeds of every fuzz target, for tools/fuzz.
function(overlane_write_fuzzers)
  get_property(fuzzers GLOBAL PROPERTY OVERLANE_FUZZERS)
  list(JOIN fuzzers "\n" text)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/fuzzers.txt" CONTENT "${text}\n")
endfunction()
