#include "sim/run/sealed_length.h"

#include "dataplane/encap/wireguard/wireguard.h"

namespace overlane::run {

void repad(Flight& flight, const Hop& hop) {
  const bool out = hop.egress == forward::Egress::Uplink;
  const std::uint32_t padding = out ? wireguard::padding(flight.length, hop.to) : 0;
  flight.length += padding - flight.padding;
  flight.padding = static_cast<std::uint8_t>(padding) & 15;
}

bool is_padding_kept(const forward::Packet& packet) {
  return packet.padding <= wireguard::kMostPadding;
}

std::uint32_t sealing_mtu(const node::NodeState& state, const forward::Packet& sealed) {
  const auto match = node::lookup(state, sealed.inner.destination);
  if (!match || match->route.mtu != 0) return match ? match->route.mtu : 0;
  const node::Device* device = state.find_device(match->route.device);
  return device == nullptr ? 0 : device->mtu;
}

}  // namespace overlane::run
