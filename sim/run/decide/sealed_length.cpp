#include "sim/run/decide/sealed_length.h"

#include "dataplane/encap/wireguard/wireguard.h"

namespace overlane::run {

void repad(PacketInFlight& flight, const CachedDecision& hop) {
  const bool out = hop.egress == forward::Egress::Uplink;
  const std::uint32_t padding = out ? wireguard::padding(flight.length, hop.to) : 0;
  flight.length += padding - flight.padding;
  flight.padding = static_cast<std::uint8_t>(padding);
}

bool is_padding_kept(const forward::Packet& packet) {
  return packet.padding <= wireguard::kMaxPadding;
}

}  // namespace overlane::run
