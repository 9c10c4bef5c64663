#include "dataplane/rebuild/held_bytes.h"

#include <algorithm>
#include <utility>

#include "dataplane/rebuild/layout.h"

namespace overlane::rebuild {

void HeldBytes::hold(const node::ReassemblyKey& key, std::span<const std::uint8_t> fragment) {
  const Layout layout = layout_of(fragment);
  std::size_t data = fragment.size() - layout.data_at;
  if (layout.more_fragments) data -= data % 8;
  Piece piece{.offset = layout.fragment_offset, .header_bytes = layout.data_at};
  if (!spares_.empty()) {
    piece.bytes = std::move(spares_.back());
    spares_.pop_back();
  }
  const auto kept = fragment.first(layout.data_at + data);
  piece.bytes.assign(kept.begin(), kept.end());
  Pieces& pieces = held_[key];
  pieces.insert(std::ranges::upper_bound(pieces, piece.offset, {}, &Piece::offset),
                std::move(piece));
  ++pieces_;
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
  for (const Piece& piece : held_.at(key))
    to.append(std::span(piece.bytes).subspan(piece.header_bytes));
}

void HeldBytes::forget(const node::ReassemblyKey& key) {
  const auto at = held_.find(key);
  if (at == held_.end()) return;
  pieces_ -= at->second.size();
  for (Piece& piece : at->second)
    if (spares_.size() < kSpares) spares_.push_back(std::move(piece.bytes));
  held_.erase(at);
}

}  // namespace overlane::rebuild
