#include "dataplane/byte_rewrite/error_bytes.h"

#include <algorithm>
#include <array>

#include "dataplane/byte_rewrite/layout.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

namespace overlane::byte_rewrite {
namespace {

using QuotedBytes = std::span<const std::uint8_t>;

/// The fields of a parameter problem (RFC 4443 3.4) and what they are about.
std::uint32_t pointer_into(const forward::IcmpError& error, QuotedBytes cause) {
  constexpr std::uint8_t kUnknownNextHeader = 1;
  constexpr std::uint32_t kPayloadLength = 4;
  if (error.code == kUnknownNextHeader) return layout_of(cause).upper_number_at;
  if (error.pointer == kPayloadLength) return kPayloadLength;
  return layout_of(cause).shared + 2;
}

std::uint32_t second_word(const forward::Packet& error, QuotedBytes cause) {
  const bool has_pointer = is_parameter_problem(*error.icmp, error.inner.family());
  return has_pointer ? pointer_into(*error.icmp, cause) : error.icmp->next_hop_mtu;
}

void append_ip_header(const forward::IpFields& fields, PacketBuffer& to) {
  if (fields.is_ipv4()) {
    std::array<std::uint8_t, wire::kIpv4Bytes> header{};
    wire::write(
        wire::Ipv4Header{.tos = fields.tos,
                         .total_length = static_cast<std::uint16_t>(fields.total_length),
                         .identification = static_cast<std::uint16_t>(fields.identification),
                         .ttl = fields.ttl,
                         .protocol = fields.protocol,
                         .source = fields.source.ipv4(),
                         .destination = fields.destination.ipv4()},
        header);
    return to.append(header);
  }
  std::array<std::uint8_t, wire::kIpv6Bytes> header{};
  wire::write(wire::Ipv6Header{.traffic_class = fields.tos,
                               .payload_length = static_cast<std::uint16_t>(fields.total_length -
                                                                            wire::kIpv6Bytes),
                               .next_header = fields.protocol,
                               .hop_limit = fields.ttl,
                               .source = fields.source,
                               .destination = fields.destination},
              header);
  to.append(header);
}

}  // namespace

void write_error(const forward::Packet& error, QuotedBytes cause, PacketBuffer& to) {
  const forward::IpFields& fields = error.inner;
  std::array<std::uint8_t, wire::kIcmpBytes> header{error.icmp->type, error.icmp->code};
  store_be32(header.data() + 4, second_word(error, cause));
  to.clear();
  append_ip_header(fields, to);
  const std::size_t at = to.bytes().size();
  to.append(header);
  to.append(
      cause.first(std::min<std::size_t>(fields.payload_bytes() - header.size(), cause.size())));
  const std::span<std::uint8_t> message = to.bytes().subspan(at);
  const std::uint16_t sum = fields.is_ipv4() ? internet_checksum(message)
                                             : transport_checksum(fields.source, fields.destination,
                                                                  fields.protocol, message);
  store_be16(message.data() + 2, sum);
}

}  // namespace overlane::byte_rewrite
