#include "results/base/testing/source_file.h"

namespace overlane {

std::string source_file(std::string_view path) {
  std::string file = OVERLANE_SOURCE_DIR;
  if (!path.empty()) file.append("/").append(path);
  return file;
}

}  // namespace overlane
