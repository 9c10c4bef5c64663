#include "dataplane/kernel/wire_bytes.h"

#include <algorithm>

#include "dataplane/reference/packet_bytes.h"

namespace overlane::kernel {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kEthernetBytes = 14;

void write_mac(const node::NodeState& state, IpAddress owner, Bytes::iterator to) {
  const auto& members = state.cluster->members;
  const auto member = std::ranges::find(members, owner, &node::Member::address);
  if (member != members.end()) std::ranges::copy(member->vtep_mac.bytes, to);
}

}  // namespace

std::vector<std::uint8_t> wire_bytes(const node::NodeState& state, const forward::Packet& packet) {
  Bytes bytes = reference::encode(packet);
  const std::size_t inner = inner_offset(packet);
  if (packet.encapsulation != Encapsulation::Vxlan || packet.outer.fragment_offset != 0 ||
      bytes.size() < inner) {
    return bytes;
  }
  const auto frame = bytes.begin() + static_cast<std::ptrdiff_t>(inner - kEthernetBytes);
  write_mac(state, packet.outer.destination, frame);
  write_mac(state, packet.outer.source, frame + 6);
  return bytes;
}

std::size_t inner_offset(const forward::Packet& packet) {
  if (!packet.is_encapsulated()) return 0;
  return overhead(packet.encapsulation, packet.outer.source.family());
}

Injection inject(const node::NodeState& state, const forward::Packet& packet,
                 forward::Ingress ingress, std::size_t expected) {
  Injection injection{.ingress = ingress,
                      .packet = wire_bytes(state, packet),
                      .expected = static_cast<std::uint32_t>(expected)};
  if (packet.inner.protocol == forward::kUdp) injection.udp_listener = packet.destination_port;
  if (ingress == forward::Ingress::Pod && !state.pods.empty()) {
    const node::LocalPod* pod = state.find_pod(packet.outermost().source);
    injection.device = node::pod_device(pod == nullptr ? state.pods[0].address : pod->address);
  }
  return injection;
}

}  // namespace overlane::kernel
