#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "topologies/compile/compile.h"

namespace overlane::path {

/// A packet that a trace follows: the one sent, or one that it caused.
struct Traced {
  enum class Kind : std::uint8_t { Packet, Fragment, IcmpError, Answer };
  Kind kind = Kind::Packet;
  std::string name;                 ///< "packet", "fragment 1 of 2", "ICMP error", "answer".
  std::optional<std::uint32_t> of;  ///< Of fragments and errors: index into Trace::packets.
};

/// One decision on the way.
struct Hop {
  std::uint32_t packet = 0;  ///< Index into Trace::packets.
  std::string place;         ///< "node-1/pod-0", "node-1", "vpc".
  std::string decision;      ///< "route", "encapsulate", "deliver", "drop".
  std::string because;       ///< One sentence.
  std::string state_entry;   ///< The line of the state's text that decided; empty when none did.
  std::optional<Drop> drop;
};

/// The bytes of a packet at one interface, from the outermost IP header on: no state knows the
/// link-layer addresses of veths and uplinks.
struct Leg {
  std::size_t hop = 0;       ///< Index into Trace::hops: the decision that brought it here.
  std::uint32_t packet = 0;  ///< Index into Trace::packets.
  std::string interface;     ///< "node-1/eth0".
  bool leaves = false;       ///< Sent by the node; else received.
  std::vector<std::uint8_t> bytes;
};

/// A packet at its end, where nobody dropped it.
struct Arrived {
  std::uint32_t packet = 0;  ///< Index into Trace::packets.
  std::string place;         ///< "node-2/pod-0", "node-2", "outside".
  std::uint32_t node = 0;    ///< Unless it is outside.
  bool outside = false;
  forward::Packet as;
};

/// Why the packet, or its answer, did not get through: what was dropped first.
struct Failure {
  std::size_t hop = 0;  ///< Index into Trace::hops.
  Drop drop = Drop::NoRoute;
  std::uint32_t node = 0;  ///< That dropped it, or had sent it into the VPC.
  bool in_vpc = false;
  forward::Packet packet;  ///< As it was dropped.
};

struct Trace {
  std::vector<Traced> packets;
  std::vector<Hop> hops;  ///< In the order of a story: each packet to its end, then the next one.
  std::vector<Leg> legs;  ///< In the order of the hops.
  std::vector<Arrived> arrived;
  bool delivered = false;        ///< All of the packet.
  std::optional<bool> answered;  ///< All of the answer, when one was asked for.
  std::optional<Failure> failure;

  /// Whether all that was asked for got through.
  bool succeeded() const { return delivered && answered.value_or(true); }
  /// Whether it is an ICMP error, or of one.
  bool is_of_error(std::uint32_t packet) const;
};

/// A service's address in front of the pod that the packet is for. The nodes' states translate it
/// if they have any (compile::add_services); else it is told here who does.
struct ServiceFront {
  IpAddress address;
  std::uint16_t port = 0;
  std::string translator;  ///< "kube-proxy (iptables)".
  bool in_pod = false;     ///< Translated at the sender's socket; else on its node.
};

struct TraceRequest {
  std::uint32_t from_node = 0;
  bool from_pod = true;    ///< Else the node itself sends.
  forward::Packet packet;  ///< As its sender makes it, bare and whole; to the pod behind a service.
  std::optional<ServiceFront> service;
  bool answer = false;  ///< Follow an answer of the same size too, as far as its sender's MTU lets.
};

/// Follows one packet of real bytes from its sender to its end, with fresh runtimes, through every
/// decision of forward::NodeDecision and of the VPC. Fragments and ICMP errors are followed to
/// their ends as well. Whoever gets the packet answers with what it received, so that translations
/// of the first direction hold on the way back. What goes in circles is told once.
///
/// A packet from a node's address to an address outside leaves the VPC where its route says so;
/// nobody outside knows the way back to other addresses.
Trace trace(const compile::Compiled& states, const TraceRequest& request);

/// "node-1/pod-0": the pods of a node are counted in the order of their addresses. The address
/// itself when no pod of the node has it.
std::string pod_name(const node::NodeState& state, IpAddress address);

}  // namespace overlane::path
