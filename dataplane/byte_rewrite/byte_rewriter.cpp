#include "dataplane/byte_rewrite/byte_rewriter.h"

#include <algorithm>
#include <utility>

#include "dataplane/byte_rewrite/rewrite_steps.h"
#include "dataplane/forward/read_packet.h"

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
  // The next header field of the fragment header.
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

namespace {

using forward::Packet;

/// Returns the descriptor of a tunnel packet for a node that does not decapsulate it.
Packet as_bare(const Packet& packet) {
  return {.inner = packet.outer,
          .source_port = packet.outer_source_port,
          .destination_port = packet.outer_destination_port,
          .transport_fault = packet.udp_fault.has_value()};
}

}  // namespace

void ByteRewriter::begin(std::span<const std::uint8_t> packet) {
  buffers_.paths[0].whole.assign(packet);
}

void ByteRewriter::begin_lost(std::span<const std::uint8_t> first) {
  begin(first);
  is_lost_ = true;
}

PacketBuffer& ByteRewriter::of(const Packet& packet) {
  const bool is_outer = packet.is_encapsulated() && is_wrapped_[answering_ ? 1 : 0];
  return is_outer ? path().wrapped : path().whole;
}

std::optional<Drop> ByteRewriter::encapsulated(const Packet& wrapped,
                                               const forward::Wrapping& wrapping) {
  bool& is_wrapped = is_wrapped_[answering_ ? 1 : 0];
  is_wrapped = false;
  const auto inner = fragment(path().whole.bytes(), wrapped.inner, buffers_.fragment);
  if (inner.empty()) return Drop::Malformed;
  path().wrapped.assign(inner);
  const auto refused = wrap(wrapped, wrapping, path().wrapped);
  is_wrapped = !refused;
  return refused;
}

void ByteRewriter::decapsulated(const Packet& packet, const node::Device& device,
                                const node::TunnelGuard*) {
  const auto popped = forward::pop(packet.encapsulation, path().whole.bytes(), &device);
  if (!popped) return fail(popped.error());
  path().whole.narrow(popped->inner);
  unwrapped_ = true;
}

void ByteRewriter::held(const Packet&, const node::ReassemblyKey& key) {
  held_.hold(key, path().whole.bytes());
}

void ByteRewriter::reassembled(Packet& packet, const node::ReassemblyKey& key) {
  PacketBuffer& whole = path().whole;
  const std::size_t before = held_.fragments();
  held_.hold(key, whole.bytes());
  held_.join(key, whole);
  held_.forget(key);
  joined_ += before - held_.fragments();
  if (whole.bytes().size() != packet.outermost().total_length) return fail(Drop::Malformed);
  make_whole(whole.bytes(), packet.outermost());
  auto read = forward::read_packet(state_, whole.bytes());
  if (!read) return fail(read.error());
  if (unwrapped_ && read->is_encapsulated()) read = as_bare(*read);
  read->outermost().option_bytes = packet.outermost().option_bytes;
  packet = *read;
}

void ByteRewriter::translated(const Packet&, const Packet& after, const forward::Translation&) {
  translate(of(after).bytes(), after);
}

void ByteRewriter::answered(const Packet& error, const Packet& cause) {
  std::span<std::uint8_t> quote = path().whole.bytes();
  if (!is_lost_) quote = fragment(quote, cause.outermost(), buffers_.fragment);
  answering_ = true;
  is_wrapped_[1] = false;
  faults_[1].reset();
  if (quote.empty()) return fail(Drop::Malformed);
  write_error(error, quote, path().whole);
}

void ByteRewriter::emitted(forward::Egress egress, const Packet& packet, IpAddress next_hop) {
  if (faults_[answering_ ? 1 : 0]) return;
  const auto bytes = fragment(of(packet).bytes(), packet.outermost(), buffers_.fragment);
  if (bytes.empty()) return fail(Drop::Malformed);
  receiver_({egress, next_hop, answering_, bytes});
}

}  // namespace overlane::byte_rewrite
