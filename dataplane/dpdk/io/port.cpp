#include "dataplane/dpdk/io/port.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_log.h>
#include <rte_mbuf.h>

#include <fmt/format.h>

#include "dataplane/adjacency/fast_parse.h"
#include "dataplane/dpdk/io/eal.h"

namespace overlane::dpdk {
namespace {

/// Buffers cached per core, so that a core rarely accesses the pool's lock-free ring.
constexpr unsigned kCoreCache = 256;
/// rte_mbuf has 16-bit lengths.
constexpr std::uint32_t kMaxFrameBytes = UINT16_MAX - RTE_PKTMBUF_HEADROOM;

/// Every link carries IPv4 packets of this size (RFC 791, section 3.2).
constexpr std::uint32_t kMinMtu = 68;
/// Descriptors per queue, the default of testpmd.
constexpr std::uint16_t kDescriptors = 512;
constexpr auto kAnySocket = static_cast<unsigned>(SOCKET_ID_ANY);

/// The largest MTU that a device reports. Some drivers report only a frame length, which may
/// include the FCS (eth_dev_get_overhead_len, lib/ethdev/rte_ethdev.c).
std::uint32_t most_mtu(const rte_eth_dev_info& info) {
  constexpr std::uint32_t kOverhead = RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
  return std::min<std::uint32_t>(info.max_mtu, info.max_rx_pktlen - kOverhead);
}

/// The queues that a device can have, or an error. The queues of a tap are file descriptors that
/// both receive and send (tap_dev_configure, drivers/net/tap). The queues of a packet socket are
/// sockets, and Linux distributes packets to all of them as soon as they exist (PACKET_FANOUT,
/// drivers/net/af_packet).
Parsed<Queues> queues_of(Queues wanted, const rte_eth_dev_info& info) {
  const std::string_view driver = info.driver_name;
  if (driver == "net_tap" || driver == "net_af_packet") {
    wanted.receive = wanted.send = std::max(wanted.receive, wanted.send);
  }
  if (driver == "net_af_packet" && info.max_rx_queues != wanted.receive) {
    return fail(fmt::format("{} cores want a queue each; it has {} (qpairs={})", wanted.receive,
                            info.max_rx_queues, wanted.receive));
  }
  if (wanted.receive > info.max_rx_queues || wanted.send > info.max_tx_queues) {
    return fail(fmt::format("{} receive and {} send queues are wanted; it has {} and {}",
                            wanted.receive, wanted.send, info.max_rx_queues, info.max_tx_queues));
  }
  return wanted;
}

/// All receive queues share the buffers of the pool.
int set_up(std::uint16_t id, const Queues& queues, const PacketPool& pool) {
  int error = 0;
  for (std::uint16_t i = 0; i < queues.receive && error == 0; ++i)
    error = rte_eth_rx_queue_setup(id, i, kDescriptors, kAnySocket, nullptr, pool.get());
  for (std::uint16_t i = 0; i < queues.send && error == 0; ++i)
    error = rte_eth_tx_queue_setup(id, i, kDescriptors, kAnySocket, nullptr);
  return error;
}

rte_eth_conf configuration(const Queues& queues, std::uint32_t mtu, const rte_eth_dev_info& info) {
  rte_eth_conf conf{};
  conf.rxmode.mtu = mtu;
  // Allows the driver to free a burst of packets together, if it can.
  conf.txmode.offloads = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
  if (queues.receive > 1) {
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    conf.rx_adv_conf.rss_conf.rss_hf =
        info.flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP);
  }
  return conf;
}

/// Starts a device and hides one misleading log message: net_tap notifies secondary processes of
/// its queues at each start and logs an error because there can be none (tap_mp_req_on_rxtx,
/// drivers/net/tap; rte_mp_sendmsg returns ENOTSUP without shared files). Real start errors are in
/// the return value.
int start_device(std::uint16_t id) {
  const int tap = rte_log_register("pmd.net.tap");
  const int level = rte_log_get_level(static_cast<std::uint32_t>(tap));
  rte_log_set_level(static_cast<std::uint32_t>(tap), RTE_LOG_CRIT);
  const int error = rte_eth_dev_start(id);
  rte_log_set_level(static_cast<std::uint32_t>(tap), static_cast<std::uint32_t>(level));
  return error;
}

constexpr unsigned kRingSlots = 1024;

rte_ring* new_ring(const std::string& name) {
  return rte_ring_create(name.c_str(), kRingSlots, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

}  // namespace

Parsed<PacketPool> PacketPool::make(std::uint32_t buffers, std::uint32_t frame_bytes) {
  static_assert(RTE_PKTMBUF_HEADROOM >= adjacency::kHeadroom);
  static std::atomic<unsigned> made = 0;
  if (frame_bytes > kMaxFrameBytes) {
    return fail(fmt::format("frames of {} bytes; a buffer holds {}", frame_bytes, kMaxFrameBytes));
  }
  const auto room = static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + frame_bytes);
  const std::string name = fmt::format("packets-{}", made++);
  rte_mempool* pool =
      rte_pktmbuf_pool_create(name.c_str(), buffers, kCoreCache, 0, room, SOCKET_ID_ANY);
  if (pool == nullptr) {
    return fail(dpdk_error(
        fmt::format("no memory for {} packets of {} bytes", buffers, frame_bytes), rte_errno));
  }
  return PacketPool(pool);
}

std::uint32_t PacketPool::in_use() const {
  return rte_mempool_in_use_count(pool_.get());
}

void PacketPool::Free::operator()(rte_mempool* pool) const {
  rte_mempool_free(pool);
}

Parsed<Port> Port::start(const std::string& device, const Queues& wanted, std::uint32_t mtu,
                         const PacketPool& pool) {
  auto interface = InterfaceClaim::of(device);
  if (!interface) return fail(interface.error());
  std::uint16_t id = 0;
  if (rte_eth_dev_get_port_by_name(port_name(device).c_str(), &id) != 0) {
    return fail(fmt::format("there is no port \"{}\"", port_name(device)));
  }
  const auto failed = [&](const char* what, int error) {
    return fail(dpdk_error(fmt::format("port {}: {}", device, what), error));
  };
  rte_eth_dev_info info{};
  if (const int error = rte_eth_dev_info_get(id, &info)) return failed("no information", error);
  const std::uint32_t least = std::max<std::uint32_t>(info.min_mtu, kMinMtu);
  if (mtu < least || mtu > most_mtu(info)) {
    return fail(fmt::format("port {}: an MTU of {}; it takes {} to {}", device, mtu, least,
                            most_mtu(info)));
  }
  const auto queues = queues_of(wanted, info);
  if (!queues) return fail(fmt::format("port {}: {}", device, queues.error()));
  const rte_eth_conf conf = configuration(*queues, mtu, info);
  if (const int error = rte_eth_dev_configure(id, queues->receive, queues->send, &conf)) {
    return failed("cannot be configured", error);
  }
  if (const int error = set_up(id, *queues, pool)) return failed("no queue", error);
  // Some drivers set the MTU of the Linux interface only by this call; some do not support it.
  const int unset = rte_eth_dev_set_mtu(id, static_cast<std::uint16_t>(mtu));
  if (unset != 0 && unset != -ENOTSUP) return failed("cannot have that MTU", unset);
  if (const int error = start_device(id)) return failed("does not start", error);
  // Neighbour solicitations are multicast. Virtual devices receive all groups anyway.
  rte_eth_allmulticast_enable(id);
  return Port(id, device, *queues, mtu, std::move(*interface));
}

Port::Port(Port&& other) noexcept
    : id_(other.id_),
      device_(std::move(other.device_)),
      queues_(other.queues_),
      mtu_(other.mtu_),
      interface_(std::move(other.interface_)),
      started_(std::exchange(other.started_, false)) {}

Port::~Port() {
  if (!started_) return;
  rte_eth_dev_stop(id_);
  rte_eth_dev_close(id_);
}

MacAddress Port::mac() const {
  rte_ether_addr address{};
  rte_eth_macaddr_get(id_, &address);
  MacAddress mac;
  std::ranges::copy(address.addr_bytes, mac.bytes.begin());
  return mac;
}

PortCounters Port::counters() const {
  rte_eth_stats stats{};
  rte_eth_stats_get(id_, &stats);
  return {.received = stats.ipackets,
          .sent = stats.opackets,
          .missed = stats.imissed + stats.rx_nombuf,
          .errors = stats.ierrors + stats.oerrors};
}

bool Port::is_there() const {
  return rte_eth_dev_is_removed(id_) == 0 && (!interface_ || interface_->is_there());
}

Parsed<RingWire> RingWire::make(const std::string& name, const PacketPool& pool,
                                const Queues& queues) {
  std::vector<Ring> to_port;
  std::vector<Ring> from_port;
  for (std::uint16_t i = 0; i < queues.receive; ++i)
    to_port.emplace_back(new_ring(fmt::format("{}-in{}", name, i)));
  for (std::uint16_t i = 0; i < queues.send; ++i)
    from_port.emplace_back(new_ring(fmt::format("{}-out{}", name, i)));
  std::vector<rte_ring*> in;
  std::vector<rte_ring*> out;
  for (const Ring& ring : to_port)
    in.push_back(ring.get());
  for (const Ring& ring : from_port)
    out.push_back(ring.get());
  if (std::ranges::count(in, nullptr) + std::ranges::count(out, nullptr) != 0) {
    return fail(dpdk_error("ring " + name, rte_errno));
  }
  if (rte_eth_from_rings(name.c_str(), in.data(), queues.receive, out.data(), queues.send, 0) < 0) {
    return fail(dpdk_error("port net_ring_" + name, rte_errno));
  }
  return RingWire("net_ring_" + name, pool, std::move(to_port), std::move(from_port));
}

bool RingWire::put(std::span<const std::uint8_t> frame, std::uint16_t queue) {
  rte_mbuf* packet = rte_pktmbuf_alloc(pool_->get());
  if (packet == nullptr) return false;
  char* to = rte_pktmbuf_append(packet, static_cast<std::uint16_t>(frame.size()));
  if (to != nullptr && frame.size() <= UINT16_MAX) {
    std::memcpy(to, frame.data(), frame.size());
    if (rte_ring_enqueue(to_port_.at(queue).get(), packet) == 0) return true;
  }
  rte_pktmbuf_free(packet);
  return false;
}

std::size_t RingWire::put_burst(std::span<rte_mbuf* const> packets, std::uint16_t queue) {
  return rte_ring_enqueue_burst(to_port_.at(queue).get(),
                                reinterpret_cast<void* const*>(packets.data()),
                                static_cast<unsigned>(packets.size()), nullptr);
}

std::size_t RingWire::take_burst(std::span<rte_mbuf*> packets, std::uint16_t queue) {
  return rte_ring_dequeue_burst(from_port_.at(queue).get(),
                                reinterpret_cast<void**>(packets.data()),
                                static_cast<unsigned>(packets.size()), nullptr);
}

std::vector<std::vector<std::uint8_t>> RingWire::take() {
  std::vector<std::vector<std::uint8_t>> frames;
  for (const Ring& ring : from_port_) {
    void* object = nullptr;
    while (rte_ring_dequeue(ring.get(), &object) == 0) {
      auto* packet = static_cast<rte_mbuf*>(object);
      const auto* at = rte_pktmbuf_mtod(packet, const std::uint8_t*);
      frames.emplace_back(at, at + packet->data_len);
      rte_pktmbuf_free(packet);
    }
  }
  return frames;
}

void RingWire::Free::operator()(rte_ring* ring) const {
  rte_ring_free(ring);
}

}  // namespace overlane::dpdk
