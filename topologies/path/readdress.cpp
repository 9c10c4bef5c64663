#include "topologies/path/readdress.h"

#include "dataplane/forward/read_packet.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/node/state/node_state.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::path {

void readdress(const node::NodeState& state, std::span<std::uint8_t> bytes) {
  const auto read = forward::read_packet(state, bytes);
  if (!read || read->outermost().protocol != forward::kUdp) return;
  const forward::IpFields& outer = read->outermost();
  if (outer.fragment_offset != 0 || !node::is_local(state, outer.destination)) return;
  const std::uint16_t port =
      read->is_encapsulated() ? read->outer_destination_port : read->destination_port;
  const Encapsulation encapsulation = node::tunnel_at(state, port);
  const node::Device* device =
      node::receiving_device(state, {encapsulation, outer.source, read->vni, port});
  if (device == nullptr || !device->external) return;
  constexpr std::size_t kUdpChecksum = 6;
  const std::size_t udp = outer.header_bytes();
  const std::size_t frame = udp + overhead(encapsulation, Family::Ipv4) -
                            forward::kIpv4HeaderBytes - wire::kEthernetBytes;
  if (bytes.size() < frame + wire::kEthernetBytes) return;
  std::uint16_t checksum = load_be16(&bytes[udp + kUdpChecksum]);
  for (std::size_t i = 0; i < device->mac.bytes.size(); i += 2) {
    const auto was = static_cast<std::uint16_t>(load_be16(&bytes[frame + i]));
    const auto is = static_cast<std::uint16_t>(load_be16(&device->mac.bytes[i]));
    store_be16(&bytes[frame + i], is);
    if (checksum != 0) checksum = updated_checksum(checksum, was, is);
  }
  store_be16(&bytes[udp + kUdpChecksum], checksum);
}

}  // namespace overlane::path
