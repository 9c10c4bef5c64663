#include "dataplane/capture/decode.h"

#include <fmt/format.h>

#include "dataplane/capture/dissection.h"
#include "dataplane/wire/geneve.h"
#include "dataplane/wire/vxlan.h"
#include "dataplane/wire/wireguard.h"

namespace overlane::capture {

std::vector<TunnelPort> default_tunnel_ports() {
  return {{wire::kVxlanPort, LayerKind::Vxlan},
          {wire::kVxlanLinuxPort, LayerKind::Vxlan},
          {wire::kVxlanGpePort, LayerKind::VxlanGpe},
          {wire::kGenevePort, LayerKind::Geneve},
          {wire::kWireguardPort, LayerKind::Wireguard}};
}

DecodedPacket decode(const CapturedPacket& packet, LinkType link_type,
                     const std::vector<TunnelPort>& ports) {
  DecodedPacket decoded{
      .number = packet.number, .timestamp = packet.timestamp, .length_bytes = packet.length_bytes};
  if (packet.bytes.size() < packet.length_bytes) {
    decoded.problems.push_back(
        fmt::format("captured {} of {} bytes", packet.bytes.size(), packet.length_bytes));
  }
  Dissection dissection(packet.bytes, ports, decoded);
  decode_frame(dissection, link_type, {packet.bytes, packet.length_bytes});
  return decoded;
}

}  // namespace overlane::capture
