#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "bench/engine/program.h"

int main(int argc, char** argv) {
  const auto options = overlane::bench::parse_options({argv + 1, argv + argc});
  if (!options) {
    fmt::print(options.error().exit_code == 0 ? stdout : stderr, "{}", options.error().text);
    return options.error().exit_code;
  }
  return overlane::bench::run_program(*options, [](std::string_view text) {
    fmt::print("{}", text);
    std::fflush(stdout);
  });
}
