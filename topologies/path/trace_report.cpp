#include "topologies/path/trace_report.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "dataplane/capture/capture_writer.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"
#include "topologies/effective/cloud_routes.h"

namespace overlane::path {

namespace {

/// Whether the fabric forwarded a packet by a route of the cloud's controller.
bool uses_cloud_route(const Trace& trace) {
  const std::string owner = fmt::format("({})", to_string(node::FabricRouteOwner::RouteController));
  return std::ranges::any_of(trace.hops,
                             [&](const Hop& hop) { return hop.state_entry.ends_with(owner); });
}

}  // namespace

TraceReport report(const compile::Compiled& states, const effective::EffectiveDataplane& shoot,
                   Asked asked) {
  TraceReport report{.shoot = shoot.namespace_ + '/' + shoot.name,
                     .asked = std::move(asked),
                     .without = {},
                     .trace = {},
                     .needed = {},
                     .condition = {},
                     .assumptions = {},
                     .findings = {}};
  report.trace = trace(states, report.asked.request);
  const Family family = report.asked.from.address.family();
  if (const effective::Dataplane* dataplane = shoot.dataplane_of(family);
      dataplane != nullptr && uses_cloud_route(report.trace))
    report.condition = effective::condition_of_reach(shoot, *dataplane);
  if (report.trace.failure) report.needed = needed(states, *report.trace.failure);
  return report;
}

Findings TraceReport::all_findings() const {
  Findings all = asked.findings;
  all.insert(all.end(), findings.begin(), findings.end());
  return all;
}

std::string_view outcome_of(const Trace& trace) {
  if (trace.succeeded()) return "delivered";
  return trace.delivered ? "answer-dropped" : "dropped";
}

namespace {

/// The header of LINKTYPE_LINUX_SLL2, which needs no link-layer addresses
/// (https://www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL2.html): libpcap reads no pcapng file of
/// raw IP with several interfaces.
std::vector<std::uint8_t> cooked(const Leg& leg, std::uint32_t interface) {
  constexpr std::size_t kCookedBytes = 20;
  constexpr std::uint16_t kNoLinkLayer = 0xfffe;  // ARPHRD_NONE
  constexpr std::uint8_t kToUs = 0;
  constexpr std::uint8_t kFromUs = 4;
  std::vector<std::uint8_t> frame(kCookedBytes);
  const bool ipv4 = !leg.bytes.empty() && leg.bytes[0] >> 4 == 4;
  store_be16(frame.data(), ipv4 ? wire::kEtherTypeIpv4 : wire::kEtherTypeIpv6);
  store_be32(frame.data() + 4, interface + 1);
  store_be16(frame.data() + 8, kNoLinkLayer);
  frame[10] = leg.leaves ? kFromUs : kToUs;
  frame.insert(frame.end(), leg.bytes.begin(), leg.bytes.end());
  return frame;
}

}  // namespace

Result<void> write_legs(const std::string& file, const Trace& trace) {
  auto writer = capture::PcapngWriter::create(file);
  if (!writer) return fail(writer.error());
  std::map<std::string, std::uint32_t> interfaces;
  for (const Leg& leg : trace.legs) {
    if (interfaces.contains(leg.interface)) continue;
    interfaces[leg.interface] =
        writer->add_interface(leg.interface, capture::LinkType::LinuxCooked2);
  }
  for (std::size_t i = 0; i < trace.legs.size(); ++i) {
    const Leg& leg = trace.legs[i];
    const Hop& hop = trace.hops[leg.hop];
    using Direction = capture::PcapngWriter::Direction;
    const std::uint32_t interface = interfaces[leg.interface];
    writer->write(
        interface, {0, static_cast<std::uint32_t>((i + 1) * 1000)}, cooked(leg, interface),
        leg.leaves ? Direction::Outbound : Direction::Inbound,
        fmt::format("hop {}, {}: {}: {}", leg.hop + 1, hop.place, hop.decision, hop.because));
  }
  return writer->close();
}

}  // namespace overlane::path
