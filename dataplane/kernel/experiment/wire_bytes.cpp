#include "dataplane/kernel/experiment/wire_bytes.h"

#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/reference/packet_bytes.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ipv6_extension.h"
#include "dataplane/wire/wireguard.h"

namespace overlane::kernel {
namespace {

using Bytes = std::vector<std::uint8_t>;

using wire::kEthernetBytes;

/// What a VXLAN or Geneve device of that node calls itself towards pods of that family.
void write_mac(const node::NodeState& state, IpAddress owner, Family pods, Bytes::iterator to) {
  const node::Member* member = state.cluster->with_node_address(owner);
  const auto* addresses = member == nullptr ? nullptr : member->in(pods);
  if (addresses != nullptr) std::ranges::copy(addresses->vtep_mac.bytes, to);
}

/// A fragment of a tunnel packet: its own header, and its part of the whole, whose checksum covers
/// all.
Bytes fragment_bytes(const node::NodeState& state, const forward::Packet& fragment) {
  forward::Packet whole = fragment;
  whole.outer.fragment_offset = 0;
  whole.outer.more_fragments = false;
  whole.outer.total_length = fragment.wrapped_bytes();
  const Bytes all = wire_bytes(state, whole);
  Bytes bytes = reference::encode(fragment);
  const std::size_t header = fragment.outer.header_bytes();
  const std::size_t from = whole.outer.header_bytes() + fragment.outer.fragment_offset;
  const std::size_t count =
      std::min(bytes.size() - header, all.size() - std::min(from, all.size()));
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(from), count,
              bytes.begin() + static_cast<std::ptrdiff_t>(header));
  return bytes;
}

/// The checksum covers the inner frame.
void sum_outer_udp(const forward::IpFields& outer, Bytes& bytes) {
  const std::span<std::uint8_t> segment = std::span(bytes).subspan(outer.header_bytes());
  store_be16(segment.data() + 6, 0);
  const std::uint16_t sum =
      transport_checksum(outer.source, outer.destination, forward::kUdp, segment);
  store_be16(segment.data() + 6, sum == 0 ? 0xffff : sum);
}

}  // namespace

std::vector<std::uint8_t> wire_bytes(const node::NodeState& state, const forward::Packet& packet) {
  if (packet.is_encapsulated() && packet.outer.is_fragment()) return fragment_bytes(state, packet);
  Bytes bytes = reference::encode(packet);
  const std::size_t inner = inner_offset(packet);
  const bool has_frame =
      packet.encapsulation == Encapsulation::Vxlan || packet.encapsulation == Encapsulation::Geneve;
  if (!has_frame || bytes.size() < inner) return bytes;
  const auto frame = bytes.begin() + static_cast<std::ptrdiff_t>(inner - kEthernetBytes);
  // A device in metadata mode or with a remote serves both families under its one address.
  const node::Device* device = node::receiving_device(
      state,
      {packet.encapsulation, packet.outer.source, packet.vni, packet.outer_destination_port});
  if (device != nullptr) std::ranges::copy(device->mac.bytes, frame);
  if (device == nullptr) write_mac(state, packet.outer.destination, packet.inner.family(), frame);
  write_mac(state, packet.outer.source, packet.inner.family(), frame + 6);
  sum_outer_udp(packet.outer, bytes);
  return bytes;
}

std::size_t inner_offset(const forward::Packet& packet) {
  if (!packet.is_encapsulated()) return 0;
  const std::size_t fragment_header =
      !packet.outer.is_ipv4() && packet.outer.is_fragment() ? wire::kFragmentHeaderBytes : 0;
  const bool has_tag = packet.encapsulation == Encapsulation::Wireguard;
  const std::size_t behind = has_tag ? wire::kWireguardTagBytes : 0;
  return overhead(packet.encapsulation, packet.outer.family()) - behind + fragment_header;
}

Injection inject(const node::NodeState& state, const forward::Packet& packet,
                 forward::Ingress ingress, std::size_t expected) {
  Injection injection{.ingress = ingress,
                      .packet = wire_bytes(state, packet),
                      .expected = static_cast<std::uint32_t>(expected)};
  if (packet.inner.protocol == forward::kUdp) injection.udp_listener = packet.destination_port;
  if (ingress == forward::Ingress::Pod && !state.pods.empty()) {
    const node::LocalPod* pod = state.find_pod(packet.outermost().source);
    const IpAddress sender = pod == nullptr ? state.pods[0].address : pod->address;
    injection.device = state.pod_device(sender).view();
  }
  return injection;
}

}  // namespace overlane::kernel
