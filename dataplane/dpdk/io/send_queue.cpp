#include "dataplane/dpdk/io/send_queue.h"

#include <rte_ethdev.h>

namespace overlane::dpdk {

bool SendQueue::send(rte_mbuf* packet) {
  const bool taken = send_uncounted(packet);
  sent_ += taken ? 1 : 0;
  refused_ += taken ? 0 : 1;
  return taken;
}

bool SendQueue::send_uncounted(rte_mbuf* message) {
  flush();
  const bool taken = rte_eth_tx_burst(port_.id(), queue_, &message, 1) == 1;
  if (!taken) rte_pktmbuf_free(message);
  return taken;
}

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
