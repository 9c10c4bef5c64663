#include "dataplane/encap/geneve/push.h"

#include <algorithm>
#include <cassert>

#include "dataplane/encap/inner_ethernet.h"
#include "dataplane/wire/geneve.h"

namespace overlane::geneve {
namespace {

bool any_critical(std::span<const std::uint8_t> bytes) {
  wire::GeneveOptions options(bytes);
  while (const auto option = options.next()) {
    if (option->critical()) return true;
  }
  return false;
}

}  // namespace

Pusher::Pusher(const Tunnel& tunnel)
    : udp_(tunnel.rules.value_or(encap::outer_rules(Encapsulation::Geneve, tunnel.source.family())),
           tunnel.source, tunnel.destination),
      has_ethernet_(!tunnel.inner_proto_inherit) {
  assert(tunnel.options.size() <= kMaxOptionBytes && tunnel.options.size() % 4 == 0);
  const auto option_bytes = static_cast<std::uint32_t>(tunnel.options.size());
  middle_bytes_ = kHeaderBytes + option_bytes + (has_ethernet_ ? kEthernetBytes : 0);
  wire::write(
      wire::GeneveHeader{.critical = any_critical(tunnel.options),
                         .protocol = has_ethernet_ ? wire::kEtherTypeBridging : std::uint16_t{0},
                         .vni = tunnel.vni,
                         .options = tunnel.options},
      fixed_);
  const auto ethernet = fixed_.begin() + kHeaderBytes + option_bytes;
  if (has_ethernet_) {
    std::ranges::copy(tunnel.inner_destination.bytes, ethernet);
    std::ranges::copy(tunnel.inner_source.bytes, ethernet + 6);
  }
  fixed_sum_ = ones_complement_sum(fixed_);
}

Result<std::span<std::uint8_t>, Drop> Pusher::push(std::span<std::uint8_t> buffer, std::size_t room,
                                                   std::uint16_t identification) const {
  assert(room >= headroom() && room <= buffer.size());
  const std::span<std::uint8_t> packet = buffer.subspan(room);
  const auto inner = encap::read_inner(packet);
  const bool whole = inner && inner->length == packet.size();
  if (!whole || !udp_.fits(middle_bytes_ + inner->length)) return fail(Drop::Malformed);
  const std::uint16_t type = encap::ether_type_of(inner->family);
  std::uint8_t* middle = packet.data() - middle_bytes_;
  std::memcpy(middle, fixed_.data(), middle_bytes_);
  store_be16(has_ethernet_ ? packet.data() - 2 : middle + 2, type);
  udp_.write(packet, *inner, {.bytes = middle_bytes_, .sum = fixed_sum_ + type}, identification);
  return buffer.subspan(room - headroom());
}

}  // namespace overlane::geneve
