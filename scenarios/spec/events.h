#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "scenarios/spec/fabric.h"

namespace overlane::spec {

/// What an event of a scenario changes.
enum class EventKind : std::uint8_t {
  RemoveCloudRoute,
  AddCloudRoute,
  RemoveRoute,
  AddRoute,
  ChangeDevice,
  RemoveDevice,
  ChangeSysctl,
  RemoveFilter,
  RestartAgent,
  ChangeFabric,
  RemoveNode,
  AddNode,
  RestartPods,
  ChangeInstance,
};

std::string_view to_string(EventKind kind);
/// Whether pods or their node come and go.
bool is_lifecycle(EventKind kind);

/// The sysctls that an event can change.
enum class Sysctl : std::uint8_t { IpForward, Ipv6Forwarding, RpFilter };

std::string_view to_string(Sysctl sysctl);

/// The type of a node's route, by the names of `ip route add`. A local
/// route is of the table that is asked before all others.
enum class RouteType : std::uint8_t { Unicast, Local, Blackhole, Unreachable, Prohibit };

std::string_view to_string(RouteType type);

/// A change of the nodes' or the fabric's state in the middle of a run. Which members are set
/// depends on the kind.
struct Event {
  Picos at;
  /// Then it is undone, or restarted pods are there again; empty: it stays until the end, and pods
  /// are there again at once.
  std::optional<Picos> lasts;
  EventKind kind{};
  std::string node;                     ///< Empty: every node.
  std::optional<IpPrefix> destination;  ///< Empty in a cloud route: the node's pod CIDRs.
  RouteType route = RouteType::Unicast;
  std::optional<IpAddress> via;
  std::string device;
  std::optional<std::uint32_t> mtu;
  std::optional<bool> up;
  std::optional<bool> source_destination_check;
  Sysctl sysctl{};
  std::uint8_t value = 0;  ///< New value of the sysctl.
  FabricSpec fabric;
  std::string to;  ///< Node on which pods are made again, with new addresses; empty: their own.
  SourceLocation place;

  /// "remove-cloud-route node-2", without times.
  std::string to_string() const;
};

/// Whether one begins while the other is in force, or at the same time.
bool overlap_in_time(const Event& a, const Event& b);
/// Says that `b` changes what `a`, which comes before it in the file, changes.
std::string contradiction(const Event& a, const Event& b);
inline constexpr std::string_view kContradictoryEvents = "contradictory-events";
inline constexpr std::string_view kContradictionHint =
    "move one of them, or make one event of both";

/// Reads `events` of a scenario that runs for `duration`, in the file's order. Errors: times beyond
/// the end, and events that change the same thing at the same time.
std::vector<Event> decode_events(document::Fields& spec, Picos duration);

}  // namespace overlane::spec
