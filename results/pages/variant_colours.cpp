#include "results/pages/variant_colours.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace overlane::pages {
namespace {

constexpr std::array<std::pair<std::string_view, std::size_t>, 5> kFixedNumbers{
    {{"routed", 0}, {"native", 0}, {"ipip", 1}, {"vxlan", 2}, {"geneve", 3}}};

/// FNV-1a, modulo the number of colours.
std::size_t number_of_other(std::string_view name) {
  std::uint32_t hash = 2166136261;
  for (const char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return hash % kVariantColours.size();
}

}  // namespace

VariantNumbers::VariantNumbers(const std::vector<std::string>& names) {
  std::array<bool, kVariantColours.size()> taken{};
  const auto add = [&](const std::string& name, std::size_t number) {
    taken[number] = true;
    variants_.push_back({name, number});
  };
  const auto is_added = [&](const std::string& name) {
    return std::ranges::find(variants_, name, &Numbered::name) != variants_.end();
  };
  for (const auto& [name, number] : kFixedNumbers)
    if (std::ranges::find(names, name) != names.end()) add(std::string(name), number);
  for (const std::string& name : names) {
    if (is_added(name)) continue;
    std::size_t number = number_of_other(name);
    for (std::size_t i = 0; i < taken.size() && taken[number]; ++i)
      number = (number + 1) % taken.size();
    add(name, number);
  }
}

std::size_t VariantNumbers::of(std::string_view name) const {
  const auto found = std::ranges::find(variants_, name, &Numbered::name);
  assert(found != variants_.end());
  return found->number;
}

std::string variant_styles() {
  std::string light, dark;
  for (std::size_t i = 0; i < kVariantColours.size(); ++i) {
    light += fmt::format("--v{}:{};", i, kVariantColours[i].light);
    dark += fmt::format("--v{}:{};", i, kVariantColours[i].dark);
  }
  return fmt::format(":root{{{}}}\n@media screen and (prefers-color-scheme: dark){{:root{{{}}}}}\n",
                     light, dark);
}

}  // namespace overlane::pages
