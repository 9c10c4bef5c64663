#include "dataplane/byte_rewrite/held_bytes.h"

#include <algorithm>
#include <utility>

#include "dataplane/byte_rewrite/layout.h"

namespace overlane::byte_rewrite {

void HeldBytes::hold(const node::ReassemblyKey& key, std::span<const std::uint8_t> fragment) {
  const Layout layout = layout_of(fragment);
  std::size_t data = fragment.size() - layout.data_at;
  if (layout.more_fragments) data -= data % 8;
  Fragment held{.offset = layout.fragment_offset, .header_bytes = layout.data_at};
  if (!spares_.empty()) {
    held.bytes = std::move(spares_.back());
    spares_.pop_back();
  }
  const auto kept = fragment.first(layout.data_at + data);
  held.bytes.assign(kept.begin(), kept.end());
  Fragments& fragments = held_[key];
  fragments.insert(std::ranges::upper_bound(fragments, held.offset, {}, &Fragment::offset),
                   std::move(held));
  ++fragments_;
}

std::span<const std::uint8_t> HeldBytes::first(const node::ReassemblyKey& key) const {
  const auto at = held_.find(key);
  if (at == held_.end() || at->second.front().offset != 0) return {};
  return at->second.front().bytes;
}

void HeldBytes::join(const node::ReassemblyKey& key, PacketBuffer& to) const {
  to.clear();
  const std::span<const std::uint8_t> head = first(key);
  if (head.empty()) return;
  const Layout layout = layout_of(head);
  to.append(head.first(layout.shared));
  // The fragment header's own number of what follows.
  if (!layout.ipv4) to.bytes()[layout.next_header_at] = head[layout.shared];
  for (const Fragment& fragment : held_.at(key))
    to.append(std::span(fragment.bytes).subspan(fragment.header_bytes));
}

void HeldBytes::forget(const node::ReassemblyKey& key) {
  const auto at = held_.find(key);
  if (at == held_.end()) return;
  fragments_ -= at->second.size();
  for (Fragment& fragment : at->second)
    if (spares_.size() < kSpares) spares_.push_back(std::move(fragment.bytes));
  held_.erase(at);
}

}  // namespace overlane::byte_rewrite
