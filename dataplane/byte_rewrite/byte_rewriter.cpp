#include "dataplane/byte_rewrite/byte_rewriter.h"

#include "dataplane/byte_rewrite/rewrite_steps.h"
#include "dataplane/forward/read_packet.h"

namespace overlane::byte_rewrite {
namespace {

using forward::Packet;

/// A tunnel packet as it is seen by a node that does not take it apart.
Packet as_bare(const Packet& packet) {
  return {.inner = packet.outer,
          .source_port = packet.outer_source_port,
          .destination_port = packet.outer_destination_port,
          .transport_fault = packet.udp_fault.has_value()};
}

}  // namespace

void ByteRewriter::begin(std::span<const std::uint8_t> packet) {
  buffers_.ways[0].whole.assign(packet);
}

void ByteRewriter::begin_lost(std::span<const std::uint8_t> first) {
  begin(first);
  is_lost_ = true;
}

PacketBuffer& ByteRewriter::of(const Packet& packet) {
  const bool is_outer = packet.is_encapsulated() && is_wrapped_[answering_ ? 1 : 0];
  return is_outer ? way().wrapped : way().whole;
}

std::optional<Drop> ByteRewriter::encapsulated(const Packet& wrapped,
                                               const forward::Wrapping& wrapping) {
  bool& is_wrapped = is_wrapped_[answering_ ? 1 : 0];
  is_wrapped = false;
  const auto inner = fragment(way().whole.bytes(), wrapped.inner, buffers_.fragment);
  if (inner.empty()) return Drop::Malformed;
  way().wrapped.assign(inner);
  const auto refused = wrap(wrapped, wrapping, way().wrapped);
  is_wrapped = !refused;
  return refused;
}

void ByteRewriter::decapsulated(const Packet& packet, const node::Device& device,
                                const node::TunnelGuard*) {
  const auto popped = forward::pop(packet.encapsulation, way().whole.bytes(), &device);
  if (!popped) return fail(popped.error());
  way().whole.narrow(popped->inner);
  unwrapped_ = true;
}

void ByteRewriter::held(const Packet&, const node::ReassemblyKey& key) {
  held_.hold(key, way().whole.bytes());
}

void ByteRewriter::reassembled(Packet& packet, const node::ReassemblyKey& key) {
  PacketBuffer& whole = way().whole;
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
  std::span<std::uint8_t> quote = way().whole.bytes();
  if (!is_lost_) quote = fragment(quote, cause.outermost(), buffers_.fragment);
  answering_ = true;
  is_wrapped_[1] = false;
  faults_[1].reset();
  if (quote.empty()) return fail(Drop::Malformed);
  write_error(error, quote, way().whole);
}

void ByteRewriter::emitted(forward::Egress egress, const Packet& packet, IpAddress next_hop) {
  if (faults_[answering_ ? 1 : 0]) return;
  const auto bytes = fragment(of(packet).bytes(), packet.outermost(), buffers_.fragment);
  if (bytes.empty()) return fail(Drop::Malformed);
  receiver_({egress, next_hop, answering_, bytes});
}

}  // namespace overlane::byte_rewrite
