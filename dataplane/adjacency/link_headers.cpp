#include "dataplane/adjacency/link_headers.h"

namespace overlane::adjacency {

NeighbourHeaders::Slot& NeighbourHeaders::slot_of(const IpAddress& address) {
  std::size_t at = place(address.high, address.low);
  const auto is_of = [&](const Slot& slot) {
    return slot.high.load(std::memory_order_relaxed) == address.high &&
           slot.low.load(std::memory_order_relaxed) == address.low;
  };
  while (slots_[at].high.load(std::memory_order_relaxed) != 0 && !is_of(slots_[at]))
    at = (at + 1) % slots_.size();
  return slots_[at];
}

void NeighbourHeaders::set(const IpAddress& address, const MacAddress& destination,
                           const MacAddress& source) {
  if (slots_.empty() || address.high == 0) return;
  Slot& slot = slot_of(address);
  const bool is_new = slot.high.load(std::memory_order_relaxed) == 0;
  if (is_new && used_ == kMax) return;
  slot.header.set(destination, source);
  if (!is_new) return;
  ++used_;
  slot.low.store(address.low, std::memory_order_relaxed);
  slot.high.store(address.high, std::memory_order_release);
}

void NeighbourHeaders::forget(const IpAddress& address) {
  if (!slots_.empty() && address.high != 0) slot_of(address).header.forget();
}

void NeighbourHeaders::forget_all() {
  for (Slot& slot : slots_)
    slot.header.forget();
}

}  // namespace overlane::adjacency
