#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/forward/packet.h"
#include "dataplane/kernel/experiment/counters.h"
#include "dataplane/kernel/set_up/set_up.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

// Experiments run a node's state on a real Linux kernel, to check the model. An Experiment is a
// node (as commands, set_up.h) and packets to send into it. run() makes the node in network
// namespaces, sends the packets, and returns the packets that left and the counters that changed.
// An Experiment is a plain value that can be sent into user-mode Linux (place.h). Running it
// requires root; everything is removed at the end.

/// A packet sent into the node, or a wait.
struct Injection {
  forward::Ingress ingress = forward::Ingress::Pod;
  /// Pod: the pod's veth. Uplink: the uplink device, or empty if there is only one. Host: empty.
  std::string device;
  std::vector<std::uint8_t> packet;  ///< Bytes from the outermost IP header on; empty: no packet.
  /// Expected number of packets that leave. If fewer arrive, run() waits a little longer. Does not
  /// change the result.
  std::uint32_t expected = 1;
  /// A UDP port on which the node listens, or 0. Without a listener the node answers "port
  /// unreachable".
  std::uint16_t udp_listener = 0;
  std::uint32_t wait_ms = 0;  ///< Time to wait before sending, in milliseconds.

  auto operator<=>(const Injection&) const = default;
};

/// A packet that left the node, or that the node delivered to itself.
struct Emitted {
  forward::Egress egress = forward::Egress::Uplink;
  std::string device;  ///< Empty for Host.
  std::optional<IpAddress>
      next_hop;  ///< Neighbour with the frame's destination address; empty if no neighbour has it.
  std::vector<std::uint8_t> packet;  ///< From the outermost IP header on.

  auto operator<=>(const Emitted&) const = default;
};

/// The kernel's reaction to one injection.
struct Observed {
  std::vector<Emitted> emitted;  ///< In the order of ports, then of time; Host is last.
  Counters counters;             ///< Counters that changed.
  std::string refused;           ///< Error if the packet could not be sent ("Message too long").

  bool operator==(const Observed&) const = default;
};

/// A node and the injections for it, one after another: what the node learns from one packet still
/// applies to the next. A plain value that is complete without the NodeState, so that it can be
/// sent into user-mode Linux.
struct Experiment {
  SetUp set_up;
  std::vector<std::uint16_t> tunnel_ports;  ///< UDP ports of tunnel devices.
  std::vector<Injection> injections;

  bool operator==(const Experiment&) const = default;
};

Experiment make_experiment(const node::NodeState& state, std::vector<Injection> injections,
                           std::span<const IpAddress> more_neighbours = {});

/// Makes the node in namespaces of the running kernel, sends the packets, and returns one Observed
/// per injection, or the command that failed. Requires root. Removes everything before it returns;
/// if the process ends early, the kernel does so.
Parsed<std::vector<Observed>> run(const Experiment& experiment);

/// The bytes of a packet: those of reference::encode, with the link-layer addresses inside VXLAN,
/// which a packet descriptor does not contain. They are those of the cluster members with the outer
/// addresses.
std::vector<std::uint8_t> wire_bytes(const node::NodeState& state, const forward::Packet& packet);

/// Offset of the inner IP packet in those bytes: 0 if there is no tunnel.
std::size_t inner_offset(const forward::Packet& packet);

/// Makes an injection of the packet that waits for `expected` packets. A packet from a pod arrives
/// through the veth of the pod with its source address, or of the first pod if there is none. The
/// node listens on its UDP port.
Injection inject(const node::NodeState& state, const forward::Packet& packet,
                 forward::Ingress ingress, std::size_t expected);

}  // namespace overlane::kernel
