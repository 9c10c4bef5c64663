#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/capture/capture_reader.h"
#include "dataplane/capture/decoded_packet.h"

namespace overlane::capture {

// `overlane decode`: reads all headers of a captured packet, tunnels and ICMP quotes included,
// into layers with fields named as in tshark. It never fails; what is wrong with a packet is
// listed as its problems.

/// A UDP destination port and the tunnel that is expected behind it.
struct TunnelPort {
  std::uint16_t port = 0;
  LayerKind tunnel = LayerKind::Vxlan;
};

/// The registered ports, and the one that Linux, flannel and Cilium use for VXLAN
/// (drivers/net/vxlan/vxlan_core.c: vxlan_port).
std::vector<TunnelPort> default_tunnel_ports();

/// How many IP headers may stand inside each other. What is deeper is shown as payload.
inline constexpr int kMaxIpHeaders = 16;

/// Reads all headers that it knows, tunnelled and quoted ones too. Never fails: what is cut or
/// contradicts itself is a problem of the packet, and the bytes behind it are a payload layer. The
/// headers of an ICMP error's quote carry the field "quoted" and are not judged.
DecodedPacket decode(const CapturedPacket& packet, LinkType link_type,
                     const std::vector<TunnelPort>& ports);

}  // namespace overlane::capture
