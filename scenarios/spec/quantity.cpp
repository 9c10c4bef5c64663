#include "scenarios/spec/quantity.h"

#include <array>
#include <cctype>
#include <charconv>
#include <span>

#include <fmt/format.h>

namespace overlane::spec {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::array kDurationUnits = {Unit{"ns", 1'000}, Unit{"us", 1'000'000},
                                       Unit{"µs", 1'000'000}, Unit{"ms", 1'000'000'000},
                                       Unit{"s", 1'000'000'000'000}};
constexpr std::array kRateUnits = {Unit{"bit/s", 1}, Unit{"kbit/s", 1'000},
                                   Unit{"Mbit/s", 1'000'000}, Unit{"Gbit/s", 1'000'000'000}};

constexpr std::array kShareUnits = {Unit{"%", 10'000'000}};

constexpr std::int64_t kWhole = 1'000'000'000;
constexpr std::int64_t kLongestDuration = seconds(3600).count;
constexpr std::int64_t kHighestRate = 10'000'000'000'000;
/// More decimals are below a picosecond or bit.
constexpr std::size_t kMostDecimals = 12;

std::string unit_names(std::span<const Unit> units) {
  std::string names;
  for (const Unit& unit : units) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", unit.name);
  }
  return names;
}

/// An exact decimal number times its unit, without floating point.
Parsed<std::int64_t> parse_quantity(std::string_view text, std::span<const Unit> units,
                                    std::int64_t most, std::string_view most_text,
                                    std::string_view example) {
  const auto bad = [&](std::string_view why) {
    return fail(fmt::format("\"{}\" {}; write a number and a unit ({}), for example {}", text, why,
                            unit_names(units), example));
  };
  if (text.starts_with('-')) return bad("is negative");
  const std::size_t end = text.find_first_not_of("0123456789.");
  const std::string_view number = text.substr(0, end);
  std::string_view name = end == std::string_view::npos ? "" : text.substr(end);
  while (name.starts_with(' '))
    name.remove_prefix(1);

  const Unit* unit = nullptr;
  for (const Unit& candidate : units) {
    if (candidate.name == name) unit = &candidate;
  }
  const std::size_t dot = std::min(number.find('.'), number.size());
  const std::string_view decimals = dot < number.size() ? number.substr(dot + 1) : "";
  const std::string digits = std::string(number.substr(0, dot)) + std::string(decimals);
  if (number.empty() || dot == 0 || digits.find('.') != std::string::npos) {
    return bad("is no quantity");
  }
  if (unit == nullptr) return bad(name.empty() ? "has no unit" : "has an unknown unit");
  if (decimals.size() > kMostDecimals) return bad("has too many decimals");

  std::int64_t whole = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  const std::string too_large = fmt::format("is too large: {} is the most", most_text);
  if (error != std::errc{}) return bad(too_large);
  WideInteger scaled = WideInteger{whole} * unit->factor;
  for (std::size_t i = 0; i < decimals.size(); ++i)
    scaled /= 10;
  if (scaled > most) return bad(too_large);
  return static_cast<std::int64_t>(scaled);
}

}  // namespace

Parsed<Picos> parse_duration(std::string_view text) {
  const auto count = parse_quantity(text, kDurationUnits, kLongestDuration, "3600s", "250ms");
  if (!count) return fail(count.error());
  return Picos{*count};
}

Parsed<BitsPerSecond> parse_rate(std::string_view text) {
  const auto count = parse_quantity(text, kRateUnits, kHighestRate, "10000Gbit/s", "10Gbit/s");
  if (!count) return fail(count.error());
  if (*count == 0)
    return fail(fmt::format("\"{}\" is a rate of zero: nothing would be sent", text));
  return BitsPerSecond{*count};
}

Parsed<std::uint32_t> parse_share(std::string_view text) {
  const auto count = parse_quantity(text, kShareUnits, kWhole, "100%", "0.1%");
  if (!count) return fail(count.error());
  return static_cast<std::uint32_t>(*count);
}

}  // namespace overlane::spec
