#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/runner/load/failure.h"
#include "topologies/derive/derive.h"

namespace overlane::command {

/// The request of `explain --node-state`.
struct NodeStateRequest {
  std::vector<std::string> paths;  ///< Manifests.
  derive::DeriveOptions derive;
  std::string shoot;  ///< "namespace/name"; empty if there is only one.
  std::optional<std::uint32_t> nodes;
  std::string node;  ///< Empty: the first.
  bool fabric = false;
  /// A merge patch (RFC 7386) to the NetworkConfig, as YAML: the result is the difference that it
  /// makes.
  std::optional<std::string> patch;
  /// Other manifests of the shoot: the result is the difference to their state.
  std::vector<std::string> against;
};

/// A node's and the VPC's state as text, or the lines that the change removes and adds; then, as
/// comments, what is assumed and the findings.
struct NodeStateText {
  std::string text;
  Findings findings;
};
runner::Outcome<NodeStateText> node_state_text(const NodeStateRequest& request);

}  // namespace overlane::command
