#include "scenarios/runner/load/machine.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/effective/addressing.h"
#include "topologies/provider/machines/nics.h"
#include "topologies/provider/profile.h"

namespace overlane::runner {

namespace {

using Ranges = std::vector<IpPrefix>;

std::optional<IpPrefix> first_ipv6(const Ranges& ranges) {
  const auto found = std::ranges::find_if_not(ranges, &IpPrefix::is_ipv4);
  return found == ranges.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

const provider::Profile& provider_profile(const manifest::PodNetworkSpec& spec) {
  return provider::profile_of(spec.shoot.provider ? spec.shoot.provider->value : "");
}

std::vector<model::Assumption> assume_ipv6_ranges(manifest::PodNetworkSpec& spec) {
  std::vector<model::Assumption> assumed;
  const provider::Profile& provider = provider_profile(spec);
  const auto& supposed = provider.supposed_ipv6;
  const effective::Families families(spec);
  if (!families.has(Family::Ipv6) || !supposed) return assumed;
  const effective::Addressing ranges = effective::decide_addressing(spec, provider, families);
  const Ranges& nodes = ranges.nodes.value;
  const Ranges& pods = ranges.pods.value;
  const auto give = [&](const char* whose, const Ranges& known, const IpPrefix& range,
                        std::vector<manifest::Located<IpPrefix>>& status) {
    if (first_ipv6(known)) return;
    const std::string path = fmt::format("status.networking.{}", whose);
    status.push_back({range, {}, path});
    assumed.push_back({path, range.to_string(), "",
                       fmt::format("no document gives it; {}; the numbers are those for "
                                   "documentation (RFC 3849)",
                                   supposed->source.text()),
                       "default"});
  };
  const auto given = first_ipv6(nodes) ? first_ipv6(nodes) : first_ipv6(pods);
  const IpPrefix network = given.value_or(IpPrefix::parse(supposed->network).value());
  give("nodes", nodes, network, spec.shoot.status_nodes);
  give("pods", pods, network, spec.shoot.status_pods);
  give("services", ranges.services.value, IpPrefix::parse(supposed->services).value(),
       spec.shoot.status_services);
  return assumed;
}

namespace {

/// Sets the properties of a virtio NIC: one pair of queues, and no offloads for tunnels.
void describe_virtio(const spec::MachineSpec& asked, host::Machine& machine,
                     Assumptions& assumptions) {
  assumptions.add("machine.offloads", "none inside tunnels", "what ethtool -k shows",
                  "virtio-net before virtio 1.4 and Linux 6.17", "default");
  if (asked.queues) return;
  assumptions.add("machine.queues", std::to_string(machine.nic_queues), "1 to 8",
                  "Nova's hw:vif_multiqueue_enabled is off by default; ethtool -l shows them",
                  "default");
}

void assume_offloads(host::Machine& machine, const provider::Nic* nic, Assumptions& assumptions) {
  if (nic == nullptr) return;
  machine.offloads.ipxip4_segmentation = nic->segments_in_tunnels;
  machine.offloads.udp_tnl_segmentation = nic->segments_in_tunnels;
  assumptions.add("machine.offloads", nic->segments_in_tunnels ? "all" : "none inside tunnels",
                  "what ethtool -k shows", fmt::format("driver {} of Linux 6.1", nic->driver),
                  "default");
}

/// Sets the headers of tunnels that the NIC hashes to select a receive queue: those of the file,
/// otherwise those of the NIC. `nic` is null if its driver is unknown.
void choose_tunnel_rss(const spec::MachineSpec& asked, const provider::Nic* nic,
                       host::Machine& machine) {
  const auto hashed = [](bool is_inside) {
    return is_inside ? host::TunnelRss::Inner : host::TunnelRss::Outer;
  };
  if (nic != nullptr) {
    machine.ipip_rss = hashed(nic->hashes_inside_ipip);
    machine.udp_tunnel_rss = hashed(nic->hashes_inside_udp_tunnels);
  }
  machine.ipip_rss = asked.ipip_rss.value_or(machine.ipip_rss);
  machine.udp_tunnel_rss = asked.udp_tunnel_rss.value_or(machine.udp_tunnel_rss);
}

/// The NIC of the provider's machines; null if it is unknown. A virtio NIC that a hypervisor serves
/// has no row here, and SR-IOV instead of it means an unknown NIC.
const provider::Nic* nic_of(const effective::EffectiveDataplane& shoot) {
  const provider::Machines& machines = provider::profile_of(shoot.provider).machines;
  return machines.virtio ? nullptr : provider::find_nic(machines.nic);
}

constexpr std::int64_t kBitsPerMbit = 1'000'000;

/// Text that says why a figure of the machine is assumed: "machine type c9.large: its cores are not
/// known to Overlane".
std::string unknown(std::string_view figure, const effective::NodeMachine& node) {
  if (node.type.empty()) return fmt::format("no document gives the machine's {}", figure);
  if (node.published)
    return fmt::format("machine type {}: no document gives its {}", node.type, figure);
  return fmt::format("machine type {}: its {} {} not known to Overlane", node.type, figure,
                     figure == "NIC" ? "is" : "are");
}

/// "machine type m5.large (getmoto/moto …: EC2 API DescribeInstanceTypes, 2026-08-02)".
std::string published(const effective::NodeMachine& node) {
  const provider::MachineTable& table = *node.published->table;
  return fmt::format("machine type {} ({}, {})", node.type, table.source.text(),
                     table.source.date());
}

/// The range of a published figure. The machines of other worker pools may have another value.
std::string other_pools(const effective::NodeMachine& node) {
  if (node.other_types.empty()) return "";
  return fmt::format("that of {} in other worker pools", fmt::join(node.other_types, ", "));
}

/// The published network figures of the machine type. Null if they do not apply: a Topology that
/// gives the NIC describes the network of its machines itself.
const provider::MachineType* published_network(const spec::MachineSpec& asked,
                                               const effective::NodeMachine& node) {
  if (asked.nic || !node.published || node.published->type.baseline_mbps == 0) return nullptr;
  return &node.published->type;
}

void choose_nic_rate(const spec::MachineSpec& asked, const effective::NodeMachine& node,
                     host::Machine& machine, Assumptions& assumptions) {
  if (asked.nic) {
    machine.nic_rate = *asked.nic;
  } else if (const provider::MachineType* type = published_network(asked, node)) {
    machine.nic_rate = BitsPerSecond{type->burst_mbps * kBitsPerMbit};
    assumptions.add("machine.nic", effective::mbps_text(type->burst_mbps), other_pools(node),
                    published(node), "published");
  } else {
    assumptions.add("machine.nic", "10 Gbit/s", "1 to 200 Gbit/s", unknown("NIC", node), "default");
  }
}

void choose_queues(const spec::MachineSpec& asked, cost::Wire wire,
                   const effective::NodeMachine& node, host::Machine& machine,
                   Assumptions& assumptions) {
  if (asked.queues) {
    machine.nic_queues = *asked.queues;
    return;
  }
  const provider::MachineType* type = published_network(asked, node);
  // If the number of queues is not limited, each core has a queue.
  if (wire == cost::Wire::Virtio || type == nullptr || type->queues == 0 ||
      type->queues >= machine.cores)
    return;
  machine.nic_queues = type->queues;
  assumptions.add("machine.queues", std::to_string(type->queues), "what ethtool -l shows",
                  published(node), "published");
}

void describe_nic(const spec::MachineSpec& asked, cost::Wire wire,
                  const effective::EffectiveDataplane& shoot, host::Machine& machine,
                  Assumptions& assumptions) {
  choose_nic_rate(asked, shoot.machine, machine, assumptions);
  const bool virtio = wire == cost::Wire::Virtio;
  const provider::Nic* nic = virtio ? nullptr : nic_of(shoot);
  if (virtio)
    describe_virtio(asked, machine, assumptions);
  else
    assume_offloads(machine, nic, assumptions);
  choose_tunnel_rss(asked, nic, machine);
  choose_queues(asked, wire, shoot.machine, machine, assumptions);
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

void choose_cores(const spec::MachineSpec& asked, const effective::NodeMachine& node,
                  host::Machine& machine, Assumptions& assumptions) {
  if (asked.cores) {
    machine.cores = *asked.cores;
  } else if (node.cores) {
    machine.cores = *node.cores;
    if (!node.cores_by_profile)
      assumptions.add("machine.cores", std::to_string(machine.cores), other_pools(node),
                      published(node), "published");
  } else {
    assumptions.add("machine.cores", std::to_string(machine.cores), "1 to 128",
                    unknown("cores", node), "default");
  }
}

/// Sets the threads per core. The published figure applies only to the published number of cores. A
/// Topology that gives the cores describes the processor itself.
void choose_threads(const spec::MachineSpec& asked, const effective::NodeMachine& node,
                    host::Machine& machine, Assumptions& assumptions) {
  const provider::MachineType* type = node.published ? &node.published->type : nullptr;
  if (asked.threads_per_core) {
    machine.threads_per_core = *asked.threads_per_core;
  } else if (!asked.cores && type != nullptr && type->threads_per_core != 0 &&
             machine.cores == type->cores) {
    machine.threads_per_core = type->threads_per_core;
    assumptions.add("machine.threads_per_core", std::to_string(machine.threads_per_core), "",
                    published(node), "published");
  } else {
    assumptions.add("machine.threads_per_core", std::to_string(machine.threads_per_core), "1 or 2",
                    "no document says whether cores are hardware threads", "default");
  }
}

/// Limits the nodes to the bit rate and the packet rate of the machine type. Nodes send at the
/// burst rate, because a run takes less than a second and bursts last for minutes; an overlay costs
/// most at this rate. If the landscape's network-burst is off, nodes send at the sustained rate.
void limit_to_machine_type(const spec::MachineSpec& asked, const effective::NodeMachine& node,
                           const effective::Landscape& landscape, fabric::Limits& limits,
                           Assumptions& assumptions) {
  const provider::MachineType* type = published_network(asked, node);
  if (type == nullptr) return;
  if (type->bursts()) {
    const std::string sustained = effective::mbps_text(type->baseline_mbps) + " sustained";
    const std::string burst = effective::mbps_text(type->burst_mbps) + " while burst credits last";
    if (!landscape.network_burst)
      limits.bandwidth = {BitsPerSecond{type->baseline_mbps * kBitsPerMbit}, Bytes{}};
    assumptions.add("machine.bandwidth", landscape.network_burst ? burst : sustained,
                    landscape.network_burst ? sustained : burst, published(node), "published");
  }
  if (asked.packets || type->packets_per_second == 0) return;
  limits.packets = fabric::PacketAllowance{type->packets_per_second, 1};
  assumptions.add("machine.packets", fmt::format("{} per second", type->packets_per_second), "",
                  published(node), "published");
}

/// Calico turns the checksum offload of its VXLAN device off on these kernels
/// (ChecksumOffloadBroken in felix/environment/feature_detect_linux.go), because they compute wrong
/// checksums.
bool has_broken_checksums(const effective::EffectiveDataplane& shoot, std::string_view kernel) {
  constexpr std::pair kLast(5, 7);
  int major = 0, minor = 0;
  const char* const end = kernel.data() + kernel.size();
  const auto first = std::from_chars(kernel.data(), end, major);
  if (shoot.cni != "calico" || first.ec != std::errc{} || first.ptr == end || *first.ptr != '.')
    return false;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc{}) return false;
  return std::pair(major, minor) <= kLast;
}

}  // namespace

cost::Wire default_wire(const effective::EffectiveDataplane& shoot, Assumptions& assumptions) {
  if (!provider::profile_of(shoot.provider).machines.virtio) return cost::Wire::Nic;
  assumptions.add("wire", "virtio", "virtio, nic (SR-IOV)",
                  "the hypervisor's vhost threads carry packets of driver virtio_net", "default");
  return cost::Wire::Virtio;
}

host::Machine machine(const spec::ShootSpec& topology_shoot, cost::Wire wire,
                      const effective::EffectiveDataplane& shoot, Assumptions& assumptions) {
  const spec::MachineSpec& asked = topology_shoot.machine;
  host::Machine machine = host::usual_machine(wire);
  const bool is_given = std::ranges::find(asked.offloads, &cost::Offloads::tunnel_checksum,
                                          &spec::OffloadSwitch::which) != asked.offloads.end();
  if (!is_given && has_broken_checksums(shoot, topology_shoot.kernel)) {
    machine.offloads.tunnel_checksum = false;
    assumptions.add("machine.offloads.vxlan", "no checksums, no segmentation",
                    "what ethtool -k vxlan.calico shows",
                    "Felix's ChecksumOffloadBroken: kernels up to 5.7", "derived");
  }
  choose_cores(asked, shoot.machine, machine, assumptions);
  choose_threads(asked, shoot.machine, machine, assumptions);
  machine.rps = asked.rps.value_or(machine.rps);
  if (wire != cost::Wire::Veth) {
    describe_nic(asked, wire, shoot, machine, assumptions);
  } else {
    machine.nic_rate = host::kLocalRate;  // A limit only if CPU work takes no time.
    spec::apply(asked.offloads, machine.offloads);
  }
  return machine;
}

fabric::Limits limits(const spec::VpcSpec& vpc, const spec::ShootSpec& shoot,
                      const host::Machine& machine, const effective::EffectiveDataplane& effective,
                      const effective::Landscape& landscape, Assumptions& assumptions) {
  fabric::Limits limits;
  if (shoot.wire == cost::Wire::Veth) return limits;
  const spec::MachineSpec& asked = shoot.machine;
  const provider::Machines& usual = provider::profile_of(effective.provider).machines;
  if (vpc.single_flow != spec::RateOrNone{}) {
    limits.single_flow = vpc.single_flow.rate;
  } else if (landscape.single_flow_cap) {
    if (*landscape.single_flow_cap > 0)
      limits.single_flow = BitsPerSecond{*landscape.single_flow_cap * std::int64_t{1'000'000}};
  } else if (usual.single_flow) {
    limits.single_flow = BitsPerSecond{static_cast<std::int64_t>(*usual.single_flow)};
    assumptions.add("fabric.single_flow",
                    fmt::format("{} Gbit/s", limits.single_flow->count / 1'000'000'000),
                    std::string(usual.single_flow_range),
                    std::string(usual.single_flow_source.text()), "default");
  }
  if (asked.bandwidth) {
    const std::int64_t rest = machine.nic_rate.count - asked.bandwidth->baseline.count;
    const WideInteger bytes = WideInteger{std::max<std::int64_t>(rest, 0)} / 8 *
                              asked.bandwidth->burst.count / 1'000'000'000'000;
    limits.bandwidth = {asked.bandwidth->baseline, Bytes{static_cast<std::int64_t>(bytes)}};
  }
  limits.packets = asked.packets;
  limit_to_machine_type(asked, effective.machine, landscape, limits, assumptions);
  return limits;
}

const std::optional<model::Assumption>& AssumedRss::of(
    effective::Encapsulation encapsulation) const {
  static const std::optional<model::Assumption> kNothing;
  switch (encapsulation) {
    case effective::Encapsulation::Ipip:
      return of_ipip;
    case effective::Encapsulation::Vxlan:
    case effective::Encapsulation::Geneve:
      return of_udp_tunnels;
    case effective::Encapsulation::None:
      break;
  }
  return kNothing;
}

AssumedRss assumed_rss(const spec::MachineSpec& asked, cost::Wire wire,
                       const effective::EffectiveDataplane& shoot, const host::Machine& machine) {
  AssumedRss assumed;
  if (wire == cost::Wire::Veth || host::receive_queues(machine) == 1) return assumed;
  const bool virtio = wire == cost::Wire::Virtio;
  const provider::Nic* nic = virtio ? nullptr : nic_of(shoot);
  std::string source = "no document names the NIC, and ethtool does not show it";
  if (virtio) source = "Linux 6.1 drivers/net/tun.c: tun_automq_select_queue";
  if (nic != nullptr) source = nic->rss_source.text();
  const bool inner = machine.ipip_rss == host::TunnelRss::Inner;
  if (!asked.ipip_rss)
    assumed.of_ipip = {
        .parameter = "machine.ipip_rss",
        .value = inner ? "inner header" : "outer header: flows between two nodes share a core",
        .range = inner ? "outer header" : "inner header",
        .source = source,
        .tag = "default"};
  if (!asked.udp_rss && machine.udp_tunnel_rss == host::TunnelRss::Outer)
    assumed.of_udp_tunnels = {
        .parameter = "machine.udp4_rss",
        .value = "addresses and ports",
        .range = "addresses only: flows between two nodes share a core",
        .source = "what ethtool -n eth0 rx-flow-hash udp4 shows" +
                  (nic == nullptr ? std::string() : fmt::format(" with driver {}", nic->driver)),
        .tag = "default"};
  return assumed;
}

std::optional<model::NodeMachine> machine_facts(const spec::MachineSpec& asked, cost::Wire wire,
                                                const effective::NodeMachine& node,
                                                const host::Machine& machine,
                                                const fabric::Limits& limits) {
  if (wire == cost::Wire::Veth) return std::nullopt;
  using model::FigureSource;
  model::NodeMachine facts{
      .type = node.type, .cores = machine.cores, .nic_bps = machine.nic_rate.count};
  if (asked.cores)
    facts.cores_from = FigureSource::Topology;
  else if (node.cores)
    facts.cores_from = node.cores_by_profile ? FigureSource::CloudProfile : FigureSource::Published;
  if (asked.nic)
    facts.nic_from = FigureSource::Topology;
  else if (published_network(asked, node) != nullptr)
    facts.nic_from = FigureSource::Published;
  const provider::MachineType* type = published_network(asked, node);
  if (type != nullptr && type->bursts()) facts.sustained_bps = type->baseline_mbps * kBitsPerMbit;
  facts.sends_at_sustained_rate = limits.bandwidth && limits.bandwidth->credits == Bytes{};
  return facts;
}

}  // namespace overlane::runner
