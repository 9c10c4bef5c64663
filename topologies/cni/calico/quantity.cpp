#include "topologies/cni/calico/quantity.h"

#include <algorithm>
#include <array>

namespace overlane::calico {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::array<std::string_view, 16> kSuffixes = {
    "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

bool has_sign(std::string_view text) {
  return text.starts_with('+') || text.starts_with('-');
}

/// "e3", "E-6".
bool is_exponent(std::string_view text) {
  if (!text.starts_with('e') && !text.starts_with('E')) return false;
  text.remove_prefix(1);
  if (has_sign(text)) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of(kDigits) == text.npos;
}

}  // namespace

std::optional<bool> is_positive_quantity(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (has_sign(text)) text.remove_prefix(1);
  const auto end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, end);
  const std::string_view suffix = text.substr(end);
  if (number.find_first_of(kDigits) == number.npos || std::ranges::count(number, '.') > 1)
    return std::nullopt;
  if (std::ranges::find(kSuffixes, suffix) == kSuffixes.end() && !is_exponent(suffix))
    return std::nullopt;
  return !negative && number.find_first_of("123456789") != number.npos;
}

}  // namespace overlane::calico
