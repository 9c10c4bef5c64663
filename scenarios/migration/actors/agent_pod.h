#pragma once

#include <cstdint>
#include <string>

#include "dataplane/net/units.h"
#include "dataplane/node/state/world.h"

namespace overlane::migration {

/// The pods that a CNI's DaemonSet runs on the nodes: what the old one and the new one change on
/// their node.
class AgentPod {
 public:
  virtual ~AgentPod() = default;

  /// By the old agent, when its pod ends. Returns what it did, for the timeline: ", and …".
  virtual std::string end(std::uint32_t /*node*/, Picos /*now*/) { return ""; }
  /// By its init containers. Returns what they did, for the timeline; empty: nothing.
  virtual std::string initialize(node::WorldEditor& /*world*/, std::uint32_t /*node*/) {
    return "";
  }
  /// By the agent, when it has started. Returns what it did.
  virtual std::string start(node::WorldEditor& world, std::uint32_t node, Picos now) = 0;
  /// The same on a node that joins and has run no agent before: it needs no init containers.
  virtual void start_on_new_node(node::WorldEditor& world, std::uint32_t node, Picos now) = 0;
  /// A node that joins with an old agent, and those that are there, learn of each other.
  virtual void meet(node::WorldEditor& world, std::uint32_t node) = 0;
  /// When it is asked for the first time, unless the agent needs more than to have started.
  virtual bool is_ready(std::uint32_t /*node*/) const { return true; }
};

}  // namespace overlane::migration
