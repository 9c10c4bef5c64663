#include "dataplane/kernel/difference.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/kernel/drop_evidence.h"
#include "dataplane/kernel/set_up_steps.h"
#include "dataplane/kernel/wire_bytes.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/reference/packet_bytes.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/ipv4.h"

namespace overlane::kernel {
namespace {

using forward::Egress;
using forward::Emission;
using node::NodeState;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kIpv4Bytes = wire::kIpv4Bytes;

std::string_view name_of(Egress egress) {
  switch (egress) {
    case Egress::Pod:
      return "pod";
    case Egress::Host:
      return "host";
    case Egress::Uplink:
      return "uplink";
  }
  return "";
}

std::string hex(const Bytes& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

/// The bytes that the core's packet stands for. A descriptor of a first fragment does not know the
/// length that its UDP header announces; that comes from the packet that was cut.
Bytes expected_bytes(const NodeState& state, const forward::Packet& sent,
                     const forward::Packet& packet) {
  Bytes bytes = wire_bytes(state, packet);
  const std::size_t length_at = inner_offset(packet) + kIpv4Bytes + 4;
  const bool is_first = packet.inner.more_fragments && packet.inner.fragment_offset == 0;
  if (!is_first || packet.inner.protocol != forward::kUdp || bytes.size() < length_at + 2) {
    return bytes;
  }
  const Bytes whole = wire_bytes(state, sent);
  const std::size_t from = inner_offset(sent) + kIpv4Bytes + 4;
  store_be16(bytes.data() + length_at, load_be16(whole.data() + from));
  return bytes;
}

/// What of a tunnel packet's outer UDP header is not as outer_rules() say.
std::string udp_problem(const forward::Packet& packet, const Bytes& bytes) {
  const encap::OuterRules rules = encap::outer_rules(packet.encapsulation);
  if (!rules.has_flow_port() || packet.outer.fragment_offset != 0) return "";
  const std::span<const std::uint8_t> segment = std::span(bytes).subspan(kIpv4Bytes);
  const std::uint16_t port = load_be16(segment.data());
  if (port < rules.first_source_port || port >= rules.last_source_port) {
    return fmt::format("source port {} outside the range", port);
  }
  const bool has_checksum = load_be16(segment.data() + 6) != 0;
  if (has_checksum != (rules.udp_checksum == encap::UdpChecksum::Computed)) {
    return has_checksum ? "an outer UDP checksum" : "no outer UDP checksum";
  }
  const std::uint16_t rest =
      transport_checksum(packet.outer.source, packet.outer.destination, forward::kUdp, segment);
  return has_checksum && !packet.outer.is_fragment() && rest != 0 ? "a wrong outer UDP checksum"
                                                                  : "";
}

/// Makes equal what the kernel draws at random, and what covers it.
void blank_random(const forward::Packet& packet, Bytes& bytes) {
  constexpr std::size_t kIdentificationAt = 4;
  constexpr std::size_t kHeaderChecksumAt = 10;
  constexpr std::size_t kUdpChecksumAt = kIpv4Bytes + 6;
  const auto blank = [&](std::size_t at) { store_be16(bytes.data() + at, 0); };
  if (bytes.size() < kIpv4Bytes + 8) return;
  blank(kIdentificationAt);
  blank(kHeaderChecksumAt);
  if (!encap::outer_rules(packet.encapsulation).has_flow_port()) return;
  if (packet.outer.fragment_offset != 0) return;
  blank(kIpv4Bytes);
  blank(kUdpChecksumAt);
}

/// Whether `quote` is the beginning of `packet`, which has been forwarded in between: its TTL and
/// header checksum may have changed, and its TOS byte where it came out of a tunnel.
bool quotes(std::span<const std::uint8_t> quote, std::span<const std::uint8_t> packet) {
  if (quote.size() < kIpv4Bytes + 8 || quote.size() > packet.size()) return false;
  for (std::size_t i = 0; i < quote.size(); ++i) {
    const bool may_change = i == 1 || i == 8 || i == 10 || i == 11;
    if (!may_change && quote[i] != packet[i]) return false;
  }
  return true;
}

/// An ICMP error: its fields, and that it quotes what was sent, or what was in it.
std::string error_difference(const NodeState& state, const forward::Packet& sent,
                             const Emitted& kernel, const forward::Packet& core) {
  const std::set<std::uint16_t> ports = tunnel_ports(state);
  forward::Packet packet = reference::decode(kernel.packet, {ports.begin(), ports.end()});
  packet.inner.identification = core.inner.identification;
  packet.outer.identification = core.outer.identification;
  if (packet.outer_source_port != 0) packet.outer_source_port = core.outer_source_port;
  if (packet != core) return "an ICMP error with other fields: " + hex(kernel.packet);
  const Bytes whole = wire_bytes(state, sent);
  const std::size_t quote_at = inner_offset(core) + kIpv4Bytes + wire::kIcmpBytes;
  const auto quote = std::span(kernel.packet).subspan(std::min(quote_at, kernel.packet.size()));
  if (!quotes(quote, whole) && !quotes(quote, std::span(whole).subspan(inner_offset(sent)))) {
    return "an ICMP error about another packet: " + hex(kernel.packet);
  }
  return "";
}

/// The first place in which two packets differ, with what follows there.
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

std::string bytes_difference(const NodeState& state, const forward::Packet& sent,
                             const Emitted& kernel, const Emission& core) {
  if (core.is_reply) return error_difference(state, sent, kernel, core.packet);
  Bytes expected = expected_bytes(state, sent, core.packet);
  Bytes observed = kernel.packet;
  if (core.packet.is_encapsulated()) {
    if (observed.size() != expected.size()) return first_difference(observed, expected);
    if (auto problem = udp_problem(core.packet, observed); !problem.empty()) return problem;
    blank_random(core.packet, expected);
    blank_random(core.packet, observed);
  }
  return first_difference(observed, expected);
}

std::string emission_difference(const NodeState& state, const forward::Packet& sent,
                                const Emitted& kernel, const Emission& core) {
  if (kernel.egress != core.egress) {
    return fmt::format("to the {}, the core says to the {}", name_of(kernel.egress),
                       name_of(core.egress));
  }
  const IpAddress next_hop = core.next_hop;
  if (kernel.egress != Egress::Host && kernel.next_hop != next_hop) {
    return fmt::format("next hop {}, the core says {}",
                       kernel.next_hop ? kernel.next_hop->to_string() : "unknown",
                       next_hop.to_string());
  }
  return bytes_difference(state, sent, kernel, core);
}

}  // namespace

std::string difference(const NodeState& state, const forward::Packet& sent, const Observed& kernel,
                       const forward::Outcome& core) {
  if (!kernel.refused.empty()) return "the kernel refused to send: " + kernel.refused;
  const std::string counted =
      kernel.counters.empty() ? "" : fmt::format(" ({})", to_string(kernel.counters));
  if (kernel.emitted.size() != core.emissions.size()) {
    return fmt::format("{} packets out{}, the core says {}", kernel.emitted.size(), counted,
                       core.emissions.size());
  }
  // The kernel's are in the order of the ports, the core's in the order of its decisions.
  std::vector<Emitted> from_kernel = kernel.emitted;
  std::vector<Emission> from_core = core.emissions;
  std::ranges::stable_sort(from_kernel, {}, &Emitted::egress);
  std::ranges::stable_sort(from_core, {}, &Emission::egress);
  for (std::size_t i = 0; i < from_core.size(); ++i) {
    const auto text = emission_difference(state, sent, from_kernel[i], from_core[i]);
    if (!text.empty()) return fmt::format("packet {}: {}{}", i + 1, text, counted);
  }
  if (core.drop && !bears_out(kernel.counters, *core.drop)) {
    return fmt::format("dropped, but not counted as {}{}", overlane::to_string(*core.drop),
                       counted);
  }
  return "";
}

}  // namespace overlane::kernel
