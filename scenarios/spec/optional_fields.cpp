#include "scenarios/spec/optional_fields.h"

#include <fmt/format.h>

#include "scenarios/spec/quantity.h"
#include "topologies/document/fields/shape.h"

namespace overlane::spec {

namespace {

template <typename Quantity>
std::optional<Quantity> parsed(document::Fields& fields, std::string_view key,
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
                            fmt::format("{} must be a quantity with a unit, not {}", key,
                                        document::describe(value.kind())));
    return std::nullopt;
  }
  const Parsed<Quantity> quantity = parse(value.text());
  if (quantity) return *quantity;
  fields.problems().error(value, "invalid-quantity", fmt::format("{}: {}", key, quantity.error()));
  return std::nullopt;
}

/// Whether a field is `word` instead of a quantity.
bool is_word(document::Fields& fields, std::string_view key, std::string_view word) {
  const document::Value value = fields.any(key);
  return value.is(document::Kind::Scalar) && value.text() == word;
}
/// Adds `word` to the pattern of the field's shape (JSON schema).
void allow_word(document::Fields& fields, std::string_view key, std::string_view word) {
  if (document::Shape* shape = fields.problems().shape_of(fields.any(key)))
    shape->pattern = fmt::format("^{}$|{}", word, shape->pattern);
}

}  // namespace

std::optional<Picos> duration(document::Fields& fields, std::string_view key) {
  return parsed(
      fields, key, +[](std::string_view text) { return parse_duration(text); },
      R"(^([0-9]+(\.[0-9]+)? *(h|m|s|ms|us|µs|μs|ns) *)+$)", "250ms");
}

std::optional<Picos> duration_above_zero(document::Fields& fields, std::string_view key) {
  const auto value = duration(fields, key);
  if (value != Picos{}) return value;
  fields.problems().error(fields.value()[key], "out-of-range", fmt::format("{} is zero", key),
                          "write a duration above zero, for example 10ms");
  return std::nullopt;
}

std::optional<std::int64_t> millionths_between(document::Fields& fields, std::string_view key,
                                               std::int64_t least, std::int64_t most) {
  constexpr std::int64_t kOne = 1'000'000;
  const auto value = fields.number(key);
  fields.only_between(fields.value()[key], least / kOne, (most + kOne - 1) / kOne);
  if (!value) return std::nullopt;
  // Also rejects NaN.
  const double scaled = *value * static_cast<double>(kOne);
  if (scaled >= static_cast<double>(least) && scaled <= static_cast<double>(most))
    return static_cast<std::int64_t>(scaled + 0.5);
  fields.problems().error(
      fields.value()[key], "out-of-range",
      fmt::format("{} is {}; it must be between {} and {}", key, *value,
                  static_cast<double>(least) / kOne, static_cast<double>(most) / kOne));
  return std::nullopt;
}

std::optional<std::uint32_t> share(document::Fields& fields, std::string_view key) {
  return parsed(fields, key, &parse_share, R"(^[0-9]+(\.[0-9]+)? *(%)$)", "0.1%");
}

std::optional<BitsPerSecond> rate(document::Fields& fields, std::string_view key) {
  return parsed(fields, key, &parse_rate, R"(^[0-9]+(\.[0-9]+)? *(bit/s|kbit/s|Mbit/s|Gbit/s)$)",
                "10Gbit/s");
}

RateOrNone rate_or_none(document::Fields& fields, std::string_view key) {
  if (is_word(fields, key, "none")) return {.none = true};
  const RateOrNone read{.rate = rate(fields, key)};
  allow_word(fields, key, "none");
  return read;
}

DurationOrAuto duration_or_auto(document::Fields& fields, std::string_view key) {
  if (is_word(fields, key, "auto")) return {.automatic = true};
  const DurationOrAuto read{.duration = duration(fields, key)};
  allow_word(fields, key, "auto");
  return read;
}

std::optional<std::int64_t> integer_between(document::Fields& fields, std::string_view key,
                                            std::int64_t least, std::int64_t most) {
  const auto value = fields.integer(key);
  fields.only_between(fields.value()[key], least, most);
  if (!value || (*value >= least && *value <= most)) return value;
  fields.problems().error(
      fields.value()[key], "out-of-range",
      fmt::format("{} is {}; it must be between {} and {}", key, *value, least, most));
  return std::nullopt;
}

std::optional<std::uint32_t> count_between(document::Fields& fields, std::string_view key,
                                           std::uint32_t least, std::uint32_t most) {
  const auto value = integer_between(fields, key, least, most);
  if (!value) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::optional<std::uint32_t> mtu(document::Fields& fields, std::string_view key) {
  return count_between(fields, key, 68, 65'535);
}

std::optional<std::uint8_t> mtu_probing(document::Fields& fields) {
  const auto probing = count_between(fields, "mtuProbing", 0, 2);
  return probing ? std::optional(static_cast<std::uint8_t>(*probing)) : std::nullopt;
}

std::optional<std::uint32_t> datagram_payload(document::Fields& fields, std::string_view key) {
  return count_between(fields, key, 1, 65'507);
}

}  // namespace overlane::spec
