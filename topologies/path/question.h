#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topologies/compile/compile.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/path/trace.h"

namespace overlane::path {

// The request of `overlane trace` and its resolution: names of pods, nodes and services become
// addresses, and missing parts get defaults (the first pod, TCP to port 80, the largest packet that
// the sender may send). An ambiguous or impossible request is an error with a hint; assumptions
// become findings. The functions are pure.

/// Source or destination of a packet.
struct Endpoint {
  enum class Kind : std::uint8_t { Pod, Node, Service, Address };
  Kind kind = Kind::Pod;
  std::string name;  ///< "node-1/pod-0" or "node-2"; otherwise the address.
  std::uint32_t node = 0;
  IpAddress address;
  std::optional<std::uint16_t> port;
};

/// "pod", "node", "service" or "address".
std::string_view to_string(Endpoint::Kind kind);

/// The request of a trace, as on the command line.
struct Question {
  std::string from;  ///< A pod or a node; empty: the first pod.
  std::string to;    ///< Any endpoint; empty: the first pod of another node.
  /// The endpoint of a service, or "none" for a service without endpoints; empty: the first pod of
  /// another node than the sender's.
  std::string backend;
  /// The family of the addresses that names resolve to. Nothing: the family of the other endpoint
  /// if that is an address, else the shoot's primary family.
  std::optional<Family> family;
  std::uint8_t protocol = forward::kTcp;          ///< TCP, UDP or ICMP (ICMPv6 in IPv6).
  std::optional<std::uint32_t> size;              ///< IP packet, bytes; default: the sender's MTU.
  std::optional<std::uint16_t> source_port;       ///< Default 40000.
  std::optional<std::uint16_t> destination_port;  ///< Default: the endpoint's, or 80.
  std::uint8_t ttl = 64;
  bool dont_fragment = true;
  bool answer = false;  ///< Whether to trace an answer, too.
};

/// The question with all defaults filled in.
struct ResolvedQuestion {
  TraceRequest request;
  Endpoint from;
  Endpoint to;
  std::optional<Endpoint> backend;  ///< The chosen endpoint, if `to` is a service that has one.
  /// The service `to`, which the caller adds to the states with compile::add_services().
  std::optional<node::Service> service;
  Findings findings;  ///< Notes about assumptions.
};

/// Resolves endpoints and defaults. An endpoint is a pod ("node-1/pod-0"), a node ("node-2"), any
/// address, an address of the shoot's services, or "internet" for any external address, with an
/// optional prefix "pod:", "node:" or "service:" and an optional port suffix (":53",
/// "[fd00::1]:53").
///
/// Fails with `no-such-endpoint`; with `unsupported-target` if no packet for the target leaves its
/// sender, or if its path is not modelled; with `bad-packet` for an impossible size; or, for
/// packets between nodes, with the shoot's finding that its pods have addresses without routes
/// (effective::AddressGap).
Result<ResolvedQuestion> ask(const compile::Compiled& states,
                             const effective::EffectiveDataplane& shoot, const Question& question);

/// Finds an endpoint. Names of pods and nodes resolve to their addresses of `family`.
Result<Endpoint> find_endpoint(const compile::Compiled& states,
                               const effective::EffectiveDataplane& shoot, std::string_view text,
                               Family family);

/// Parses `text` as an IP address; nothing if it is not an address.
std::optional<IpAddress> address_in(std::string_view text);

/// Returns the first pod on a node other than `node`; without one, a pod other than `besides`.
Result<Endpoint> pod_elsewhere(const compile::Compiled& states, std::uint32_t node,
                               IpAddress besides);
/// Returns the first pod of the first node that has one with an address of `family`.
Result<Endpoint> first_pod(const compile::Compiled& states, Family family);

}  // namespace overlane::path
