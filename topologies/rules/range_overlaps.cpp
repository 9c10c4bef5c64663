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

}  // namespace

void report_overlaps(const NetworkInputs& in, RuleReport& report) {
  const std::vector<GivenRange>& ranges = in.addressing.given;
  for (auto a = ranges.begin(); a != ranges.end(); ++a)
    for (auto b = a + 1; b != ranges.end(); ++b)
      if (a->role != b->role && is_chosen(*a) && is_chosen(*b) && a->value().overlaps(b->value()))
        report.add(*a->given,
                   fmt::format("{} {} overlaps {} {}", to_string(a->role), a->value().to_string(),
                               to_string(b->role), b->value().to_string()));
}

}  // namespace overlane::rules
