#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dataplane/net/address.h"
#include "dataplane/net/units.h"

namespace overlane::cost {

// CPU time of the Linux kernel's packet path, as a table: a CostProfile has the cost of each Stage
// of the path (driver, netfilter, encapsulation, …) for one class of hosts. Profiles are files that
// `overlane calibrate` fits to measurements; path_cost.h sums their stages up along the path of a
// packet. The settings that decide which stages a packet passes are here, too: how nodes are
// connected, offloads, datapath and Services. All types are values.

/// The component that translates a Service's address to that of a pod, on the client's node.
enum class ServiceRouting : std::uint8_t {
  Iptables,  ///< kube-proxy: a new connection is compared with one rule after another.
  Ipvs,      ///< kube-proxy: a hash table.
  Nftables,  ///< kube-proxy: a verdict map.
  Ebpf,      ///< Cilium, at connect() in the client's socket: no cost per packet.
};

/// The Services of a cluster.
struct Services {
  ServiceRouting routing = ServiceRouting::Iptables;
  std::uint32_t count = 1;  ///< At least 1.

  auto operator<=>(const Services&) const = default;
};

/// How the nodes of a network are connected.
enum class Wire : std::uint8_t {
  Nic,     ///< Each node is a machine with a NIC.
  Veth,    ///< Nodes are network namespaces of one machine, connected by veth pairs: they share its
           ///< cores, and there is no NIC, interrupt or latency between them.
  Virtio,  ///< Each node is a virtual machine with a virtio NIC whose queues a thread of its
           ///< hypervisor serves (vhost). Buffers pass whole where the guest need not segment them.
};

/// Offloads of a NIC and its driver, and of a node's tunnel device, by the names of `ethtool -k`:
/// with them the stack handles few large buffers instead of many packets. The defaults are those of
/// a server NIC of the last ten years.
struct Offloads {
  /// generic-segmentation-offload: TCP passes up to 64 KiB down the stack as one buffer.
  bool gso = true;
  /// tcp-segmentation-offload: the NIC segments such a buffer; otherwise the kernel does, before
  /// the driver.
  bool tso = true;
  /// tx-ipxip4-segmentation: the same for buffers encapsulated in IPIP.
  bool ipxip4_segmentation = true;
  /// tx-udp_tnl-segmentation: the same for buffers encapsulated in VXLAN or Geneve.
  bool udp_tnl_segmentation = true;
  /// tx-checksum-ip-generic of the VXLAN or Geneve device: it leaves checksums to the NIC. Without
  /// it, the device has no segmentation either (netdev_fix_features, Linux 6.1 net/core/dev.c): the
  /// kernel sums and segments what enters it.
  bool tunnel_checksum = true;
  /// generic-receive-offload: a poll merges the packets of one stream.
  bool gro = true;
  /// A poll merges packets of VXLAN and Geneve though neither sender nor NIC computed a checksum,
  /// as on virtio: Linux 5.12 and stable kernels of March 2021 ("net: Fix gro aggregation for udp
  /// encaps with zero csum"). Earlier kernels merge them behind the tunnel's device, so that each
  /// packet passes it. Other NICs compute a checksum. ethtool does not show this.
  bool zero_checksum_gro = true;

