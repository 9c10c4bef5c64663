#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/runner/load/failure.h"
#include "topologies/derive/derive.h"

namespace overlane::command {

/// What `explain --node-state` was asked.
struct NodeStateRequest {
  std::vector<std::string> paths;  ///< Manifests.
  derive::DeriveOptions derive;
  std::string shoot;  ///< "namespace/name"; empty when there is only one.
  std::optional<std::uint32_t> nodes;
  std::string node;  ///< Empty: the first.
  bool fabric = false;
  /// A merge patch (RFC 7386) to the NetworkConfig, as YAML: what it changes is asked, not the
  /// state itself.
  std::optional<std::string> patch;
  /// Other manifests of the shoot: how their state differs is asked.
  std::vector<std::string> against;
};

/// A node's state and the VPC's as text, or the lines that the change takes out and puts in.
runner::Outcome<std::string> node_state_text(const NodeStateRequest& request);

}  // namespace overlane::command
