#include "dataplane/dpdk/send_queue.h"

#include <rte_ethdev.h>

namespace overlane::dpdk {

void SendQueue::flush() {
  if (count_ == 0) return;
  const std::size_t taken =
      rte_eth_tx_burst(port_.id(), queue_, packets_.data(), static_cast<std::uint16_t>(count_));
  if (taken < count_) {
    rte_pktmbuf_free_bulk(packets_.data() + taken, static_cast<unsigned>(count_ - taken));
  }
  sent_ += taken;
  refused_ += count_ - taken;
  count_ = 0;
}

}  // namespace overlane::dpdk
