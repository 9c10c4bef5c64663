#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dataplane/node/state/fabric_state.h"

namespace overlane::node {

/// What was changed of a fabric's state: packets that ask for none of it fare as before.
struct FabricChange {
  struct Destination {
    std::uint32_t route_table = 0;
    IpPrefix prefix;
    bool operator==(const Destination&) const = default;
  };
  std::vector<Destination> destinations;  ///< Whose routes were added, replaced or removed.
  std::vector<std::uint32_t> instances;   ///< Their addresses, prefixes, checks or groups.
  std::vector<std::uint32_t> groups;      ///< Their rules.
  bool all = false;                       ///< What concerns every packet: MTU, denied packets.

  bool any() const { return !destinations.empty() || !instances.empty() || !groups.empty() || all; }
};

/// What became of a route that was asked for: a refused one is not there.
enum class RouteChange : std::uint8_t { Set, Unchanged, OverQuota, InsideSubnet };

/// Why the provider's API refuses a route to `destination` (OverQuota, InsideSubnet); nothing: it
/// takes it.
std::optional<RouteChange> refusal_of(const FabricState& state, std::uint32_t route_table,
                                      const IpPrefix& destination);

/// The only way to change a FabricState after it was made. Each call changes what it names, notes
/// that for take() and raises the generation; it does neither where nothing changes. Costs as much
/// as it changes, but for route tables that are near their quota.
class FabricEditor {
 public:
  explicit FabricEditor(FabricState& state) : state_(state) {}

  /// Adds or replaces a route as the provider's API does: refuses a new one beyond the table's
  /// quota, and one that the provider never takes (protects_subnets).
  RouteChange set_route(std::uint32_t route_table, const IpPrefix& destination,
                        const FabricRoute& route);
  bool remove_route(std::uint32_t route_table, IpPrefix destination);

  /// Replaces an instance's addresses, prefixes, checks and groups.
  bool set_instance(std::uint32_t instance, Instance replacement);
  bool remove_prefix(std::uint32_t instance, const IpPrefix& prefix);

  bool add_rule(std::uint32_t group, FabricRule rule);
  bool remove_rule(std::uint32_t group, const FabricRule& rule);

  bool set_mtu(std::uint32_t mtu);
  bool set_path_mtu(const FabricPathMtu& path_mtu);
  bool set_denied(std::vector<DenyRule> denied);
  bool set_dropped_protocols(std::vector<std::uint8_t> protocols);
  bool set_drops_disordered_fragments(bool drops);

  const FabricState& state() const { return state_; }
  /// All that was changed since the editor was made, or since the last call.
  FabricChange take() { return std::exchange(change_, {}); }

 private:
  template <typename Member>
  bool set(Member FabricState::*member, Member value);

  FabricState& state_;
  FabricChange change_;
};

}  // namespace overlane::node
