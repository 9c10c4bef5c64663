#include "dataplane/conformance/testing/difference.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/forward/outcome.h"
#include "dataplane/kernel/experiment/counters.h"
#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/kernel/set_up/set_up.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/reference/packet_bytes.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"

namespace overlane::kernel {
namespace {

using forward::Egress;
using node::NodeState;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kUdpChecksumAt = 6;
constexpr std::size_t kMacBytes = 6;

std::string hex(const Bytes& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

/// The first violation of outer_rules() in the outer UDP header of a tunnel packet, or "".
std::string udp_problem(const forward::Packet& packet, const Bytes& bytes) {
  const encap::OuterRules rules = encap::outer_rules(packet.encapsulation, packet.outer.family());
  const std::span<const std::uint8_t> segment =
      std::span(bytes).subspan(packet.outer.header_bytes());
  const std::uint16_t port = load_be16(segment.data());
  if (port < rules.first_source_port || port >= rules.last_source_port) {
    return fmt::format("source port {} outside the range", port);
  }
  const bool has_checksum = load_be16(segment.data() + kUdpChecksumAt) != 0;
  if (has_checksum != (rules.udp_checksum == encap::UdpChecksum::Computed)) {
    return has_checksum ? "an outer UDP checksum" : "no outer UDP checksum";
  }
  const std::uint16_t rest =
      transport_checksum(packet.outer.source, packet.outer.destination, forward::kUdp, segment);
  return has_checksum && !packet.outer.is_fragment() && rest != 0 ? "a wrong outer UDP checksum"
                                                                  : "";
}

/// Sets to 0 the random fields of an IP header that the node made, and the checksum that covers
/// them.
void blank_header(Bytes& bytes, std::size_t at, const forward::IpFields& header) {
  if (bytes.size() < at + header.header_bytes()) return;
  std::uint8_t* ip = bytes.data() + at;
  if (header.is_ipv4()) {
    store_be16(ip + 4, 0);
    store_be16(ip + 10, 0);
    return;
  }
  store_be16(ip + 2, 0);
  ip[1] &= 0xf0;
  if (header.is_fragment()) store_be32(ip + header.header_bytes() - 4, 0);
}

void blank_udp(Bytes& bytes, const forward::Packet& packet) {
  const std::size_t at = packet.outer.header_bytes();
  store_be16(bytes.data() + at, 0);
  store_be16(bytes.data() + at + kUdpChecksumAt, 0);
}

/// Whether the inner Ethernet addresses have no meaning, because neither end looks them up.
bool needs_no_macs(const NodeState& state, const forward::Packet& packet) {
  return std::ranges::any_of(state.devices, [&](const node::Device& device) {
    return device.encapsulation() == packet.encapsulation && (device.external || device.remote);
  });
}

/// Whether the kernel draws the source port or ICMP identifier of a masqueraded packet at random,
/// instead of keeping a free one.
bool draws_port(const NodeState& state, const forward::Packet& packet) {
  const node::PacketFilter* filter = state.filter.get();
  if (filter == nullptr || packet.is_encapsulated() || packet.inner.fragment_offset != 0) {
    return false;
  }
  return (filter->random_fully || filter->nat_ports) && !filter->masqueraded_sources.empty() &&
         node::is_local(state, packet.inner.source);
}

/// A drawn source port outside the range of the packet filter, or "".
std::string drawn_port_problem(const NodeState& state, const forward::Packet& packet,
                               const Bytes& bytes) {
  const bool has_ports =
      packet.inner.protocol == forward::kUdp || packet.inner.protocol == forward::kTcp;
  const auto range = state.filter->nat_ports.value_or(node::PortRange{1, 65535});
  const std::uint16_t port = load_be16(bytes.data() + packet.inner.header_bytes());
  if (has_ports && !range.contains(port)) {
    return fmt::format("source port {} outside the range", port);
  }
  return "";
}

/// Sets the drawn source port or identifier to 0, and the checksum that covers it.
void blank_drawn_port(Bytes& bytes, const forward::Packet& packet) {
  const bool is_icmp = packet.inner.is_icmp();
  const std::size_t checksum = is_icmp ? 2 : packet.inner.protocol == forward::kTcp ? 16 : 6;
  const std::size_t at = packet.inner.header_bytes();
  if (bytes.size() < at + checksum + 2) return;
  store_be16(bytes.data() + at + (is_icmp ? 4 : 0), 0);
  store_be16(bytes.data() + at + checksum, 0);
}

/// The packet's bytes with all random fields set to 0.
Bytes comparable(const NodeState& state, Bytes bytes, const forward::Packet& packet,
                 bool node_made_it) {
  const bool tunnelled = packet.is_encapsulated();
  const forward::IpFields& header = packet.outermost();
  const bool cut_here = !header.is_ipv4() && header.is_fragment();
  const bool from_node = node::is_local(state, header.source);
  if (from_node || node_made_it || cut_here) blank_header(bytes, 0, header);
  if (!node_made_it && draws_port(state, packet)) blank_drawn_port(bytes, packet);
  if (!tunnelled || packet.outer.fragment_offset != 0) return bytes;
  const std::size_t inner = inner_offset(packet);
  const bool inner_cut_here = !packet.inner.is_ipv4() && packet.inner.is_fragment();
  if (node_made_it || inner_cut_here) blank_header(bytes, inner, packet.inner);
  if (packet.outer.protocol != forward::kUdp) return bytes;
  blank_udp(bytes, packet);
  if (needs_no_macs(state, packet)) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(inner - wire::kEthernetBytes),
                2 * kMacBytes, std::uint8_t{0});
  }
  return bytes;
}

/// The first byte in which two packets differ, with the bytes that follow, or "".
std::string first_difference(const Bytes& kernel, const Bytes& core) {
  if (kernel.size() != core.size()) {
    return fmt::format("{} bytes from the kernel, {} from the core", kernel.size(), core.size());
  }
  const auto [in_kernel, in_core] = std::ranges::mismatch(kernel, core);
  if (in_kernel == kernel.end()) return "";
  constexpr std::ptrdiff_t kShown = 16;
  const auto shown = std::min(kShown, kernel.end() - in_kernel);
  return fmt::format("from byte {} of {}: {} from the kernel, {} from the core",
                     in_kernel - kernel.begin(), kernel.size(), hex({in_kernel, in_kernel + shown}),
                     hex({in_core, in_core + shown}));
}

std::string bytes_difference(const NodeState& state, const Emitted& kernel,
                             const reference::ByteNode::Sent& expected) {
  if (kernel.packet.size() != expected.bytes.size()) {
    return first_difference(kernel.packet, expected.bytes);
  }
  const forward::Packet packet = reference::decode(expected.bytes, node::tunnel_ports(state));
  const bool udp_tunnel = packet.is_encapsulated() && packet.outer.protocol == forward::kUdp &&
                          packet.outer.fragment_offset == 0;
  if (udp_tunnel) {
    if (auto problem = udp_problem(packet, kernel.packet); !problem.empty()) return problem;
  }
  if (!expected.is_reply && draws_port(state, packet)) {
    if (auto problem = drawn_port_problem(state, packet, kernel.packet); !problem.empty())
      return problem;
  }
  return first_difference(comparable(state, kernel.packet, packet, expected.is_reply),
                          comparable(state, expected.bytes, packet, expected.is_reply));
}

std::string emission_difference(const NodeState& state, const Emitted& kernel,
                                const reference::ByteNode::Sent& expected) {
  if (kernel.egress != expected.egress) {
    return fmt::format("to the {}, the core says to the {}", to_string(kernel.egress),
                       to_string(expected.egress));
  }
  if (kernel.egress != Egress::Host && kernel.next_hop != expected.next_hop) {
    return fmt::format("next hop {}, the core says {}",
                       kernel.next_hop ? kernel.next_hop->to_string() : "unknown",
                       expected.next_hop.to_string());
  }
  return bytes_difference(state, kernel, expected);
}

}  // namespace

