#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "dataplane/encap/encapsulation.h"
#include "sim/cost/cost_profile.h"

namespace overlane::cost {

// The cost of a packet's path through a node: PathCosts adds up the stages of a CostProfile for
// each combination of ends (NIC, pod, node), encapsulations and family once, when a run begins, so
// that the engine only looks up a PathCost per packet. Immutable after construction: any thread may
// read it.

/// Index of a path through a node.
using PathId = std::uint8_t;

/// An end of a packet's path through a node: the NIC, a pod, or one of the node's own sockets.
enum class Side : std::uint8_t { Nic, Pod, Node };

/// The position of a packet in its socket buffer and burst, which decides its share of the costs.
enum class Arrival : std::uint8_t {
  Alone,         ///< A datagram, a message, or the first packet of a socket buffer.
  InBurst,       ///< A buffer directly after another one of its stream or of a NIC's poll.
  SharesBuffer,  ///< In one socket buffer with the packet before it.
};

/// Cost of a buffer that follows another one directly, in percent of the cost of a lone buffer:
/// code and tables are in the processor's caches, and one softirq handles both. 72 was chosen from
/// 66, 72, 80 and 100, since it fits streams without GSO, datagrams and requests together, between
/// namespaces of machines with Linux 6.18 (table-namespaces, table-namespaces-vm): no fitted row is
/// off by more than 4 %; with 66 up to 9 %, with 80 up to 5 %, with 100 up to 7 %.
inline constexpr std::int64_t kBurstPercent = 72;

/// CPU time of a path: for the first packet of a socket buffer, for each further packet of the
/// buffer, and for each byte.
struct PathCost {
  Picos first;
  Picos further;
  Picos per_byte;
  Picos per_datagram;  ///< Extra cost of a UDP datagram, which has no room for outer headers.
  /// The path ends at WireGuard: crypt() and then seal() or open() follow.
  bool is_sealed = false;
  /// Every packet is a buffer of its own from the socket on: the pod's device has no GSO.
  bool is_cut = false;

  Picos of(std::int64_t bytes, Arrival arrival = Arrival::Alone) const {
    return per_packet(arrival) + per_byte * bytes;
  }
  Picos per_packet(Arrival arrival) const {
    switch (arrival) {
      case Arrival::Alone:
        break;
      case Arrival::InBurst:
        return {first.count * kBurstPercent / 100};
      case Arrival::SharesBuffer:
        return further;
    }
    return first;
  }
  auto operator<=>(const PathCost&) const = default;
};

/// Maximum cost of switching to an application on a core that is not idle. A wake-up cost of a
/// profile beyond it is the time that an idle core needs to leave its sleep state (in a virtual
/// machine, through the hypervisor: 20 µs). It is above the 0.9 to 1.8 µs in profiles of servers
/// that hardly sleep.
inline constexpr Picos kContextSwitch = microseconds(2);

/// Whether the NIC, not the kernel, segments buffers that leave a node in `out`.
bool nic_segments(const Offloads& offloads, Encapsulation out);

/// The costs of a profile, summed up along each path through a node.
class PathCosts {
 public:
  PathCosts(const CostProfile& profile, Datapath datapath, const Offloads& offloads,
            Wire wire = Wire::Nic);

  /// `family` is that of the inner packet. A packet that stays on the node counts as pod to pod.
  static constexpr PathId path(Side from, Side to, Encapsulation in, Encapsulation out,
                               Family family = Family::Ipv4) {
    std::size_t way = kLocal;
    if (from == Side::Nic && to == Side::Nic) {
      way = kTransit + index(in) * kCount + index(out);
    } else if (to == Side::Nic) {
      way = (from == Side::Pod ? kSend : kNodeSend) + index(out);
    } else if (from == Side::Nic) {
      way = (to == Side::Pod ? kReceive : kNodeReceive) + index(in);
    }
    return static_cast<PathId>((family == Family::Ipv4 ? 0 : kPaths) + way);
  }
  const PathCost& operator[](PathId path) const { return paths_[path]; }

