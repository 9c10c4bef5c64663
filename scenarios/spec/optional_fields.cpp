#include "scenarios/spec/optional_fields.h"

#include <array>
#include <cctype>
#include <charconv>
#include <span>

#include <fmt/format.h>

#include "topologies/document/fields/shape.h"

namespace overlane::spec {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::int64_t kHour = seconds(3600).count;

/// The units of Go's time.ParseDuration (go.dev/pkg/time, 1.23), with both characters for micro:
/// U+00B5 and U+03BC.
constexpr std::array kDurationUnits = {
    Unit{"h", kHour},           Unit{"m", kHour / 60}, Unit{"s", 1'000'000'000'000},
    Unit{"ms", 1'000'000'000},  Unit{"us", 1'000'000}, Unit{"\u00b5s", 1'000'000},
    Unit{"\u03bcs", 1'000'000}, Unit{"ns", 1'000}};
constexpr std::array kRateUnits = {Unit{"bit/s", 1}, Unit{"kbit/s", 1'000},
                                   Unit{"Mbit/s", 1'000'000}, Unit{"Gbit/s", 1'000'000'000}};

constexpr std::array kShareUnits = {Unit{"%", 10'000'000}};

constexpr std::string_view kDurationHint =
    "write numbers with units (h, m, s, ms, us, ns), for example 250ms, 90s or 1h30m";

constexpr std::int64_t kWhole = 1'000'000'000;
constexpr std::int64_t kHighestRate = 10'000'000'000'000;
/// Maximum number of decimals: further decimals are below a picosecond or a bit.
constexpr std::size_t kMaxDecimals = 12;

std::string unit_names(std::span<const Unit> units) {
  std::string names;
  for (const Unit& unit : units) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", unit.name);
  }
  return names;
}

/// Parses one decimal number with its unit. The error says why the text is invalid.
Parsed<WideInteger> scale(std::string_view text, std::span<const Unit> units) {
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
  if (number.empty() || dot == 0 || digits.find('.') != std::string::npos)
    return fail("is no quantity");
  if (unit == nullptr) return fail(name.empty() ? "has no unit" : "has an unknown unit");
  if (decimals.size() > kMaxDecimals) return fail("has too many decimals");

  std::int64_t whole = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  // Larger than the limit of every unit, and far from an overflow.
  if (error != std::errc{}) return WideInteger{INT64_MAX} * unit->factor;
  WideInteger scaled = WideInteger{whole} * unit->factor;
  for (std::size_t i = 0; i < decimals.size(); ++i)
    scaled /= 10;
  return scaled;
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
  const auto scaled = scale(text, units);
  if (!scaled) return bad(scaled.error());
  if (*scaled > most) return bad(fmt::format("is too large: {} is the most", most_text));
  return static_cast<std::int64_t>(*scaled);
}

/// Removes the first number with its unit, and the blanks after it, from `text`.
std::string_view take_part(std::string_view& text) {
  constexpr std::string_view kNumber = "0123456789.";
  const std::size_t unit = std::min(text.find_first_not_of(kNumber), text.size());
  const std::size_t end = std::min(text.find_first_of(kNumber, unit), text.size());
  std::string_view part = text.substr(0, end);
  text.remove_prefix(end);
  if (!text.empty()) part = part.substr(0, part.find_last_not_of(' ') + 1);
  return part;
}

}  // namespace

Parsed<Picos> parse_duration(std::string_view text, Picos most) {
  const auto bad = [&](std::string_view why) {
    return fail(fmt::format("\"{}\" {}; {}", text, why, kDurationHint));
  };
  if (text.starts_with('-')) return bad("is negative");
  WideInteger sum = 0;
  std::string_view rest = text;
  do {
    const auto part = scale(take_part(rest), kDurationUnits);
    if (!part) return bad(part.error());
    sum += *part;
    if (sum > most.count)
      return fail(fmt::format("\"{}\" is too large: {}s is the most", text,
                              most.whole_nanoseconds() / 1'000'000'000));
  } while (!rest.empty());
  return Picos{static_cast<std::int64_t>(sum)};
}

Parsed<Picos> parse_duration_in(std::string_view unit, std::string_view text, Picos most) {
  const bool is_bare = !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
  return parse_duration(fmt::format("{}{}", text, is_bare ? unit : ""), most);
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

namespace {

template <typename Quantity>
std::optional<Quantity> parsed(document::Fields& fields, const document::FieldKey& key,
                               Parsed<Quantity> (*parse)(std::string_view),
                               std::string_view pattern, std::string_view example) {
  const document::Value value = fields.any(key);
  if (document::Shape* shape = fields.problems().shape_of(value)) {
    shape->type = document::Shape::Type::String;
    shape->pattern = pattern;
    shape->example = example;
  }
  if (!value) return std::nullopt;
  if (!value.is(document::Kind::Scalar)) {
    fields.problems().error(value, "wrong-type",
                            fmt::format("{} must be a quantity with a unit, not {}", key.name,
                                        document::describe(value.kind())));
    return std::nullopt;
  }
  const Parsed<Quantity> quantity = parse(value.text());
  if (quantity) return *quantity;
  fields.problems().error(value, "invalid-quantity",
                          fmt::format("{}: {}", key.name, quantity.error()));
  return std::nullopt;
}

/// Whether a field is `word` instead of a quantity.
bool is_word(document::Fields& fields, const document::FieldKey& key, std::string_view word) {
  const document::Value value = fields.any(key);
  return value.is(document::Kind::Scalar) && value.text() == word;
}
/// Adds `word` to the pattern of the field's shape (JSON schema).
void allow_word(document::Fields& fields, const document::FieldKey& key, std::string_view word) {
  if (document::Shape* shape = fields.problems().shape_of(fields.any(key)))
    shape->pattern = fmt::format("^{}$|{}", word, shape->pattern);
}

}  // namespace

std::optional<Picos> duration(document::Fields& fields, const document::FieldKey& key) {
  return parsed(
      fields, key, +[](std::string_view text) { return parse_duration(text); },
      R"(^([0-9]+(\.[0-9]+)? *(h|m|s|ms|us|µs|μs|ns) *)+$)", "250ms");
}

std::optional<Picos> duration_above_zero(document::Fields& fields, const document::FieldKey& key) {
  const auto value = duration(fields, key);
  if (value != Picos{}) return value;
  fields.problems().error(fields.value()[key.name], "out-of-range",
                          fmt::format("{} is zero", key.name),
                          "write a duration above zero, for example 10ms");
  return std::nullopt;
}

std::optional<std::int64_t> millionths_between(document::Fields& fields,
                                               const document::FieldKey& key, std::int64_t least,
                                               std::int64_t most) {
  constexpr std::int64_t kOne = 1'000'000;
  const auto value = fields.number(key);
  fields.only_between(fields.value()[key.name], least / kOne, (most + kOne - 1) / kOne);
  if (!value) return std::nullopt;
  // Also rejects NaN.
  const double scaled = *value * static_cast<double>(kOne);
  if (scaled >= static_cast<double>(least) && scaled <= static_cast<double>(most))
    return static_cast<std::int64_t>(scaled + 0.5);
  fields.problems().error(
      fields.value()[key.name], "out-of-range",
      fmt::format("{} is {}; it must be between {} and {}", key.name, *value,
                  static_cast<double>(least) / kOne, static_cast<double>(most) / kOne));
  return std::nullopt;
}

std::optional<std::uint32_t> share(document::Fields& fields, const document::FieldKey& key) {
  return parsed(fields, key, &parse_share, R"(^[0-9]+(\.[0-9]+)? *(%)$)", "0.1%");
}

std::optional<BitsPerSecond> rate(document::Fields& fields, const document::FieldKey& key) {
  return parsed(fields, key, &parse_rate, R"(^[0-9]+(\.[0-9]+)? *(bit/s|kbit/s|Mbit/s|Gbit/s)$)",
                "10Gbit/s");
}

RateOrNone rate_or_none(document::Fields& fields, const document::FieldKey& key) {
  if (is_word(fields, key, "none")) return {.none = true};
  const RateOrNone read{.rate = rate(fields, key)};
  allow_word(fields, key, "none");
  return read;
}

DurationOrAuto duration_or_auto(document::Fields& fields, const document::FieldKey& key) {
  if (is_word(fields, key, "auto")) return {.automatic = true};
  const DurationOrAuto read{.duration = duration(fields, key)};
  allow_word(fields, key, "auto");
  return read;
}

std::optional<std::int64_t> integer_between(document::Fields& fields, const document::FieldKey& key,
                                            std::int64_t least, std::int64_t most) {
  const auto value = fields.integer(key);
  fields.only_between(fields.value()[key.name], least, most);
  if (!value || (*value >= least && *value <= most)) return value;
  fields.problems().error(
      fields.value()[key.name], "out-of-range",
      fmt::format("{} is {}; it must be between {} and {}", key.name, *value, least, most));
  return std::nullopt;
}

std::optional<std::uint32_t> count_between(document::Fields& fields, const document::FieldKey& key,
                                           std::uint32_t least, std::uint32_t most) {
  const auto value = integer_between(fields, key, least, most);
  if (!value) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::optional<std::uint32_t> mtu(document::Fields& fields, const document::FieldKey& key) {
  return count_between(fields, key, 68, 65'535);
}

std::optional<std::uint8_t> mtu_probing(document::Fields& fields, const document::FieldKey& key) {
  const auto probing = count_between(fields, key, 0, 2);
  return probing ? std::optional(static_cast<std::uint8_t>(*probing)) : std::nullopt;
}

std::optional<std::uint32_t> datagram_payload(document::Fields& fields,
                                              const document::FieldKey& key) {
  return count_between(fields, key, 1, 65'507);
}

}  // namespace overlane::spec
