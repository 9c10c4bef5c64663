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

// `events` of a Scenario: changes of the nodes or the fabric during a run, such as a vanishing
// cloud route or a restarted agent. Decoding checks each event by itself and against the other
// events of the file. Two events must not change the same thing at the same time.

/// The kind of change that an event makes.
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
/// Whether the event adds, removes or restarts pods or their node.
bool is_lifecycle(EventKind kind);

/// The sysctls that an event can change.
enum class Sysctl : std::uint8_t { IpForward, Ipv6Forwarding, RpFilter };

std::string_view to_string(Sysctl sysctl);

/// The type of a node's route, with the names of `ip route add`. A local route belongs to the table
/// `local`, which the kernel looks up before all other tables.
enum class RouteType : std::uint8_t { Unicast, Local, Blackhole, Unreachable, Prohibit };

std::string_view to_string(RouteType type);

/// A change of the nodes' or the fabric's state during a run. The kind determines which members are
/// set.
struct Event {
  Picos at;
  /// Time until the change is undone, or until restarted pods run again. Empty: the change lasts
  /// until the end of the run, and restarted pods run again immediately.
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
  std::string to;  ///< Node on which restarted pods are created again, with new addresses; empty:
                   ///< their old node.
  SourceLocation place;

  /// The event as text, without its times: "remove-cloud-route node-2".
  std::string to_string() const;
};

/// Whether one event begins at the same time as the other, or while the other is in force.
bool overlap_in_time(const Event& a, const Event& b);
/// The message that `b` changes the same thing as `a`. `a` must precede `b` in the file.
std::string contradiction(const Event& a, const Event& b);
inline constexpr std::string_view kContradictoryEvents = "contradictory-events";
inline constexpr std::string_view kContradictionHint =
    "move one of them, or make one event of both";

/// Reads `events` of a scenario that runs for `duration`, in the file's order. Errors are times
/// beyond the end of the run, and events that change the same thing at the same time.
std::vector<Event> decode_events(document::Fields& spec, Picos duration);

}  // namespace overlane::spec
