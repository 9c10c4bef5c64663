#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "topologies/compile/services.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/path/trace.h"

namespace overlane::path {

/// Who a packet is from or to.
struct Endpoint {
  enum class Kind : std::uint8_t { Pod, Node, Service, Address };
  Kind kind = Kind::Pod;
  std::string name;  ///< "node-1/pod-0", "node-2"; else the address.
  std::uint32_t node = 0;
  IpAddress address;
  std::optional<std::uint16_t> port;
};

/// "pod", "node", "service" or "address".
std::string_view to_string(Endpoint::Kind kind);

/// What a trace is asked, in the words of the command line.
struct Question {
  std::string from;  ///< A pod or a node; empty: the first pod.
  std::string to;    ///< Any endpoint; empty: the first pod of another node.
  /// The pod behind a service, or "none"; empty: the first one of another node than the sender's.
  std::string backend;
  /// Which addresses names stand for, unless the other end is an address; else the shoot's primary
  /// family's.
  std::optional<Family> family;
  std::uint8_t protocol = forward::kTcp;          ///< TCP, UDP or ICMP; of IPv6, its own ICMP.
  std::optional<std::uint32_t> size;              ///< IP bytes; else all that the sender may send.
  std::optional<std::uint16_t> source_port;       ///< Else 40000.
  std::optional<std::uint16_t> destination_port;  ///< Else the endpoint's, or 80.
  std::uint8_t ttl = 64;
  bool dont_fragment = true;
  bool answer = false;
};

/// The question with all that it left open filled in.
struct Asked {
  TraceRequest request;
  Endpoint from;
  Endpoint to;
  std::optional<Endpoint> backend;       ///< Behind a service …
  std::optional<node::Service> service;  ///< … which compile::add_services() gives the states.
  Findings findings;                     ///< What was assumed: notes.
};

/// An endpoint is a pod ("node-1/pod-0"), a node ("node-2"), an address of anyone, an address of
/// the shoot's services, or "internet", which stands for any address outside; "pod:", "node:" and
/// "service:" may stand in front, a port (":53", "[fd00::1]:53") behind. Fails with
/// `no-such-endpoint`, `unsupported-target` for what no packet leaves its sender for, or
/// `bad-packet` for a size that no such packet has.
Result<Asked> ask(const compile::Compiled& states, const effective::EffectiveDataplane& shoot,
                  const Question& question);

}  // namespace overlane::path
