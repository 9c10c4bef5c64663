# cmake -D SOURCE_DIR=… -D OUTPUT=… -P write_commit.cmake
#
# Writes the source file that knows the commit which is being built. It is written only if that
# changed, and it is the only file that is compiled again then.

find_package(Git QUIET)
set(commit unknown)
if(GIT_FOUND AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(
    COMMAND "${GIT_EXECUTABLE}" describe --always --abbrev=40 --dirty --exclude=*
    WORKING_DIRECTORY "${SOURCE_DIR}"
    RESULT_VARIABLE failed OUTPUT_VARIABLE described ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    set(commit "${described}")
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT [[
#include <string_view>

namespace overlane::command {

// Declared in tools/overlane/cli/process.h.
std::string_view built_commit() {
  return "@commit@";
}

}  // namespace overlane::command
]] @ONLY)
