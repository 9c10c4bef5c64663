# Compiler settings of every Overlane target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# -gz: what debuggers read is compressed, or a build takes six gigabytes. The assertions: a span or
# vector that is read beyond its end is found even where the bytes behind it are there.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -gz -D_GLIBCXX_ASSERTIONS")
# Not -O3: g++ 12 then sees overlaps and uninitialised members in std::string that are not there
# (GCC bugs 105651 and 105562), and warnings are errors here.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()

set(OVERLANE_SANITIZE "" CACHE STRING "Value of -fsanitize=, empty for none")

add_library(overlane_settings INTERFACE)
target_include_directories(overlane_settings INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(overlane_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wswitch -Werror
  # A designated initializer names what it sets; the rest is meant to keep its default.
  -Wno-missing-field-initializers
  # Results must not depend on whether the compiler contracts to FMA (docs/architecture.md).
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