  auto operator<=>(const Offloads&) const = default;
};

/// The default offloads of nodes that are connected by `wire`. A virtio NIC offers TSO for
/// plain TCP only (VIRTIO_NET_F_HOST_TSO4 and _TSO6; Linux 6.1 drivers/net/virtio_net.c sets no
/// hw_enc_features), until VIRTIO_NET_F_HOST_UDP_TUNNEL_GSO (virtio 1.4, Linux 6.17), which needs
/// both kernels and QEMU.
constexpr Offloads usual_offloads(Wire wire) {
  Offloads offloads;
  if (wire == Wire::Virtio) offloads.ipxip4_segmentation = offloads.udp_tnl_segmentation = false;
  return offloads;
}

/// The stages of the kernel's packet path that take CPU time. A packet between two pods passes, on
/// the sending node: system-call (if it is a message of its own), socket-send, the stages of the
/// datapath, encap-*, driver-send; on the receiving node: interrupt, napi-receive, decap-*, the
/// stages of the datapath, socket-receive, wake-ipi; then, on the application's core: wake-up, the
/// bytes of socket-receive, and sleep. With WireGuard, the wireguard-* stages replace encap-* and
/// decap-*. Between driver-send and interrupt of virtual machines is vhost, once on each
/// hypervisor, on a thread of its own.
enum class Stage : std::uint8_t {
  Connection,
  SystemCall,
  SocketSend,
  DriverSend,
  Segment,
  Interrupt,
  NapiReceive,
  Steer,
  WakeUp,
  WakeIpi,
  SocketReceive,
  Sleep,
  PodSleep,
  Veth,
  Netfilter,
  Fib,
  Headroom,
  EncapIpip,
  EncapVxlan,
  DecapIpip,
  DecapVxlan,
  EbpfPass,
  EbpfEncap,
  EbpfDecap,
  WireguardSend,
  WireguardCrypt,
  WireguardReceive,
  ServiceRule,
  ServiceIpvs,
  ServiceNftables,
  ServiceEbpf,
  ServiceNat,
  Vhost,
};

/// Name of a stage in a CostProfile file, and its description.
struct StageFacts {
  Stage stage;
  std::string_view name;
  std::string_view meaning;   ///< One phrase, for tables.
  bool per_occasion = false;  ///< Costs per_skb on each occasion, whatever the number of packets.
  bool is_optional = false;   ///< A CostProfile file may leave it out: then it costs nothing.
};

inline constexpr std::array kStages = {
    StageFacts{Stage::Connection, "connection",
               "opening and closing a connection besides its packets, each end", true},
    StageFacts{Stage::SystemCall, "system-call", "an application's call for one message", true},
    StageFacts{Stage::SocketSend, "socket-send", "copy and transport, sending"},
    StageFacts{Stage::DriverSend, "driver-send", "driver, descriptors and doorbell"},
    StageFacts{Stage::Segment, "segment", "segmentation and checksum where the NIC cannot"},
    StageFacts{Stage::Interrupt, "interrupt", "interrupt and softirq that begin a poll", true},
    StageFacts{Stage::NapiReceive, "napi-receive", "NAPI poll and GRO"},
    StageFacts{Stage::Steer, "steer", "handing a buffer to another core, where RPS is on"},
    StageFacts{Stage::WakeUp, "wake-up", "waking an application that waits on an idle core", true},
    StageFacts{.stage = Stage::WakeIpi,
               .name = "wake-ipi",
               .meaning = "the interrupt that wakes an idle core, on the core that sends it",
               .per_occasion = true,
               .is_optional = true},
    StageFacts{Stage::SocketReceive, "socket-receive", "transport and copy, receiving"},
    StageFacts{Stage::Sleep, "sleep", "from an application with nothing left to do to idle", true},
    StageFacts{Stage::PodSleep, "pod-sleep", "what the same adds in a pod's control groups", true},
    StageFacts{Stage::Veth, "veth", "veth pair, namespace switch and backlog softirq"},
    StageFacts{Stage::Netfilter, "netfilter", "netfilter and conntrack of the host"},
    StageFacts{Stage::Fib, "fib", "route lookup"},
    StageFacts{.stage = Stage::Headroom,
               .name = "headroom",
               .meaning = "a pod's datagram in a tunnel: a new buffer with room for outer headers",
               .per_occasion = true,
               .is_optional = true},
    StageFacts{Stage::EncapIpip, "encap-ipip", "second lookup, outer netfilter, IPIP header"},
    StageFacts{Stage::EncapVxlan, "encap-vxlan", "second lookup, outer netfilter, VXLAN header"},
    StageFacts{Stage::DecapIpip, "decap-ipip", "IPIP header off, second pass of the stack"},
    StageFacts{Stage::DecapVxlan, "decap-vxlan", "VXLAN header off, second pass of the stack"},
    StageFacts{Stage::EbpfPass, "ebpf-pass", "eBPF programs and redirect between pod and NIC"},
    StageFacts{Stage::EbpfEncap, "ebpf-encap", "tunnel header by eBPF programs"},
    StageFacts{Stage::EbpfDecap, "ebpf-decap", "tunnel header off under eBPF programs"},
    StageFacts{Stage::WireguardSend, "wireguard-send",
               "each encrypted packet: its place in order, outer headers and netfilter"},
    StageFacts{Stage::WireguardCrypt, "wireguard-crypt",
               "ChaCha20-Poly1305 of each packet, encrypted or decrypted"},
    StageFacts{Stage::WireguardReceive, "wireguard-receive",
               "each decrypted packet: outer netfilter and UDP, its place in order, GRO"},
    StageFacts{Stage::ServiceRule, "service-rule",
               "each rule of kube-proxy that a new connection is compared with", true},
    StageFacts{Stage::ServiceIpvs, "service-ipvs", "a new connection to a Service, IPVS", true},
    StageFacts{Stage::ServiceNftables, "service-nftables",
               "a new connection to a Service, nftables", true},
    StageFacts{Stage::ServiceEbpf, "service-ebpf", "a new connection to a Service, eBPF", true},
    StageFacts{Stage::ServiceNat, "service-nat", "addresses of a packet to or from a Service"},
    StageFacts{.stage = Stage::Vhost,
               .name = "vhost",
               .meaning = "hypervisor's thread of a virtio queue: tap, bridge and copy",
               .is_optional = true},
};

inline constexpr std::size_t kStageCount = kStages.size();

constexpr std::string_view to_string(Stage stage) {
  return kStages[static_cast<std::size_t>(stage)].name;
}

/// How a node's kernel forwards packets between its pods and its NIC.
enum class Datapath : std::uint8_t {
  Host,       ///< No pods: the sockets are the host's own.
  Netfilter,  ///< veth, netfilter and FIB of the host: Calico; Cilium with legacy host routing.
  Ebpf,       ///< eBPF programs bypass the host's stack: Cilium host routing, Calico eBPF.
};

/// CPU time of one stage: per socket buffer, per packet on the wire, and per byte.
struct StageCost {
  Picos per_skb;
  Picos per_packet;
  Picos per_byte;

  auto operator<=>(const StageCost&) const = default;
};

/// CPU time per packet of the kernel of one class of hosts.
struct CostProfile {
  std::string name;
  std::array<StageCost, kStageCount> stages;
  /// Costs for IPv6 of the stages with separate IPv6 code (ip6tables, fib6_lookup). Empty: as for
  /// IPv4.
  std::optional<StageCost> netfilter_ipv6;
  std::optional<StageCost> fib_ipv6;

  /// Cost of the stage for a packet of `family`.
  const StageCost& of(Stage stage, Family family) const {
    const bool ipv6 = family == Family::Ipv6;
    if (ipv6 && stage == Stage::Netfilter && netfilter_ipv6) return *netfilter_ipv6;
    if (ipv6 && stage == Stage::Fib && fib_ipv6) return *fib_ipv6;
    return (*this)[stage];
  }
  StageCost& operator[](Stage stage) { return stages[static_cast<std::size_t>(stage)]; }
  const StageCost& operator[](Stage stage) const { return stages[static_cast<std::size_t>(stage)]; }
  auto operator<=>(const CostProfile&) const = default;
};

}  // namespace overlane::cost
