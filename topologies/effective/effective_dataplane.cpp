#include "topologies/effective/effective_dataplane.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace overlane::effective {

namespace {

std::optional<std::uint32_t> number(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
  if (error != std::errc{} || end != digits.end()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<CalicoVersion> CalicoVersion::parse(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos) return std::nullopt;
  const auto major = number(text.substr(0, dot));
  const auto minor = number(text.substr(dot + 1));
  if (!major || !minor) return std::nullopt;
  return CalicoVersion{*major, *minor};
}

std::string to_string(CalicoVersion version) {
  return std::to_string(version.major) + '.' + std::to_string(version.minor);
}

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::Create:
      return "create";
    case Stage::Live:
      return "live";
  }
  return "";
}

std::string_view to_string(RoutingDomain::Sharing sharing) {
  switch (sharing) {
    case RoutingDomain::Sharing::None:
      return "none";
    case RoutingDomain::Sharing::Sure:
      return "sure";
    case RoutingDomain::Sharing::Possible:
      return "possible";
    case RoutingDomain::Sharing::Declared:
      return "declared";
  }
  return "";
}

}  // namespace overlane::effective
