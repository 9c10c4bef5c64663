#pragma once

#include <optional>
#include <span>

#include "dataplane/adjacency/class_lookup.h"
#include "dataplane/forward/outcome.h"

namespace overlane::adjacency {

/// Asks the decision sequence of `forward` about one packet at a time, each as if it were the first
/// that the node sees.
class Probe {
 public:
  /// Both must outlive the probe.
  Probe(const node::NodeState& state, std::span<const AddressClass> classes)
      : state_(state), classes_(classes), finder_(classes) {}

  /// The one packet that this one becomes, if that is all that happens: nothing is dropped,
  /// answered, cut or held, and the node learns nothing from it by which it would treat another
  /// packet differently.
  std::optional<forward::Emission> single(const forward::Packet& packet, forward::Ingress ingress);

 private:
  const node::NodeState& state_;
  std::span<const AddressClass> classes_;
  PrefixFinder finder_;
  forward::Outcome outcome_;
};

}  // namespace overlane::adjacency
