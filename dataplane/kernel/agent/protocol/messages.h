#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataplane/encap/encapsulation.h"
#include "dataplane/kernel/agent/protocol/channel.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/traffic/carry.h"
#include "dataplane/net/address.h"
#include "dataplane/net/prefix.h"
#include "results/finding/finding.h"

namespace overlane::agent {

// The messages between the agent on a host and the client that measures: JSON objects, one per
// line. The agent sends Hello first; then it sends one Answer to each Request. A decoder rejects
// unknown members and values out of range.

/// Version of the protocol. Must be increased when a message changes.
inline constexpr std::int64_t kProtocol = 2;

/// Maximum length of a line in each direction. Figures contain a histogram for each flow.
inline constexpr std::size_t kMaxRequestBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{16} << 20;
/// Maximum length of a line before the client is authenticated.
inline constexpr std::size_t kMaxFirstBytes = 1024;

inline constexpr std::uint32_t kMaxVariants = 64;
inline constexpr std::size_t kMaxPods = 256;   ///< Pods of a variant on one host.
inline constexpr std::size_t kMaxFlows = 512;  ///< Flows of a slice.

/// Network that connects the hosts' applications.
enum class HostNetwork : std::uint8_t {
  Pods,  ///< The agent makes pods, routes and tunnels for each variant. Requires root.
  AsIs,  ///< The agent's own address over the existing network. The agent makes nothing.
};

/// "pods", "as-is".
std::string_view to_string(HostNetwork network);

// Requests

struct Authenticate {
  Bytes32 nonce{};
  Bytes32 proof{};

  bool operator==(const Authenticate&) const = default;
};

struct AskFacts {
  bool operator==(const AskFacts&) const = default;
};

/// Pods on the host, and their path to the pods of the peer.
struct PodNetwork {
  Encapsulation encapsulation = Encapsulation::None;  ///< None, Ipip, Vxlan or Geneve.
  std::uint32_t vni = 0;                              ///< VXLAN, Geneve: below 2²⁴.
  std::uint16_t udp_port = 0;                         ///< VXLAN, Geneve.
  std::uint32_t mtu = 1500;                           ///< MTU of pods and tunnel.
  bool is_first = false;  ///< Distinguishes the two hosts, which have different MAC addresses.
  IpPrefix own_range;     ///< Pod range of this host. Its first address is that of the tunnel.
  IpPrefix peer_range;    ///< Pod range of the peer, in the same family.
  std::vector<IpAddress> pods;  ///< Addresses in own_range, without its first one.

  bool operator==(const PodNetwork&) const = default;
};

struct SetUpVariant {
  std::uint32_t number = 0;  ///< Less than kMaxVariants; part of device names.
  IpAddress peer;            ///< The other host.
  kernel::DeviceOffloads offloads;
  std::optional<PodNetwork> pods;  ///< Empty: the hosts' own addresses only.

  bool operator==(const SetUpVariant&) const = default;
};

/// A flow with at least one end on this host. Its addresses are pods of the variant, or those of
/// the two hosts.
struct AgentFlow {
  kernel::FlowLoad load;
  kernel::FlowEnds here = kernel::FlowEnds::Both;
  IpAddress client;
  IpAddress server;
  std::uint16_t port = 0;  ///< 1024…65535.
  std::uint64_t seed = 1;

  bool operator==(const AgentFlow&) const = default;
};

/// Prepares flows, which replace those of the previous request. Servers listen after the answer.
struct Prepare {
  std::uint32_t variant = 0;
  std::vector<AgentFlow> flows;

  bool operator==(const Prepare&) const = default;
};

/// Starts the flows. The answer follows at the end of the counted time; the flows continue until
/// Finish.
struct CarryFlows {
  std::chrono::milliseconds warm_up{};  ///< At most a minute.
  std::chrono::milliseconds counted{};  ///< At most a minute.

  bool operator==(const CarryFlows&) const = default;
};

struct Finish {
  bool operator==(const Finish&) const = default;
};

/// Removes all variants.
struct RemoveAll {
  bool operator==(const RemoveAll&) const = default;
};

using Request =
    std::variant<Authenticate, AskFacts, SetUpVariant, Prepare, CarryFlows, Finish, RemoveAll>;

// Answers

struct Hello {
  std::int64_t protocol = kProtocol;
  Bytes32 nonce{};

  bool operator==(const Hello&) const = default;
};

/// Confirms that the client is authenticated, and authenticates the agent by its proof.
struct Welcome {
  Bytes32 proof{};

  bool operator==(const Welcome&) const = default;
};

/// Rejects the client; the agent then closes the connection.
struct Refused {
  std::string reason;

  bool operator==(const Refused&) const = default;
};

struct HostFacts {
  HostNetwork network = HostNetwork::Pods;
  std::string kernel;  ///< Release of the kernel.
  std::string boot;    ///< Identifier of this boot of this machine.
  std::uint32_t processors = 1;
  std::string uplink;                   ///< Device through which the other host is reached.
  std::uint32_t mtu = 1500;             ///< MTU of the uplink.
  kernel::DeviceOffloads offloads;      ///< Offloads of the uplink.
  std::optional<IpAddress> ipv4, ipv6;  ///< Addresses of the uplink.
  std::vector<std::string> abilities;   ///< Kinds of devices that the kernel can make.

  std::optional<IpAddress> address(Family family) const {
    return family == Family::Ipv4 ? ipv4 : ipv6;
  }
  bool operator==(const HostFacts&) const = default;
};

struct Done {
  bool operator==(const Done&) const = default;
};

/// Reports that a valid request could not be executed.
struct Failed {
  std::string reason;

  bool operator==(const Failed&) const = default;
};

/// Figures of each flow of Prepare, as far as the end on this host knows them.
struct Figures {
  kernel::Carried carried;
};

using Answer = std::variant<Hello, Welcome, Refused, HostFacts, Done, Failed, Figures>;

/// Encodes a message as one line, without a line end.
std::string encode(const Request& request);
std::string encode(const Answer& answer);

Parsed<Request> decode_request(std::string_view line);
Parsed<Answer> decode_answer(std::string_view line);

}  // namespace overlane::agent
