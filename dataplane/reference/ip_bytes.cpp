#include "dataplane/reference/ip_bytes.h"

#include <algorithm>

#include "dataplane/wire/icmp.h"

namespace overlane::reference {

wire::Ipv4Header header_of(const Bytes& packet) {
  return wire::parse_quoted_ipv4(packet).value();
}

Bytes with_header(Bytes packet, const wire::Ipv4Header& header) {
  wire::write(header, packet);
  return packet;
}

std::vector<Bytes> fragments_of(const Bytes& packet, std::size_t mtu) {
  std::vector<Bytes> pieces;
  const wire::Ipv4Header whole = header_of(packet);
  std::size_t at = 20;
  while (at < packet.size()) {
    std::size_t end = packet.size();
    while (end - at + 20 > mtu || (end != packet.size() && (end - at) % 8 != 0))
      --end;
    Bytes piece(20);
    piece.insert(piece.end(), packet.begin() + static_cast<std::ptrdiff_t>(at),
                 packet.begin() + static_cast<std::ptrdiff_t>(end));
    wire::Ipv4Header header = whole;
    header.total_length = static_cast<std::uint16_t>(piece.size());
    header.fragment_offset = static_cast<std::uint16_t>(whole.fragment_offset + at - 20);
    if (end != packet.size()) header.more_fragments = true;
    wire::write(header, piece);
    pieces.push_back(std::move(piece));
    at = end;
  }
  return pieces;
}

std::optional<Bytes> icmp_about(const Bytes& cause, std::uint8_t type, std::uint8_t code,
                                std::uint16_t mtu, IpAddress source) {
  const wire::Ipv4Header header = header_of(cause);
  if (header.fragment_offset != 0) return std::nullopt;
  if (header.protocol == 1 && cause.size() > 20 && wire::IcmpHeader{.type = cause[20]}.is_error()) {
    return std::nullopt;
  }
  Bytes message(8);
  message.insert(message.end(), cause.begin(), cause.end());
  message.resize(std::min<std::size_t>(message.size(), 576 - 20));
  wire::write(wire::IcmpHeader{.type = type, .code = code, .next_hop_mtu = mtu}, message);
  Bytes packet(20);
  packet.insert(packet.end(), message.begin(), message.end());
  wire::write(wire::Ipv4Header{.tos = static_cast<std::uint8_t>(0xc0 | (header.tos & 0x1e)),
                               .total_length = static_cast<std::uint16_t>(packet.size()),
                               .protocol = 1,
                               .source = source.ipv4(),
                               .destination = header.source},
              packet);
  return packet;
}

}  // namespace overlane::reference
