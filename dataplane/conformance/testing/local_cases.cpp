#include "dataplane/conformance/testing/fragments.h"

namespace overlane::conformance::testing {
namespace {

Packet of_protocol(std::uint8_t protocol, Packet packet) {
  packet.inner.protocol = protocol;
  packet.source_port = packet.destination_port = 0;
  return packet;
}

}  // namespace

std::vector<Case> local_cases() {
  const std::string refused =
      "uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 icmp 3/2 128 ttl 64 tos c0; "
      "unsupported-protocol";
  return {
      {"a protocol that nothing on the node takes is answered: protocol unreachable",
       kRouted,
       unchanged,
       {from_uplink(of_protocol(99, udp(kServer, kNode)))},
       {refused},
       ""},
      {"GRE and a number for experiments are such protocols",
       kRouted,
       unchanged,
       {from_uplink(of_protocol(47, udp(kServer, kNode))),
        from_uplink(of_protocol(253, udp(kServer, kNode)))},
       {refused, refused},
       ""},
      {"a pod hears of such a protocol too",
       kRouted,
       unchanged,
       {from_pod(of_protocol(99, udp(pod(0), kNode)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/2 128 ttl 64 tos c0; unsupported-protocol"},
       ""},
      {"fragments of such a protocol are answered once they are whole", kRouted, unchanged,
       as_fragments(from_uplink, of_protocol(99, udp(kServer, kNode, 1000)), kTwo),
       then(1,
            "uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 icmp 3/2 576 ttl 64 tos c0; "
            "unsupported-protocol"),
       ""},
      {"a protocol that nothing on the node takes passes through to a pod",
       kRouted,
       unchanged,
       {from_uplink(of_protocol(99, udp(kServer, pod(0))))},
       {"pod 192.0.2.10 > 100.96.1.10 protocol 99 100 ttl 63"},
       ""},
      {"IPv6: a next header that nothing on the node takes is answered: parameter problem",
       kRouted,
       unchanged,
       {from_uplink(of_protocol(99, udp(ip("2001:db8::10"), ip("fd00:10:250::4")))),
        from_uplink(of_protocol(253, udp(ip("2001:db8::10"), ip("fd00:10:250::4"))))},
       {"uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 4/1 pointer 6 148 ttl 64; "
        "unsupported-protocol",
        "uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 4/1 pointer 6 148 ttl 64; "
        "unsupported-protocol"},
       ""},
  };
}

}  // namespace overlane::conformance::testing
