#include "results/finding/counted.h"

#include <fmt/format.h>

namespace overlane {

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace overlane
