#include "tools/fastpath/captured_ip.h"

#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::fastpath {
namespace {

/// Offset of a link header's EtherType, and the header's length.
struct LinkHeader {
  std::size_t ether_type_at;
  std::size_t bytes;
};

/// Nothing if the link type has no header or no EtherType.
std::optional<LinkHeader> header_of(capture::LinkType link) {
  switch (link) {
    case capture::LinkType::Ethernet:
      return LinkHeader{12, wire::kEthernetBytes};
    case capture::LinkType::LinuxCooked:
      return LinkHeader{14, 16};
    case capture::LinkType::LinuxCooked2:
      return LinkHeader{0, 20};
    case capture::LinkType::RawIp:
    case capture::LinkType::Ipv4:
    case capture::LinkType::Ipv6:
    case capture::LinkType::Null:
    case capture::LinkType::Loop:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::span<const std::uint8_t>> ip_of(std::span<const std::uint8_t> bytes,
                                                   capture::LinkType link) {
  // The address family of Null and Loop adds nothing to the IP version.
  if (link == capture::LinkType::Null || link == capture::LinkType::Loop) {
    return bytes.size() < 4 ? std::nullopt : std::optional(bytes.subspan(4));
  }
  const auto header = header_of(link);
  if (!header) return bytes;
  if (bytes.size() < header->bytes) return std::nullopt;
  const std::uint16_t type = load_be16(bytes.data() + header->ether_type_at);
  if (type != wire::kEtherTypeIpv4 && type != wire::kEtherTypeIpv6) return std::nullopt;
  return bytes.subspan(header->bytes);
}

}  // namespace overlane::fastpath
