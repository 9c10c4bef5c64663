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

// The messages between the agent on a host and the client that measures: JSON objects, a line each.
// The agent begins with Hello; then each Request is followed by one Answer. A decoder refuses
// members that it does not know and values out of their range.

/// Changes when a message does.
inline constexpr std::int64_t kProtocol = 1;

/// The longest line of each direction. Figures hold the histogram of each flow.
inline constexpr std::size_t kMaxRequestBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{16} << 20;
/// Before the client is authenticated.
inline constexpr std::size_t kMaxFirstBytes = 1024;

inline constexpr std::uint32_t kMaxVariants = 64;
inline constexpr std::size_t kMaxPods = 256;   ///< Pods of a variant on one host.
inline constexpr std::size_t kMaxFlows = 512;  ///< Flows of a slice.

/// What joins the hosts' applications.
enum class HostNetwork : std::uint8_t {
  Pods,  ///< The agent makes pods, routes and tunnels, one set for each variant. Needs root.
  AsIs,  ///< The agent's own address, over whatever is there. Nothing is made.
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

/// Pods on the host, and how they reach those of the peer.
struct PodNetwork {
  Encapsulation encapsulation = Encapsulation::None;  ///< None, Ipip, Vxlan or Geneve.
  std::uint32_t vni = 0;                              ///< VXLAN, Geneve: below 2²⁴.
  std::uint16_t udp_port = 0;                         ///< VXLAN, Geneve.
  std::uint32_t mtu = 1500;                           ///< MTU of pods and tunnel.
  bool is_first = false;        ///< Which of the two hosts: they have different MAC addresses.
  IpPrefix own_range;           ///< Its first address is the tunnel's.
  IpPrefix peer_range;          ///< In the family of `own_range`.
  std::vector<IpAddress> pods;  ///< In own_range, and not its first address.

  bool operator==(const PodNetwork&) const = default;
};

struct SetUpVariant {
  std::uint32_t number = 0;  ///< Below kMaxVariants; in the names of devices.
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

/// Servers listen from then on. Replaces the flows of the last one.
struct Prepare {
  std::uint32_t variant = 0;
  std::vector<AgentFlow> flows;

  bool operator==(const Prepare&) const = default;
};

/// The flows begin; answered when the time that counts is over. They go on until Finish.
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

/// The client is authenticated; so is the agent, by its proof.
struct Welcome {
  Bytes32 proof{};

  bool operator==(const Welcome&) const = default;
};

/// The agent closes the connection.
struct Refused {
  std::string reason;

  bool operator==(const Refused&) const = default;
};

struct HostFacts {
  HostNetwork network = HostNetwork::Pods;
  std::string kernel;  ///< Its release.
  std::string boot;    ///< Identifier of this boot of this machine.
  std::uint32_t processors = 1;
  std::string uplink;                   ///< Device that leads to the other host.
  std::uint32_t mtu = 1500;             ///< MTU of the uplink.
  kernel::DeviceOffloads offloads;      ///< Offloads of the uplink.
  std::optional<IpAddress> ipv4, ipv6;  ///< Addresses of the uplink.
  std::vector<std::string> abilities;   ///< Kinds of device that the kernel can make.

  std::optional<IpAddress> address(Family family) const {
    return family == Family::Ipv4 ? ipv4 : ipv6;
  }
  bool operator==(const HostFacts&) const = default;
};

struct Done {
  bool operator==(const Done&) const = default;
};

/// The request was understood but could not be done.
struct Failed {
  std::string reason;

  bool operator==(const Failed&) const = default;
};

/// By flow of Prepare; what the end on this host knows.
struct Figures {
  kernel::Carried carried;
};

using Answer = std::variant<Hello, Welcome, Refused, HostFacts, Done, Failed, Figures>;

/// One line without its end.
std::string encode(const Request& request);
std::string encode(const Answer& answer);

Parsed<Request> decode_request(std::string_view line);
Parsed<Answer> decode_answer(std::string_view line);

}  // namespace overlane::agent
