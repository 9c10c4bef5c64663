#pragma once

#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/drop.h"
#include "dataplane/reference/packet_bytes.h"
#include "results/finding/finding.h"

namespace overlane::reference {

/// The UDP datagram of a packet, from its UDP header on; or why a socket does not get it.
Result<Bytes, Drop> udp_datagram(const Bytes& packet);

/// What a tunnel packet holds.
struct Opened {
  Bytes inner;
  // VXLAN and Geneve.
  MacAddress source_mac;
  MacAddress destination_mac;
};

/// The naive decoders: headers read byte for byte, as the Linux device of that kind does.
/// `payload` begins behind the outer IP header, whose protocol is given. Inside is the beginning of
/// a packet of the announced family at least; its own lengths and checksum are not checked.
Result<Opened, Drop> open_tunnel(Encapsulation encapsulation, std::uint8_t protocol,
                                 const Bytes& payload, bool takes_critical_options);

}  // namespace overlane::reference
