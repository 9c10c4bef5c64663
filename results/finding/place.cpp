#include "results/finding/place.h"

#include <fmt/compile.h>
#include <fmt/format.h>

namespace overlane {

std::string SourceLocation::to_string() const {
  if (line == 0) return file;
  if (column == 0) return fmt::format(FMT_COMPILE("{}:{}"), file.str(), line);
  return fmt::format(FMT_COMPILE("{}:{}:{}"), file.str(), line, column);
}

}  // namespace overlane
