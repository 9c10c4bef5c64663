#include "scenarios/runner/load/machine.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace overlane::runner {
namespace {

/// What a virtio NIC has besides fast hardware: one pair of queues, and nothing for tunnels.
void describe_virtio(const spec::MachineSpec& asked, host::Machine& machine,
                     Assumptions& assumptions) {
  assumptions.add("machine.offloads", "none inside tunnels", "what ethtool -k shows",
                  "virtio-net before virtio 1.4 and Linux 6.17", "default");
  if (asked.queues) return;
  assumptions.add("machine.queues", std::to_string(machine.nic_queues), "1 to 8",
                  "Nova's hw:vif_multiqueue_enabled is off by default; ethtool -l shows them",
                  "default");
}

void assume_offloads(host::Machine& machine, const provider::Machines& usual,
                     Assumptions& assumptions) {
  if (usual.nic.empty()) return;
  machine.offloads.ipxip4_segmentation = usual.segments_in_tunnels;
  machine.offloads.udp_tnl_segmentation = usual.segments_in_tunnels;
  assumptions.add("machine.offloads", usual.segments_in_tunnels ? "all" : "none inside tunnels",
                  "what ethtool -k shows", fmt::format("driver {} of Linux 6.1", usual.nic),
                  "default");
}

/// Why a figure of the machine is assumed: "machine type m5.large: its cores are not known to
/// Overlane".
std::string unknown(std::string_view figure, const effective::EffectiveDataplane& shoot) {
  std::set<std::string_view> types;
  for (const auto& pool : shoot.workers)
    if (!pool.machine_type.empty()) types.insert(pool.machine_type);
  if (types.empty()) return fmt::format("no document gives the machine's {}", figure);
  return fmt::format("machine type{} {}: {} {} {} not known to Overlane",
                     types.size() == 1 ? "" : "s", fmt::join(types, ", "),
                     types.size() == 1 ? "its" : "their", figure, figure == "NIC" ? "is" : "are");
}

void describe_nic(const spec::MachineSpec& asked, cost::Wire wire,
                  const effective::EffectiveDataplane& shoot, host::Machine& machine,
                  Assumptions& assumptions) {
  if (asked.nic) {
    machine.nic_rate = *asked.nic;
  } else {
    assumptions.add("machine.nic", "10 Gbit/s", "1 to 200 Gbit/s", unknown("NIC", shoot),
                    "default");
  }
  const bool virtio = wire == cost::Wire::Virtio;
  if (virtio)
    describe_virtio(asked, machine, assumptions);
  else
    assume_offloads(machine, provider::profile_of(shoot.provider).machines, assumptions);
  machine.nic_queues = asked.queues.value_or(machine.nic_queues);
  spec::apply(asked.offloads, machine.offloads);
  if (asked.receive_ring) {
    machine.receive_ring_packets = *asked.receive_ring;
  } else {
    assumptions.add("machine.receive_ring", fmt::format("{} packets", machine.receive_ring_packets),
                    "256 to 8192",
                    virtio ? "256 descriptors (QEMU), then 500 buffers of the tap device"
                           : "ethtool -g: of each core's queue",
                    "default");
  }
  machine.udp_rss = asked.udp_rss.value_or(machine.udp_rss);
  if (asked.interrupt_gap) {
    machine.interrupt_gap = *asked.interrupt_gap;
  } else {
    assumptions.add("machine.interrupt_gap",
                    fmt::format("{} µs", machine.interrupt_gap.count / 1'000'000), "0 to 250 µs",
                    virtio ? "virtio-net delays no interrupts (VIRTIO_NET_F_NOTF_COAL is off)"
                           : "ethtool -c, rx-usecs: what drivers adapt to under a moderate load",
                    "default");
  }
}

}  // namespace

cost::Wire usual_wire(const effective::EffectiveDataplane& shoot, Assumptions& assumptions) {
  if (!provider::profile_of(shoot.provider).machines.virtio) return cost::Wire::Nic;
  assumptions.add("wire", "virtio", "virtio, nic (SR-IOV)",
                  "the hypervisor's vhost threads carry packets of driver virtio_net", "default");
  return cost::Wire::Virtio;
}

host::Machine machine(const spec::MachineSpec& asked, cost::Wire wire,
                      const effective::EffectiveDataplane& shoot, Assumptions& assumptions) {
  host::Machine machine = host::usual_machine(wire);
  if (asked.cores) {
    machine.cores = *asked.cores;
  } else {
    assumptions.add("machine.cores", std::to_string(machine.cores), "1 to 128",
                    unknown("cores", shoot), "default");
  }
  if (asked.threads_per_core) {
    machine.threads_per_core = *asked.threads_per_core;
  } else {
    assumptions.add("machine.threads_per_core", std::to_string(machine.threads_per_core), "1 or 2",
                    "no document says whether cores are hardware threads", "default");
  }
  machine.rps = asked.rps.value_or(machine.rps);
  if (wire != cost::Wire::Veth) {
    describe_nic(asked, wire, shoot, machine, assumptions);
  } else {
    machine.nic_rate = host::kLocalRate;  // Only limits if CPU time is free.
    spec::apply(asked.offloads, machine.offloads);
  }
  return machine;
}

fabric::Limits limits(const spec::VpcSpec& vpc, const spec::ShootSpec& shoot,
                      const host::Machine& machine, effective::Provider provider,
                      const effective::Landscape& landscape, Assumptions& assumptions) {
  fabric::Limits limits;
  if (shoot.wire == cost::Wire::Veth) return limits;
  const spec::MachineSpec& asked = shoot.machine;
  const provider::Machines& usual = provider::profile_of(provider).machines;
  if (vpc.single_flow != spec::RateOrNone{}) {
    limits.single_flow = vpc.single_flow.rate;
  } else if (landscape.single_flow_cap) {
    if (*landscape.single_flow_cap > 0)
      limits.single_flow = BitsPerSecond{*landscape.single_flow_cap * std::int64_t{1'000'000}};
  } else if (usual.single_flow) {
    limits.single_flow = BitsPerSecond{static_cast<std::int64_t>(*usual.single_flow)};
    assumptions.add(
        "fabric.single_flow", fmt::format("{} Gbit/s", limits.single_flow->count / 1'000'000'000),
        std::string(usual.single_flow_range), std::string(usual.single_flow_source), "default");
  }
  if (asked.bandwidth) {
    const std::int64_t rest = machine.nic_rate.count - asked.bandwidth->baseline.count;
    const WideInteger bytes = WideInteger{std::max<std::int64_t>(rest, 0)} / 8 *
                              asked.bandwidth->burst.count / 1'000'000'000'000;
    limits.bandwidth = {asked.bandwidth->baseline, Bytes{static_cast<std::int64_t>(bytes)}};
  }
  limits.packets = asked.packets;
  return limits;
}

}  // namespace overlane::runner
