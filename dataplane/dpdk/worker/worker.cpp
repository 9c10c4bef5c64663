#include "dataplane/dpdk/worker/worker.h"

#include <rte_ethdev.h>

namespace overlane::dpdk {

std::size_t Worker::receive(const Side& from,
                            std::array<rte_mbuf*, adjacency::kBurst>& packets) const {
  return rte_eth_rx_burst(from.port.id(), queue_, packets.data(), burst_);
}

}  // namespace overlane::dpdk
