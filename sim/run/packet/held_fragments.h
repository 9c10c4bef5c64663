#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dataplane/node/runtime/reassembly.h"
#include "sim/run/packet/accounts.h"

namespace overlane::run {

/// Fragments that wait for the rest of their packet: still in flight, though nothing moves. Books
/// them as delivered when the packet is whole and as dropped when it is given up.
class HeldFragments {
 public:
  /// The referenced argument must outlive this object.
  explicit HeldFragments(Accounts& accounts) : accounts_(accounts) {}

  /// The place of reassembly: a node, or the pod of one endpoint.
  struct Place {
    bool in_pod = false;
    std::uint32_t number = 0;  ///< Node, or endpoint in whose pod the fragments wait.

    auto operator<=>(const Place&) const = default;
  };
  static Place at_node(std::uint32_t node) { return {false, node}; }
  static Place in_pod(EndpointId end) { return {true, end}; }

  /// Adds a fragment. Returns true if it is the first one of its packet at this place.
  bool hold(Place place, const node::ReassemblyKey& key, const Packet& packet) {
    Fragments& fragments = held_[{place, key}];
    fragments.sender = packet.sender;
    fragments.groups.push_back(packet.group);
    fragments.core = packet.core;
    fragments.sampled = fragments.sampled || packet.sampled;
    return fragments.groups.size() == 1;
  }
  /// An ICMP error about a packet that is held at this node, on the core that saw its last
  /// fragment; nothing when there is no such packet.
  std::optional<Packet> error_about(std::uint32_t node, const node::ReassemblyKey& key) const {
    const auto at = held_.find({at_node(node), key});
    if (at == held_.end()) return std::nullopt;
    return Packet{.sender = at->second.sender,
                  .node = node,
                  .group = at->second.groups.back(),
                  .core = at->second.core,
                  .kind = Packet::Kind::Packet,
                  .is_icmp = true,
                  .sampled = at->second.sampled};
  }
  /// All fragments of a packet have come.
  void complete(Place place, const node::ReassemblyKey& key) {
    const auto at = held_.find({place, key});
    if (at == held_.end()) return;
    for (const std::uint32_t group : at->second.groups)
      accounts_.delivered(group, 1);
    held_.erase(at);
  }
  void expire(Place place, const std::vector<node::ReassemblyTable::Expired>& expired) {
    for (const node::ReassemblyTable::Expired& lost : expired)
      if (const auto at = held_.find({place, lost.key}); at != held_.end()) drop(at, lost.drop);
  }
  /// Drops all fragments that wait at a place.
  void give_up(Place place, Drop reason) {
    auto at = held_.lower_bound({place, {}});
    while (at != held_.end() && at->first.first == place)
      at = drop(at, reason);
  }
  /// Appends the group of each fragment.
  void list(std::vector<std::uint32_t>& groups) const {
    for (const auto& [where, fragments] : held_)
      groups.insert(groups.end(), fragments.groups.begin(), fragments.groups.end());
  }

 private:
  struct Fragments {
    EndpointId sender = 0;
    std::vector<std::uint32_t> groups;  ///< By fragment: identifications are reused.
    std::uint16_t core = 0;
    bool sampled = false;
  };
  using Held = std::map<std::pair<Place, node::ReassemblyKey>, Fragments>;

  Held::iterator drop(Held::iterator at, Drop reason) {
    for (const std::uint32_t group : at->second.groups)
      accounts_.dropped(group, reason, 1);
    return held_.erase(at);
  }

  Accounts& accounts_;
  Held held_;
};

}  // namespace overlane::run
