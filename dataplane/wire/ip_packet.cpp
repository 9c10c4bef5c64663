#include "dataplane/wire/ip_packet.h"

#include <cassert>
#include <span>

#include "dataplane/net/checksum.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/udp.h"

namespace overlane::wire {

std::vector<std::uint8_t> ip_packet(const FlowKey& flow, std::size_t bytes, std::uint8_t ttl) {
  const std::size_t header = flow.destination.is_ipv4() ? kIpv4Bytes : kIpv6Bytes;
  assert(bytes >= header);
  std::vector<std::uint8_t> packet(bytes);
  if (flow.destination.is_ipv4()) {
    write(Ipv4Header{.total_length = static_cast<std::uint16_t>(bytes),
                     .ttl = ttl,
                     .protocol = flow.protocol,
                     .source = flow.source.ipv4(),
                     .destination = flow.destination.ipv4()},
          packet);
  } else {
    write(Ipv6Header{.payload_length = static_cast<std::uint16_t>(bytes - header),
                     .next_header = flow.protocol,
                     .hop_limit = ttl,
                     .source = flow.source,
                     .destination = flow.destination},
          packet);
  }
  const auto segment = std::span(packet).subspan(header);
  if (flow.protocol != kUdp || segment.size() < kUdpBytes) return packet;
  UdpHeader udp{.source_port = flow.source_port,
                .destination_port = flow.destination_port,
                .length = static_cast<std::uint16_t>(segment.size())};
  write(udp, segment);
  udp.checksum = transport_checksum(flow.source, flow.destination, kUdp, segment);
  if (udp.checksum == 0) udp.checksum = 0xffff;  // 0 says that there is none (RFC 768).
  write(udp, segment);
  return packet;
}

}  // namespace overlane::wire
