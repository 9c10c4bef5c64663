#include "dataplane/conformance/testing/fragments.h"
#include "dataplane/node/state/world.h"

namespace overlane::conformance::testing {
namespace {

/// Packets to and from the pod, 1,000 bytes each.
const Packet kToPod = udp(kServer, pod(0), 1000);
const Packet kFromPod = udp(pod(0), kServer, 1000);
const Packet kToPodV6 = udp(kServerV6, pod_v6(0), 1000);
const Packet kFromPodV6 = udp(pod_v6(0), kServerV6, 1000);

/// The arrivals with a changed field in fragment `i`.
template <typename Change>
Arrivals changed(Arrivals arrivals, std::size_t i, Change change) {
  change(arrivals[i].packet.inner);
  return arrivals;
}
void set_df(forward::IpFields& header) {
  header.dont_fragment = true;
}

void narrow_pod(NodeState& state) {
  track(state);
  for (node::LocalPod& local : state.pods)
    local.mtu = local.address.is_ipv4() ? 600 : 1280;
}
Packet answered(Packet packet) {
  std::swap(packet.source_port, packet.destination_port);
  return packet;
}
Packet echo(Packet packet) {
  packet.inner.protocol = packet.inner.is_ipv4() ? forward::kIcmp : forward::kIcmpv6;
  packet.source_port = 7;
  packet.destination_port = packet.inner.is_ipv4() ? 0x0800 : 0x8000;
  return packet;
}

/// Three fragments with the first one repeated. No kernel counts the duplicate.
Arrivals twice(const Arrivals& arrivals) {
  Arrivals result = ordered(arrivals, {0, 0, 1, 2});
  result[1].counted = false;
  return result;
}
/// Three fragments of which the second begins before the end of the first.
Arrivals overlapping() {
  Arrivals arrivals = as_fragments(from_uplink, kToPod, kThree);
  arrivals[1].packet.inner.fragment_offset -= 8;
  return arrivals;
}
Arrivals there_and_back() {
  Arrivals arrivals = as_fragments(from_pod, kFromPod, kThree);
  for (Arrival& back : as_fragments(from_uplink, answered(udp(kServer, kNode, 1000)), kTwo))
    arrivals.push_back(std::move(back));
  return arrivals;
}
void server_unreachable(NodeState& state) {
  track(state);
  node::NodeEditor(state).set_route(node::testing::net("192.0.2.0/24"),
                                    {.kind = node::RouteKind::Unreachable});
}
void no_track_dns(NodeState& state) {
  use(state, {.untracked_udp_ports = {53}});
}

}  // namespace

std::vector<Case> transit_cases() {
  return {
      {"fragments in transit are put together and leave as they came", kRouted, track,
       as_fragments(from_uplink, kToPod, kThree),
       then(2, fragments("pod 192.0.2.10 > 100.96.1.10 udp {} ttl 63", kThree)), ""},
      {"fragments in transit may come in any order", kRouted, track,
       ordered(as_fragments(from_uplink, kToPod, kThree), {2, 0, 1}),
       then(2, fragments("pod 192.0.2.10 > 100.96.1.10 udp {} ttl 63", kThree)), ""},
      {"fragments of two sizes keep them", kRouted, track, as_fragments(from_uplink, kToPod, kTwo),
       then(1, fragments("pod 192.0.2.10 > 100.96.1.10 udp {} ttl 63", kTwo)), ""},
      {"fragments in transit of which one is missing never leave",
       kRouted,
       track,
       ordered(as_fragments(from_uplink, kToPod, kThree), {0, 2}),
       {"held", "held"},
       ""},
      {"a fragment in transit that comes twice is taken once",
       kRouted,
       track,
       twice(as_fragments(from_uplink, kToPod, kThree)),
       {"held", "malformed", "held",
        fragments("pod 192.0.2.10 > 100.96.1.10 udp {} ttl 63", kThree)},
       ""},
      {"fragments in transit that overlap end the packet",
       kRouted,
       track,
       overlapping(),
       {"held", "malformed", "held"},
       ""},
      {"fragments with DF leave without", kRouted, track,
       as_fragments(from_uplink, df(kToPod), kThree),
       then(2, fragments("pod 192.0.2.10 > 100.96.1.10 udp {} ttl 63", kThree)), ""},
      {"fragments with DF that do not fit are answered as a whole", kRouted, narrow_pod,
       as_fragments(from_uplink, df(kToPod), kTwo),
       then(1,
            "uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 icmp 3/4 mtu 600 576 ttl 64 tos c0; "
            "mtu-exceeded"),
       ""},
      {"fragments with DF that fit may leave though the whole does not", kRouted, narrow_pod,
       as_fragments(from_uplink, df(kToPod), kThree),
       then(2, fragments("pod 192.0.2.10 > 100.96.1.10 udp {} ttl 63", kThree)), ""},
      {"fragments without DF that do not fit are cut anew", kRouted, narrow_pod,
       as_fragments(from_uplink, kToPod, kTwo),
       then(1, fragments("pod 192.0.2.10 > 100.96.1.10 udp {} ttl 63", {576, 980})), ""},
      {"DF on a smaller fragment does not count", kRouted, narrow_pod,
       changed(as_fragments(from_uplink, kToPod, kTwo), 1, set_df),
       then(1, fragments("pod 192.0.2.10 > 100.96.1.10 udp {} ttl 63", {576, 980})), ""},
      {"DF on the largest fragment alone counts", kRouted, narrow_pod,
       changed(as_fragments(from_uplink, kToPod, kTwo), 0, set_df),
       then(1,
            "uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 icmp 3/4 mtu 600 576 ttl 64 tos c0; "
            "mtu-exceeded"),
       ""},
      {"a TTL of 1 on the first fragment ends the whole", kRouted, track,
       as_fragments(from_uplink, ttl(1, kToPod), kThree),
       then(2,
            "uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 icmp 11/0 576 ttl 64 tos c0; "
            "ttl-expired"),
       ""},
      {"CE on one fragment in transit marks all", kRouted, track,
       changed(as_fragments(from_uplink, tos(2, kToPod), kThree), 1, [](auto& h) { h.tos = 3; }),
       then(2, fragments("pod 192.0.2.10 > 100.96.1.10 udp {} ttl 63 tos 03", kThree)), ""},
      {"Not-ECT and ECT on fragments in transit make no packet", kRouted, track,
       changed(as_fragments(from_uplink, kToPod, kTwo), 1, [](auto& h) { h.tos = 2; }),
       then(1, "ecn-corrupted"), ""},
      {"an unreachable route for a pod's fragments is answered once, about the whole", kRouted,
       server_unreachable, as_fragments(from_pod, kFromPod, kThree),
       then(2, "pod 10.250.0.4 > 100.96.1.10 icmp 3/1 576 ttl 64 tos c0; unreachable-route"), ""},
      {"a pod's fragments are masqueraded, and those of the answer come back",
       kRouted,
       masquerade,
       there_and_back(),
       {"held", "held",
        fragments("uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 udp {} ttl 63", kThree), "held",
        fragments("pod 192.0.2.10 > 100.96.1.10 udp {} ttl 63", kTwo)},
       ""},
      {"an echo as fragments is masqueraded", kRouted, masquerade,
       as_fragments(from_pod, echo(kFromPod), kTwo),
       then(1, fragments("uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 icmp {} ttl 63", kTwo)),
       ""},
      {"fragments with another's source are refused as a whole", kRouted, track,
       as_fragments(from_pod, udp(pod(1), kServer, 1000), kTwo), then(1, "source-spoofed"), ""},
      {"fragments for the node come together before NOTRACK", kRouted, no_track_dns,
       as_fragments(from_uplink, udp(kServer, kNode, 1000), kTwo),
       then(1, "host 192.0.2.10 > 10.250.0.4 udp 1000 ttl 64"), ""},
      {"fragments for the node with DF make a whole with DF", kRouted, track,
       as_fragments(from_uplink, df(udp(kServer, kNode, 1000)), kTwo),
       then(1, "host 192.0.2.10 > 10.250.0.4 udp 1000 ttl 64 DF"), ""},
      {"fragments that the node sends are put together and leave as they came", kRouted, track,
       as_fragments(from_host, udp(kNode, kServer, 1000), kThree),
       then(2, fragments("uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 udp {} ttl 64", kThree)),
       ""},
      {"fragments that the node sends with DF leave without", kRouted, track,
       as_fragments(from_host, df(udp(kNode, kServer, 1000)), kThree),
       then(2, fragments("uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 udp {} ttl 64", kThree)),
       ""},
      {"IPv6: fragments in transit are put together and leave as they came", kRouted, track,
       as_fragments(from_uplink, kToPodV6, kThreeV6),
       then(2, fragments("pod 2001:db8::10 > fd00:10:96:1::10 udp {} ttl 63", kThreeV6)), ""},
      {"IPv6: fragments in transit may come in any order", kRouted, track,
       ordered(as_fragments(from_uplink, kToPodV6, kThreeV6), {2, 0, 1}),
       then(2, fragments("pod 2001:db8::10 > fd00:10:96:1::10 udp {} ttl 63", kThreeV6)), ""},
      {"IPv6: fragments in transit of which one is missing never leave",
       kRouted,
       track,
       ordered(as_fragments(from_uplink, kToPodV6, kThreeV6), {0, 2}),
       {"held", "held"},
       ""},
      {"IPv6: a fragment in transit that comes twice is taken once",
       kRouted,
       track,
       twice(as_fragments(from_uplink, kToPodV6, kThreeV6)),
       {"held", "malformed", "held",
        fragments("pod 2001:db8::10 > fd00:10:96:1::10 udp {} ttl 63", kThreeV6)},
       ""},
      {"IPv6: what is no larger than its largest fragment leaves whole", kRouted, track,
       as_fragments(from_uplink, kToPodV6, {952, 960}),
       then(1, "pod 2001:db8::10 > fd00:10:96:1::10 udp 1000 ttl 63"), ""},
      {"IPv6: a whole that is larger than its largest fragment leaves as fragments", kRouted, track,
       as_fragments(from_uplink, kToPodV6, {944, 960}),
       then(1, fragments("pod 2001:db8::10 > fd00:10:96:1::10 udp {} ttl 63", {944, 960})), ""},
      {"IPv6: fragments that do not fit are answered as a whole", kRouted, narrow_pod,
       as_fragments(from_uplink, udp(kServerV6, pod_v6(0), 2000), {1400, 1960}),
       then(1,
            "uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 2/0 mtu 1280 1280 ttl "
            "64; mtu-exceeded"),
       ""},
      {"IPv6: fragments that fit may leave though the whole does not", kRouted, narrow_pod,
       as_fragments(from_uplink, udp(kServerV6, pod_v6(0), 2000), {1000, 1960}),
       then(1, fragments("pod 2001:db8::10 > fd00:10:96:1::10 udp {} ttl 63", {1000, 1960})), ""},
      {"IPv6: a pod's fragments are masqueraded", kRouted, masquerade,
       as_fragments(from_pod, kFromPodV6, kThreeV6),
       then(2, fragments("uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 udp {} ttl 63",
                         kThreeV6)),
       ""},
      {"IPv6: an uneven fragment in transit goes on alone and ends its packet",
       kRouted,
       track,
       as_fragments(from_uplink, kToPodV6, {400, 804, 960}),
       {"held", "pod 2001:db8::10 > fd00:10:96:1::10 udp 452 ttl 63 at 400 MF", "held"},
       ""},
      {"IPv6: fragments for the node come together", kRouted, track,
       as_fragments(from_uplink, udp(kServerV6, kNodeV6, 1000), kThreeV6),
       then(2, "host 2001:db8::10 > fd00:10:250::4 udp 1000 ttl 64"), ""},
      {"IPv6: fragments that the node sends are put together and leave as they came", kRouted,
       track, as_fragments(from_host, udp(kNodeV6, kServerV6, 1000), kThreeV6),
       then(2, fragments("uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 udp {} ttl 64",
                         kThreeV6)),
       ""},
  };
}

}  // namespace overlane::conformance::testing