std::string difference(const NodeState& state, const Observed& kernel,
                       const reference::ByteOutcome& expected, bool is_counted) {
  if (!kernel.refused.empty()) return "the kernel refused to send: " + kernel.refused;
  const std::string counted =
      kernel.counters.empty() ? "" : fmt::format(" ({})", to_string(kernel.counters));
  if (kernel.emitted.size() != expected.sent.size()) {
    return fmt::format("{} packets out{}, the core says {}", kernel.emitted.size(), counted,
                       expected.sent.size());
  }
  // The kernel's packets are in the order of the ports, the others in the order of the decisions.
  std::vector<Emitted> from_kernel = kernel.emitted;
  std::vector<reference::ByteNode::Sent> from_core = expected.sent;
  std::ranges::stable_sort(from_kernel, {}, &Emitted::egress);
  std::ranges::stable_sort(from_core, {}, &reference::ByteNode::Sent::egress);
  for (std::size_t i = 0; i < from_core.size(); ++i) {
    const auto text = emission_difference(state, from_kernel[i], from_core[i]);
    if (!text.empty()) return fmt::format("packet {}: {}{}", i + 1, text, counted);
  }
  if (expected.drop && is_counted && !confirms_drop(kernel.counters, *expected.drop)) {
    return fmt::format("dropped, but not counted as {}{}", overlane::to_string(*expected.drop),
                       counted);
  }
  return "";
}

}  // namespace overlane::kernel
