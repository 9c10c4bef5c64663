#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace overlane::bench {

/// One reader of a file of shoots; exits if it finds a wrong number of them.
struct Way {
  const char* name;
  std::function<void(const std::string& path, std::size_t shoots)> run;
};

/// The first is the reference.
std::span<const Way> yaml_ways();
std::span<const Way> json_ways();

}  // namespace overlane::bench
