#pragma once

#include <string_view>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"

namespace overlane::spec {

/// The longest duration of a file, and of most options.
inline constexpr Picos kMaxDuration = seconds(3600);
/// The longest time of a component or an operator in a switch: a week.
inline constexpr Picos kMaxSwitchDuration = seconds(7 * 24 * 3600);

/// "250ms", "1.5s", "2m", "1h30m": decimal numbers with units (h, m, s, ms, us, µs, ns), as Go and
/// Kubernetes write durations; their sum is from zero to `most`. Negative numbers and numbers
/// without a unit are errors. The only parser of durations: files and options use it alike.
Parsed<Picos> parse_duration(std::string_view text, Picos most = kMaxDuration);

/// "10Gbit/s", "500 Mbit/s", "1.5Gbit/s": a decimal number and a unit (bit/s, kbit/s, Mbit/s,
/// Gbit/s, powers of 1000), above zero and at most 10 Tbit/s.
Parsed<BitsPerSecond> parse_rate(std::string_view text);

/// "0.1%", "100 %": a percentage, at most 100, in units of 10^-9 of the whole, rounded down.
Parsed<std::uint32_t> parse_share(std::string_view text);

}  // namespace overlane::spec
