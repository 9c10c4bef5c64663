#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

// Quantities with units, and readers of optional fields of the files that people write (scenario,
// topology, cost profile, table): durations, rates, shares, numbers in a range, and words of a
// closed list. An invalid value is an error at its location and gives an empty result, so that
// decoding continues and reports all errors of a file at once. Errors are added to the Problems of
// the fields.

/// The longest duration in files and in most options.
inline constexpr Picos kMaxDuration = seconds(3600);
/// The longest duration of a component's or an operator's action in a switch: a week.
inline constexpr Picos kMaxSwitchDuration = seconds(7 * 24 * 3600);

/// "250ms", "1.5s", "2m", "1h30m": decimal numbers with units (h, m, s, ms, us, µs, ns), as Go and
/// Kubernetes write durations. Their sum must be from zero to `most`. Negative numbers and numbers
/// without a unit are errors. Files and options use this one parser.
Parsed<Picos> parse_duration(std::string_view text, Picos most = kMaxDuration);
/// parse_duration() for options: a number without a unit is in `unit`.
Parsed<Picos> parse_duration_in(std::string_view unit, std::string_view text,
                                Picos most = kMaxDuration);

/// "10Gbit/s", "500 Mbit/s", "1.5Gbit/s": a decimal number and a unit (bit/s, kbit/s, Mbit/s,
/// Gbit/s, powers of 1000). The rate must be above zero and at most 10 Tbit/s.
Parsed<BitsPerSecond> parse_rate(std::string_view text);

/// "0.1%", "100 %": a percentage, at most 100, in units of 10^-9 of the whole, rounded down.
Parsed<std::uint32_t> parse_share(std::string_view text);

/// The functions below read an optional field, which `key` describes. A value of the wrong form or
/// out of range is an error at its location, and the result is empty. This function reads a
/// duration.
std::optional<Picos> duration(document::Fields& fields, const document::FieldKey& key);
/// A duration; zero is an error.
std::optional<Picos> duration_above_zero(document::Fields& fields, const document::FieldKey& key);
/// A duration, or the word auto. If the field is absent, `duration` is empty and `automatic` false.
struct DurationOrAuto {
  std::optional<Picos> duration;
  bool automatic = false;
};
DurationOrAuto duration_or_auto(document::Fields& fields, const document::FieldKey& key);
/// A decimal number, in millionths, rounded to the nearest.
std::optional<std::int64_t> millionths_between(document::Fields& fields,
                                               const document::FieldKey& key, std::int64_t least,
                                               std::int64_t most);
/// A percentage, in units of 10^-9.
std::optional<std::uint32_t> share(document::Fields& fields, const document::FieldKey& key);
std::optional<BitsPerSecond> rate(document::Fields& fields, const document::FieldKey& key);
/// A rate, or the word none. If the field is absent, `rate` is empty and `none` false.
struct RateOrNone {
  std::optional<BitsPerSecond> rate;
  bool none = false;

  bool operator==(const RateOrNone&) const = default;
};
RateOrNone rate_or_none(document::Fields& fields, const document::FieldKey& key);
std::optional<std::int64_t> integer_between(document::Fields& fields, const document::FieldKey& key,
                                            std::int64_t least, std::int64_t most);

/// A number in a range.
std::optional<std::uint32_t> count_between(document::Fields& fields, const document::FieldKey& key,
                                           std::uint32_t least, std::uint32_t most);

/// An MTU within the range of IPv4: at least 68 bytes, which every link must carry (RFC 791), and
/// at most 65,535 bytes, the largest packet.
std::optional<std::uint32_t> mtu(document::Fields& fields, const document::FieldKey& key);
/// A value of the sysctl net.ipv4.tcp_mtu_probing.
std::optional<std::uint8_t> mtu_probing(document::Fields& fields, const document::FieldKey& key);
/// The payload of a datagram in bytes: at most 65,535 of an IPv4 packet minus 20 of the IPv4 header
/// and 8 of the UDP header.
std::optional<std::uint32_t> datagram_payload(document::Fields& fields,
                                              const document::FieldKey& key);

/// A word of a file and its value.
template <typename Enum>
struct Word {
  std::string_view word;
  Enum value;
};

/// Reads an optional field that is one of `words`. Any other word is an error at its location, and
/// the result is empty.
template <typename Enum, std::size_t N>
std::optional<Enum> word(document::Fields& fields, const document::FieldKey& key,
                         const std::array<Word<Enum>, N>& words) {
  std::array<std::string_view, N> texts;
  for (std::size_t i = 0; i < N; ++i)
    texts[i] = words[i].word;
  const std::optional<std::string> text = fields.one_of(key, texts);
  for (const Word<Enum>& candidate : words)
    if (text && candidate.word == *text) return candidate.value;
  return std::nullopt;
}

/// The word for a value; every value must be in the table.
template <typename Enum, std::size_t N>
constexpr std::string_view word_for(Enum value, const std::array<Word<Enum>, N>& words) {
  for (const Word<Enum>& candidate : words)
    if (candidate.value == value) return candidate.word;
  return {};
}

}  // namespace overlane::spec
