#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dataplane/node/runtime/reassembly.h"
#include "sim/run/packet/accounts.h"

namespace overlane::run {

/// Fragments that wait at some place for the rest of their packet: still in flight, though nothing
/// moves. Books them as delivered when the packet is whole and as dropped when it is given up.
class HeldFragments {
 public:
  using Place = std::uint32_t;

  /// True when it is the first fragment of its packet here.
  bool hold(Place place, const node::ReassemblyKey& key, const PacketInFlight& flight) {
    Fragments& fragments = held_[{place, key}];
    fragments.sender = flight.sender;
    fragments.groups.push_back(flight.group);
    fragments.core = flight.core;
    fragments.sampled = fragments.sampled || flight.sampled;
    return fragments.groups.size() == 1;
  }
  /// An ICMP error about a packet that is held at node `place`, on the core that saw its last
  /// fragment; nothing when there is no such packet.
  std::optional<PacketInFlight> error_about(Place place, const node::ReassemblyKey& key) const {
    const auto at = held_.find({place, key});
    if (at == held_.end()) return std::nullopt;
    return PacketInFlight{.sender = at->second.sender,
                          .node = place,
                          .group = at->second.groups.back(),
                          .core = at->second.core,
                          .kind = PacketInFlight::Kind::Packet,
                          .is_icmp = true,
                          .sampled = at->second.sampled};
  }
  /// The packet is whole.
  void complete(Place place, const node::ReassemblyKey& key, Accounts& accounts) {
    const auto at = held_.find({place, key});
    if (at == held_.end()) return;
    for (const std::uint32_t group : at->second.groups)
      accounts.delivered(group, 1);
    held_.erase(at);
  }
  void expire(Place place, const std::vector<node::ReassemblyTable::Expired>& expired,
              Accounts& accounts) {
    for (const node::ReassemblyTable::Expired& lost : expired) {
      const auto at = held_.find({place, lost.key});
      if (at == held_.end()) continue;
      for (const std::uint32_t group : at->second.groups)
        accounts.dropped(group, lost.drop, 1);
      held_.erase(at);
    }
  }
  /// What waits at a place is lost for this reason.
  void give_up(Place place, Drop reason, Accounts& accounts) {
    auto at = held_.lower_bound({place, {}});
    while (at != held_.end() && at->first.first == place) {
      for (const std::uint32_t group : at->second.groups)
        accounts.dropped(group, reason, 1);
      at = held_.erase(at);
    }
  }
  /// Appends the group of each fragment.
  void list(std::vector<std::uint32_t>& groups) const {
    for (const auto& [where, fragments] : held_)
      groups.insert(groups.end(), fragments.groups.begin(), fragments.groups.end());
  }

 private:
  struct Fragments {
    EndId sender = 0;
    std::vector<std::uint32_t> groups;  ///< Of each fragment: identifications come round again.
    std::uint16_t core = 0;
    bool sampled = false;
  };
  std::map<std::pair<Place, node::ReassemblyKey>, Fragments> held_;
};

inline node::ReassemblyKey reassembly_key(const forward::IpFields& header) {
  return {header.source, header.destination, header.identification,
          header.is_ipv4() ? header.protocol : std::uint8_t{0}};
}

}  // namespace overlane::run
