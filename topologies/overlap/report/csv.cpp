#include <array>

#include <fmt/format.h>

#include "results/report/formats/tables.h"
#include "topologies/overlap/report/advice.h"
#include "topologies/overlap/report/encode.h"

namespace overlane::overlap {
namespace {

std::string number(const std::optional<std::uint64_t>& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

std::string encode_csv(const OverlapReport& report) {
  std::string text =
      "severity,rule,kind,routing_domain,sharing,a,a_role,a_cidr,a_source,b,b_role,b_cidr,b_source,"
      "intersection,nodes_until_conflict,creations_until_conflict,consequence,urgency,a_mode,b_mode"
      ",hint\r\n";
  for (const Overlap& overlap : report.overlaps) {
    const std::array fields = {std::string(overlane::to_string(overlap.impact.severity)),
                               std::string(overlap.impact.rule->id),
                               overlap.kind,
                               overlap.routing_domain,
                               std::string(overlap.impact.sure ? "sure" : "possible"),
                               overlap.a.owner,
                               std::string(to_string(overlap.a.role)),
                               overlap.a.cidr.to_string(),
                               source_of(overlap.a),
                               overlap.b.owner,
                               std::string(to_string(overlap.b.role)),
                               overlap.b.cidr.to_string(),
                               source_of(overlap.b),
                               overlap.intersection.to_string(),
                               number(overlap.nodes_until_conflict),
                               number(overlap.creations_until_conflict),
                               overlap.consequence,
                               std::string(to_string(overlap.urgency)),
                               std::string(overlap.a.mode()),
                               std::string(overlap.b.mode()),
                               advice(overlap)};
    text += report::csv_record(fields);
  }
  return text;
}

std::string source_of(const End& end) {
  if (end.assumed) return fmt::format("assumed: {}", end.path);
  const std::string place = end.place.to_string();
  if (end.path.empty()) return place;
  return place.empty() ? end.path : fmt::format("{} {}", place, end.path);
}

}  // namespace overlane::overlap
