#include "dataplane/byte_rewrite/translate.h"

#include <optional>

#include "dataplane/byte_rewrite/layout.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/icmp.h"

namespace overlane::byte_rewrite {
namespace {

using Bytes = std::span<std::uint8_t>;

/// Checksums that cover what is changed.
struct Sums {
  std::uint8_t* header = nullptr;     ///< Of the IPv4 header.
  std::uint8_t* transport = nullptr;  ///< With its pseudo header …
  bool pseudo = false;                ///< … if it has one.
  std::uint8_t* message = nullptr;    ///< Of the ICMP error around a quote.
};

void correct(std::uint8_t* checksum, std::uint16_t from, std::uint16_t to) {
  if (checksum == nullptr) return;
  store_be16(checksum, updated_checksum(load_be16(checksum), from, to));
}

/// A sum inside a quote is part of the message around it.
void correct_inside(std::uint8_t* checksum, std::uint16_t from, std::uint16_t to,
                    std::uint8_t* message) {
  if (checksum == nullptr) return;
  const std::uint16_t before = load_be16(checksum);
  correct(checksum, from, to);
  correct(message, before, load_be16(checksum));
}

void put_word(std::uint8_t* at, std::uint16_t to, const Sums& sums, bool is_address) {
  const std::uint16_t from = load_be16(at);
  store_be16(at, to);
  correct(sums.message, from, to);
  if (is_address) correct_inside(sums.header, from, to, sums.message);
  if (!is_address || sums.pseudo) correct_inside(sums.transport, from, to, sums.message);
}

void put_address(std::uint8_t* at, IpAddress address, const Sums& sums) {
  if (address.is_ipv4()) {
    const std::uint32_t bits = address.ipv4().bits;
    put_word(at, static_cast<std::uint16_t>(bits >> 16), sums, true);
    return put_word(at + 2, static_cast<std::uint16_t>(bits), sums, true);
  }
  const Ipv6Address ipv6 = address.ipv6();
  for (std::size_t i = 0; i < ipv6.bytes.size(); i += 2)
    put_word(at + i, load_be16(ipv6.bytes.data() + i), sums, true);
}

struct Transport {
  std::size_t header = 0;    ///< Bytes that must be there for a checksum.
  std::size_t checksum = 0;  ///< Where it stands.
  bool pseudo = true;
};
/// Nothing for protocols that NAT does not look into.
std::optional<Transport> transport_of(std::uint8_t protocol) {
  switch (protocol) {
    case forward::kTcp:
      return Transport{20, 16};
    case forward::kUdp:
      return Transport{8, 6};
    case forward::kIcmp:
      return Transport{8, 2, false};
    case forward::kIcmpv6:
      return Transport{8, 2};
    default:
      return std::nullopt;
  }
}

/// What a packet shows of its connection.
struct Shown {
  IpAddress source;
  IpAddress destination;
  std::uint8_t protocol = 0;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
};

/// `packet` is the whole, or the front of it that an ICMP error quotes.
void put(Bytes packet, const Shown& shown, std::uint8_t* message) {
  const Layout layout = layout_of(packet);
  Sums sums{.message = message};
  if (layout.ipv4) sums.header = packet.data() + 10;
  const auto transport = transport_of(shown.protocol);
  const Bytes upper = packet.subspan(layout.upper_at);
  const bool is_udp = shown.protocol == forward::kUdp;
  const bool has_sum = transport && layout.fragment_offset == 0 &&
                       upper.size() >= transport->header &&
                       !(is_udp && load_be16(upper.data() + transport->checksum) == 0);
  if (has_sum) {
    sums.transport = upper.data() + transport->checksum;
    sums.pseudo = transport->pseudo;
  }
  put_address(packet.data() + (layout.ipv4 ? 12 : 8), shown.source, sums);
  put_address(packet.data() + (layout.ipv4 ? 16 : 24), shown.destination, sums);
  if (transport && layout.fragment_offset == 0 && upper.size() >= 8) {
    if (forward::has_ports(shown.protocol)) {
      put_word(upper.data(), shown.source_port, sums, false);
      put_word(upper.data() + 2, shown.destination_port, sums, false);
    } else {
      put_word(upper.data() + 4, shown.source_port, sums, false);
    }
  }
  // 0 would say that there is none (RFC 768).
  if (!has_sum || !is_udp || load_be16(sums.transport) != 0) return;
  store_be16(sums.transport, 0xffff);
  correct(message, 0, 0xffff);
}

/// The addresses of an ICMP error, which only ICMPv6's checksum covers.
void put_error_addresses(Bytes packet, const forward::IpFields& header, std::uint8_t* message) {
  const bool ipv4 = header.is_ipv4();
  const Sums sums{.header = ipv4 ? packet.data() + 10 : nullptr,
                  .transport = ipv4 ? nullptr : message,
                  .pseudo = !ipv4};
  put_address(packet.data() + (ipv4 ? 12 : 8), header.source, sums);
  put_address(packet.data() + (ipv4 ? 16 : 24), header.destination, sums);
}

}  // namespace

void translate(Bytes packet, const forward::Packet& after) {
  const forward::IpFields& header = after.outermost();
  const bool outer = after.is_encapsulated();
  if (outer || !after.icmp) {
    return put(packet,
               {.source = header.source,
                .destination = header.destination,
                .protocol = header.protocol,
                .source_port = outer ? after.outer_source_port : after.source_port,
                .destination_port = outer ? after.outer_destination_port : after.destination_port},
               nullptr);
  }
  const Bytes error = packet.subspan(layout_of(packet).upper_at);
  std::uint8_t* message = error.data() + 2;
  put_error_addresses(packet, header, message);
  const forward::IcmpError& quoted = *after.icmp;
  put(error.subspan(wire::kIcmpBytes),
      {.source = quoted.quoted_source,
       .destination = quoted.quoted_destination,
       .protocol = quoted.quoted_protocol,
       .source_port = quoted.quoted_source_port,
       .destination_port = quoted.quoted_destination_port},
      message);
}

}  // namespace overlane::byte_rewrite
