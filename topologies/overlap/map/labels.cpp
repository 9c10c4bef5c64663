#include "topologies/overlap/map/labels.h"

#include <fmt/format.h>

#include "results/report/formats/svg.h"

namespace overlane::overlap {
namespace {

using report::xml_text;

std::string_view mode_text(const Range& range) {
  switch (range.dataplane_mode) {
    case DataplaneMode::None:
      return "";
    case DataplaneMode::Overlay:
      return ", overlay";
    case DataplaneMode::OverlayAndRoutes:
      return ", overlay with routes";
    case DataplaneMode::Routed:
      return ", routed";
    case DataplaneMode::NodesAndRoutes:
      return ", routed, with direct routes between nodes";
    case DataplaneMode::ByInterface:
      return ", routed by the nodes' interfaces";
  }
  return "";
}

std::string source_text(const Range& range) {
  if (range.assumed) return fmt::format("assumed: {}", range.path.str());
  return fmt::format("{} {}", range.place.to_string(), range.path.str());
}

}  // namespace

std::string_view style_of(Role role) {
  switch (role) {
    case Role::Pods:
    case Role::SeedPods:
      return "pods";
    case Role::Nodes:
    case Role::SeedNodes:
      return "nodes";
    case Role::Services:
    case Role::SeedServices:
      return "services";
    case Role::Vpc:
      return "vpc";
    case Role::Subnet:
      return "subnet";
    case Role::Reserved:
      return "reserved";
    case Role::Declared:
      return "declared";
  }
  return "";
}

std::string tooltip(const AddressMap::Row& row, const Range& range) {
  return fmt::format("{}: {} {}{}\n{}", xml_text(row.owner), to_string(range.role),
                     range.cidr.to_string(), mode_text(range), xml_text(source_text(range)));
}

std::string tooltip(const AddressMap::Intersection& intersection) {
  std::string text = intersection.cidr.to_string();
  for (const auto& [cause, reason] : intersection.reasons) {
    const rules::Rule& its = rule(cause.rule);
    text += fmt::format("\n{}: {}\n{}\naction: {}", overlane::to_string(cause.severity),
                        xml_text(fault(its)), xml_text(reason.consequence), xml_text(its.remedy));
  }
  return text;
}

}  // namespace overlane::overlap
