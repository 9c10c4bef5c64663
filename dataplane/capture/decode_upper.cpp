#include <fmt/format.h>

#include "dataplane/capture/dissection.h"
#include "dataplane/wire/ip_protocol.h"

namespace overlane::capture {
Slice decode_ip(Dissection& dissection, const Slice& slice) {
  const unsigned version = slice.bytes.empty() ? 0 : slice.bytes[0] / 16u;
  if (version == 4) return decode_ipv4(dissection, slice);
  if (version == 6) return decode_ipv6(dissection, slice);
  if (!slice.bytes.empty()) {
    dissection.add_problem(LayerKind::Payload,
                           fmt::format("IP version {} is neither 4 nor 6", version));
  }
  dissection.add_payload(slice);
  return slice.end();
}

void decode_upper(Dissection& dissection, const Upper& upper, const Slice& slice) {
  switch (upper.protocol) {
    case wire::kIcmp:
      return decode_icmp(dissection, slice);
    case wire::kIpv4InIp:
      return dissection.add_trailer(LayerKind::Ipv4, decode_ipv4(dissection, slice));
    case wire::kTcp:
      return decode_tcp(dissection, upper, slice);
    case wire::kUdp:
      return decode_udp(dissection, upper, slice);
    case wire::kIpv6InIp:
      return dissection.add_trailer(LayerKind::Ipv6, decode_ipv6(dissection, slice));
    case wire::kIcmpv6:
      return decode_icmpv6(dissection, upper, slice);
    default:
      return dissection.add_payload(slice);
  }
}

}  // namespace overlane::capture
