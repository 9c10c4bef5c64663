#include "scenarios/spec/machine.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "scenarios/spec/ranges.h"
#include "scenarios/spec/words.h"

namespace overlane::spec {
namespace {

using document::Fields;

constexpr std::uint32_t kMaxCores = 1'024;
/// With a slower NIC, a full queue would take longer than a run.
constexpr BitsPerSecond kSlowestNic{1'000'000};
constexpr std::uint32_t kMaxRing = 65'536;
/// Far more than the largest instances have.
constexpr std::int64_t kMaxPackets = 1'000'000'000;

struct NamedOffload {
  std::string_view name;
  bool cost::Offloads::*which;
};
constexpr std::array kWires = {Word<cost::Wire>{"nic", cost::Wire::Nic},
                               Word<cost::Wire>{"veth", cost::Wire::Veth},
                               Word<cost::Wire>{"virtio", cost::Wire::Virtio}};

constexpr std::array kOffloads = {
    NamedOffload{"generic-segmentation-offload", &cost::Offloads::gso},
    NamedOffload{"tcp-segmentation-offload", &cost::Offloads::tso},
    NamedOffload{"tx-ipxip4-segmentation", &cost::Offloads::ipxip4_segmentation},
    NamedOffload{"tx-udp_tnl-segmentation", &cost::Offloads::udp_tnl_segmentation},
    NamedOffload{"generic-receive-offload", &cost::Offloads::gro},
};

std::optional<MachineSpec::Bandwidth> decode_bandwidth(Fields& machine) {
  Fields fields(machine.mapping("bandwidth"), machine.problems());
  fields.required("baseline");
  const auto baseline = rate(fields, "baseline");
  const auto burst = duration(fields, "burst");
  fields.no_others();
  if (!baseline) return std::nullopt;
  return MachineSpec::Bandwidth{*baseline, burst.value_or(Picos{})};
}

std::optional<fabric::PacketAllowance> decode_packets(Fields& machine) {
  Fields fields(machine.mapping("packets"), machine.problems());
  fields.required("perSecond");
  const auto per_second = integer_between(fields, "perSecond", 1, kMaxPackets);
  const auto burst = integer_between(fields, "burst", 1, kMaxPackets);
  fields.no_others();
  if (!per_second) return std::nullopt;
  return fabric::PacketAllowance{*per_second, burst.value_or(1)};
}

}  // namespace

std::vector<OffloadSwitch> decode_offloads(Fields& offloads) {
  std::vector<OffloadSwitch> switches;
  for (const NamedOffload& offload : kOffloads)
    if (const auto on = offloads.boolean(offload.name)) switches.push_back({offload.which, *on});
  offloads.no_others();
  return switches;
}

std::string_view name_of(const OffloadSwitch& offload) {
  return std::ranges::find(kOffloads, offload.which, &NamedOffload::which)->name;
}

void apply(const std::vector<OffloadSwitch>& switches, cost::Offloads& offloads) {
  for (const OffloadSwitch& offload : switches)
    offloads.*offload.which = offload.on;
}

std::optional<cost::Wire> decode_wire(Fields& fields) {
  return word(fields, "wire", kWires);
}

std::string_view to_string(cost::Wire wire) {
  return word_for(wire, kWires);
}

MachineSpec decode_machine(Fields& machine, cost::Wire wire) {
  MachineSpec spec;
  for (const char* key :
       {"nic", "queues", "receiveRing", "interruptGap", "udp4Rss", "bandwidth", "packets"}) {
    const document::Value value = machine.value()[key];
    if (wire == cost::Wire::Veth && value.exists())
      machine.problems().error(value, "bad-value",
                               fmt::format("{} is a NIC's, and veth pairs join these nodes", key),
                               "remove it, or set wire: nic");
  }
  spec.cores = count_between(machine, "cores", 1, kMaxCores);
  spec.threads_per_core = count_between(machine, "threadsPerCore", 1, 2);
  if (spec.threads_per_core == 2u && spec.cores && *spec.cores % 2 != 0) {
    machine.problems().error(machine.value()["cores"], "out-of-range",
                             "cores, which are hardware threads, are odd in number",
                             "with threadsPerCore: 2 there is an even number of them");
  }
  spec.nic = rate(machine, "nic");
  if (spec.nic && *spec.nic < kSlowestNic) {
    machine.problems().error(machine.value()["nic"], "out-of-range", "nic is below 1 Mbit/s");
  }
  spec.queues = count_between(machine, "queues", 1, kMaxCores);
  spec.receive_ring = count_between(machine, "receiveRing", 1, kMaxRing);
  spec.interrupt_gap = duration(machine, "interruptGap");
  const auto rss = machine.one_of("udp4Rss", {"4tuple", "2tuple"});
  if (rss) spec.udp_rss = *rss == "2tuple" ? host::UdpRss::TwoTuple : host::UdpRss::FourTuple;
  spec.rps = machine.boolean("rps");
  Fields offloads = machine.fields("offloads");
  spec.offloads = decode_offloads(offloads);
  spec.bandwidth = decode_bandwidth(machine);
  spec.packets = decode_packets(machine);
  machine.no_others();
  return spec;
}

}  // namespace overlane::spec
