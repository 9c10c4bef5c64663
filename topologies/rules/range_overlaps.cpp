#include "topologies/rules/range_overlaps.h"

#include <fmt/format.h>

namespace overlane::rules {

using effective::GivenRange;
using effective::NetworkInputs;
using effective::RangeOrigin;
namespace {

bool is_chosen(const GivenRange& range) {
  return range.origin != RangeOrigin::Status || range.value().is_ipv4();
}

/// " in line 12", or the place in another file; nothing if both are in one line.
std::string line_of(const GivenRange& reported, const GivenRange& other) {
  const SourceLocation& place = other.given->place;
  if (place.line == 0) return "";
  if (place.file != reported.given->place.file) return fmt::format(" ({})", place.to_string());
  return place.line == reported.given->place.line ? "" : fmt::format(" in line {}", place.line);
}

}  // namespace

void report_overlaps(const NetworkInputs& in, RuleReport& report) {
  const std::vector<GivenRange>& ranges = in.addressing.given;
  for (auto a = ranges.begin(); a != ranges.end(); ++a)
    for (auto b = a + 1; b != ranges.end(); ++b)
      if (a->role != b->role && is_chosen(*a) && is_chosen(*b) && a->value().overlaps(b->value()))
        report.add(*a->given,
                   fmt::format("{} {} overlaps {} {}{}", to_string(a->role), a->value().to_string(),
                               to_string(b->role), b->value().to_string(), line_of(*a, *b)));
}

}  // namespace overlane::rules
