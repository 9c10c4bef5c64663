#include "topologies/document/tree/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace overlane::document {
namespace {

constexpr std::array<std::string_view, 9> kTrue = {"true", "True", "TRUE", "yes", "Yes",
                                                   "YES",  "on",   "On",   "ON"};
constexpr std::array<std::string_view, 9> kFalse = {"false", "False", "FALSE", "no", "No",
                                                    "NO",    "off",   "Off",   "OFF"};

struct Radix {
  int base = 10;
  std::string_view digits;
};

Radix split_radix(std::string_view digits) {
  if (digits.starts_with("0x") || digits.starts_with("0X")) return {16, digits.substr(2)};
  if (digits.starts_with("0b") || digits.starts_with("0B")) return {2, digits.substr(2)};
  if (digits.starts_with("0o") || digits.starts_with("0O")) return {8, digits.substr(2)};
  if (digits.size() > 1 && digits.front() == '0') return {8, digits.substr(1)};
  return {10, digits};
}

template <typename Number, typename... Format>
std::optional<Number> whole(std::string_view text, Format... format) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number, format...);
  if (error != std::errc() || at != end || text.empty()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<bool> parse_bool(std::string_view plain) {
  if (std::ranges::find(kTrue, plain) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, plain) != kFalse.end()) return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view plain) {
  std::string compact(plain);
  std::erase(compact, '_');
  std::string_view rest = compact;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const Radix radix = split_radix(rest);
  if (radix.digits.empty() || radix.digits.front() == '-') return std::nullopt;
  return whole<std::int64_t>((negative ? "-" : "") + std::string(radix.digits), radix.base);
}

std::optional<double> parse_float(std::string_view plain) {
  if (plain.find_first_not_of("+-.0123456789eE") != std::string_view::npos) return std::nullopt;
  if (plain.starts_with('+')) plain.remove_prefix(1);
  return whole<double>(plain, std::chars_format::general);
}

ScalarType plain_scalar_type(std::string_view plain) {
  if (parse_bool(plain)) return ScalarType::Bool;
  if (parse_integer(plain)) return ScalarType::Integer;
  if (parse_float(plain)) return ScalarType::Float;
  return ScalarType::String;
}

}  // namespace overlane::document