  /// Cost from the socket of a local pod, or of the node itself, to the NIC.
  const PathCost& send(Encapsulation out, Side from = Side::Pod) const {
    return at(from, Side::Nic, out, out);
  }
  /// Cost from the NIC to a local pod's veth, or to the node's own sockets.
  const PathCost& receive(Encapsulation in, Side to = Side::Pod) const {
    return at(Side::Nic, to, in, in);
  }
  /// Cost from NIC to NIC, also for packets that the node itself originates.
  const PathCost& transit(Encapsulation in, Encapsulation out) const {
    return at(Side::Nic, Side::Nic, in, out);
  }
  /// Cost from a local pod's socket to another local pod's veth.
  const PathCost& local() const { return paths_[kLocal]; }
  /// The part of receive() and transit() that runs on the polling core.
  const PathCost& poll() const { return poll_; }
  /// Virtio: cost of a buffer in one of the hypervisor's threads, out of a guest or into one.
  const PathCost& vhost() const { return vhost_; }
  /// WireGuard: cost of encrypting or decrypting one packet, on the core whose turn it is.
  const PathCost& crypt() const { return crypt_; }
  /// WireGuard: cost of the rest of the path to the NIC, per packet, on the core that keeps the
  /// order.
  const PathCost& seal() const { return seal_; }
  /// WireGuard: cost of the rest of the path to a local pod's veth, or to the node's own sockets.
  const PathCost& open(Family family, Side to = Side::Pod) const {
    return open_[static_cast<std::size_t>(family)][to == Side::Node ? 1 : 0];
  }
  /// Cost of passing a buffer to another core (RPS).
  Picos steer() const { return steer_; }
  /// Cost per byte of copying out of a socket's queue, on the application's core.
  Picos copy_receive() const { return copy_receive_; }

  /// Costs on the client's node: for a new connection to the Service at position `rank` (from 0) in
  /// kube-proxy's order, and for each of its packets (translation()).
  Picos new_connection(ServiceRouting routing, std::uint32_t rank) const;
  Picos translation(ServiceRouting routing) const {
    return routing == ServiceRouting::Ebpf ? Picos{} : service_nat_;
  }

  /// Cost of opening a connection for one request or transfer, at each endpoint.
  Picos connection() const { return connection_; }
  /// Cost of each system call that sends or receives a datagram, a request or a response.
  Picos system_call() const { return system_call_; }
  Picos interrupt() const { return interrupt_; }
  /// Cost of waking an application on a core that is idle, or busy with other work.
  Picos wake_up(bool core_is_idle = true) const {
    return core_is_idle ? wake_up_ : std::min(wake_up_, kContextSwitch);
  }
  /// Cost of the interrupt that wakes an idle core, on the core that sends it.
  Picos wake_ipi() const { return wake_ipi_; }
  /// Cost of going idle when an application has nothing left to do.
  Picos sleep() const { return sleep_; }

 private:
  static constexpr std::size_t kCount = kEncapsulations.size();
  static constexpr std::size_t kLocal = 0;
  static constexpr std::size_t kSend = 1;
  static constexpr std::size_t kReceive = kSend + kCount;
  static constexpr std::size_t kNodeSend = kReceive + kCount;
  static constexpr std::size_t kNodeReceive = kNodeSend + kCount;
  static constexpr std::size_t kTransit = kNodeReceive + kCount;
  static constexpr std::size_t kPaths = kTransit + kCount * kCount;
  static_assert(2 * kPaths <= 256);
  static constexpr std::size_t index(Encapsulation e) { return static_cast<std::size_t>(e); }
  const PathCost& at(Side from, Side to, Encapsulation in, Encapsulation out) const {
    return paths_[path(from, to, in, out)];
  }

  void sum_up(const CostProfile& profile, Datapath datapath, const Offloads& offloads,
              Family family, Wire wire);

  std::array<PathCost, 2 * kPaths> paths_;  ///< The paths for IPv4, then those for IPv6.
  PathCost poll_;
  PathCost vhost_;
  PathCost crypt_;
  PathCost seal_;
  std::array<std::array<PathCost, 2>, 2> open_;  ///< Per family: to a pod, to the node.
  Picos copy_receive_;
  Picos steer_;
  Picos service_rule_;
  Picos service_ipvs_;
  Picos service_nftables_;
  Picos service_ebpf_;
  Picos service_nat_;
  Picos connection_;
  Picos system_call_;
  Picos interrupt_;
  Picos wake_up_;
  Picos wake_ipi_;
  Picos sleep_;
};

}  // namespace overlane::cost
