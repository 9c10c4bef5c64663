# Compiler settings of every Overlane target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# -g1: functions and lines for stack traces. Local variables cost a quarter of the build; to see them,
# configure with -DCMAKE_CXX_FLAGS="-g -O0". The assertions: reading a span or vector beyond its end
# fails even where the memory behind it is mapped.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -gz -D_GLIBCXX_ASSERTIONS")
# Not -O3: g++ 12 then sees overlaps and uninitialised members in std::string that are not there
# (GCC bugs 105651 and 105562), and warnings are errors here.
# A section per function and object lets the static program's link drop those that nothing uses.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -ffunction-sections -fdata-sections")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()

option(OVERLANE_UNITY "Compiles the files of a folder in batches" ON)
set(OVERLANE_UNITY_BATCH 24 CACHE STRING "Files of a batch, 0 for all of a folder")

set(OVERLANE_SANITIZE "" CACHE STRING "Value of -fsanitize=, empty for none")

add_library(overlane_settings INTERFACE)
target_include_directories(overlane_settings INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(overlane_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wswitch -Werror
  # A designated initializer names what it sets; the rest is meant to keep its default.
  -Wno-missing-field-initializers
  # Objects do not depend on where the sources are: ccache has them for the next clone, too.
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
  # Results must not depend on whether the compiler contracts to FMA (docs/explanation/architecture.md).
  -ffp-contract=off)
if(OVERLANE_SANITIZE)
  target_compile_options(overlane_settings INTERFACE
    -fsanitize=${OVERLANE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(overlane_settings INTERFACE -fsanitize=${OVERLANE_SANITIZE})
  # GCC's manual on -fsanitize: it makes these warnings see what is not there (in boost::optional,
  # for one), and the sanitizers find what is.
  target_compile_options(overlane_settings INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
endif()
if(OVERLANE_FUZZ)
  target_compile_options(overlane_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()
