#include "sim/run/estimate/wire_bytes.h"

#include <algorithm>
#include <cassert>
#include <span>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/reference/packet_bytes.h"
#include "dataplane/reference/tunnel_headers.h"
#include "dataplane/wire/tcp.h"
#include "dataplane/wire/udp.h"

namespace overlane::run {
namespace {

using forward::IpFields;
using forward::Packet;
using transport::Segment;

constexpr std::uint8_t kLargestScale = 14;  // RFC 7323 2.3.
constexpr std::int64_t kLargestWindow = 65'535;

std::uint32_t milliseconds_of(Picos time) {
  return static_cast<std::uint32_t>(time.count / milliseconds(1).count);
}

/// SYN takes the number before the first byte.
std::uint32_t number(std::uint32_t syn, std::int64_t byte) {
  return syn + 1 + static_cast<std::uint32_t>(byte);
}

wire::TcpHeader tcp_header(const Packet& packet, const Segment& segment, TcpNumbering numbering) {
  const std::int64_t window =
      segment.syn ? segment.window : segment.window >> numbering.window_scale;
  wire::TcpHeader header{
      .source_port = packet.source_port,
      .destination_port = packet.destination_port,
      .sequence = segment.syn ? numbering.sequence : number(numbering.sequence, segment.sequence),
      .acknowledgement = segment.ack ? number(numbering.acknowledgement, segment.acknowledges) : 0,
      .flags = packet.tcp_flags,
      .window = static_cast<std::uint16_t>(std::min(window, kLargestWindow)),
      .timestamps =
          wire::TcpTimestamps{milliseconds_of(segment.timestamp), milliseconds_of(segment.echo)}};
  if (segment.rst) header.timestamps.reset();
  if (segment.syn) {
    header.mss = segment.mss;
    header.sack_permitted = true;
    header.window_scale = numbering.window_scale;
  }
  for (std::size_t i = 0; i < segment.sack.size(); ++i) {
    header.sack_blocks[i] = {number(numbering.acknowledgement, segment.sack[i].begin),
                             number(numbering.acknowledgement, segment.sack[i].end)};
  }
  header.sack_block_count = static_cast<std::uint8_t>(segment.sack.size());
  return header;
}

void sum(const IpFields& fields, std::span<std::uint8_t> segment, std::size_t at) {
  store_be16(segment.data() + at, 0);
  const std::uint16_t checksum =
      transport_checksum(fields.source, fields.destination, fields.protocol, segment);
  const bool zero_means_none = fields.protocol == forward::kUdp && checksum == 0;
  store_be16(segment.data() + at, zero_means_none ? std::uint16_t{0xffff} : checksum);
}

/// The tunnel packet that a fragment of it is part of.
Packet whole_of(Packet packet) {
  if (!packet.is_encapsulated() || !packet.outer.is_fragment()) return packet;
  packet.outer.more_fragments = false;
  packet.outer.fragment_offset = 0;
  const std::size_t headers =
      reference::tunnel_header_bytes(packet.encapsulation, !packet.outer.is_ipv4());
  packet.outer.total_length = static_cast<std::uint32_t>(headers) + packet.inner.total_length;
  return packet;
}

}  // namespace

std::uint8_t window_scale(std::int64_t window_bytes) {
  std::uint8_t scale = 0;
  while (scale < kLargestScale && window_bytes >> scale > kLargestWindow)
    ++scale;
  return scale;
}

std::vector<std::uint8_t> wire_bytes(const Packet& packet, const Segment* segment,
                                     TcpNumbering numbering) {
  constexpr std::size_t kTcpChecksum = 16;
  constexpr std::size_t kUdpChecksum = 6;
  // The inner packet of a WireGuard fragment is not visible.
  const bool is_sealed_fragment =
      packet.encapsulation == Encapsulation::Wireguard && packet.outer.is_fragment();
  if (segment == nullptr || is_sealed_fragment) return reference::encode(packet);
  const Packet whole = whole_of(packet);
  std::vector<std::uint8_t> bytes = reference::encode(whole);
  assert(bytes.size() >= whole.inner.total_length);
  const std::size_t inner_at =
      reference::tunnel_header_bytes(whole.encapsulation, !whole.outer.is_ipv4());
  const std::span<std::uint8_t> tcp = std::span(bytes)
                                          .subspan(inner_at, whole.inner.total_length)
                                          .subspan(whole.inner.header_bytes());
  wire::write(tcp_header(packet, *segment, numbering), tcp);
  sum(whole.inner, tcp, kTcpChecksum);
  if (!whole.is_encapsulated()) return bytes;
  const std::size_t outer_header = whole.outer.header_bytes();
  if (whole.outer.protocol == forward::kUdp)
    sum(whole.outer, std::span(bytes).subspan(outer_header), kUdpChecksum);
  if (!packet.outer.is_fragment()) return bytes;
  std::vector<std::uint8_t> fragment = reference::encode(packet);
  const auto from =
      bytes.begin() + static_cast<std::ptrdiff_t>(outer_header) + packet.outer.fragment_offset;
  std::copy_n(from, packet.outer.payload_bytes(),
              fragment.begin() + static_cast<std::ptrdiff_t>(packet.outer.header_bytes()));
  return fragment;
}

}  // namespace overlane::run
