#include "dataplane/encap/geneve/push.h"

#include <algorithm>
#include <cassert>

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

}  // namespace overlane::geneve
