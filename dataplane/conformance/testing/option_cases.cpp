#include <fmt/format.h>

#include "dataplane/conformance/testing/fragments.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/reference/ip_bytes.h"

namespace overlane::conformance::testing {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// IPv4 options: experimental ones (RFC 4727) without and with the copied flag, and the end of
/// options (RFC 791 3.1).
const Bytes kOptions{0x1e, 3, 7, 0x9e, 4, 8, 9, 0};
/// A hop-by-hop options header (RFC 8200 4.3) with padding only, followed by UDP.
const Bytes kHopByHop{17, 0, 1, 4, 0, 0, 0, 0};

/// The packet's bytes with kOptions or kHopByHop, 8 bytes more of header.
Bytes with_options(const Packet& packet) {
  Bytes bytes = reference::encode(packet);
  const bool ipv4 = packet.inner.is_ipv4();
  const Bytes& options = ipv4 ? kOptions : kHopByHop;
  bytes.insert(bytes.begin() + (ipv4 ? 20 : 40), options.begin(), options.end());
  if (ipv4) {
    bytes[0] = 0x47;
    store_be16(bytes.data() + 2, static_cast<std::uint32_t>(bytes.size()));
    return reference::with_ttl(std::move(bytes), packet.inner.ttl);
  }
  store_be16(bytes.data() + 4, static_cast<std::uint32_t>(bytes.size() - 40));
  bytes[6] = 0;
  return bytes;
}

Arrival optional(Arrival (*from)(Packet), const Packet& packet) {
  Arrival arrival = from(packet);
  arrival.bytes = with_options(packet);
  return arrival;
}

/// The packet with options as fragments of at most 436 bytes, or 444 bytes in IPv6.
Arrivals optional_fragments(Arrival (*from)(Packet), Packet packet) {
  packet.inner.identification = packet.inner.is_ipv4() ? 77 : 0;
  Arrivals arrivals;
  const std::size_t mtu = packet.inner.is_ipv4() ? 436 : 444;
  for (Bytes& fragment : reference::fragments_of(with_options(packet), mtu, 77)) {
    arrivals.push_back(from(packet));
    arrivals.back().bytes = std::move(fragment);
  }
  return arrivals;
}

void narrow_uplink(NodeState& state) {
  device(state, "eth0").mtu = 1300;
}

}  // namespace

std::vector<Case> option_cases() {
  const Packet out = udp(pod(0), kServer, 1000);
  const Packet large = udp(pod(0), kServer, 1492);
  const std::string to_server = "uplink via 10.250.0.1 100.96.1.10 > 192.0.2.10 udp ";
  const std::string to_pod = "pod 2001:db8::10 > fd00:10:96:1::10 udp ";
  return {
      {"a packet with options is cut: later fragments have those with the copied flag",
       kRouted,
       narrow_uplink,
       {optional(from_pod, large)},
       {to_server + "1300 ttl 63 at 0 MF + " + to_server + "228 ttl 63 at 1272"},
       ""},
      {"an error quotes the options of its cause",
       kRouted,
       unchanged,
       {optional(from_pod, ttl(1, udp(pod(0), kServer)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 11/0 136 ttl 64 tos c0; ttl-expired"},
       ""},
      {"tracked fragments with options come together and leave as they came", kRouted, track,
       optional_fragments(from_pod, out),
       then(2, to_server + "436 ttl 63 at 0 MF + " + to_server + "436 ttl 63 at 408 MF + " +
                   to_server + "192 ttl 63 at 816"),
       ""},
      {"tracked IPv6 fragments behind hop-by-hop options come together and leave as they came",
       kRouted, track, optional_fragments(from_uplink, udp(kServerV6, pod_v6(0), 1000)),
       then(2, to_pod + "440 ttl 63 at 0 MF + " + to_pod + "440 ttl 63 at 384 MF + " + to_pod +
                   "248 ttl 63 at 768"),
       ""},
  };
}

}  // namespace overlane::conformance::testing
