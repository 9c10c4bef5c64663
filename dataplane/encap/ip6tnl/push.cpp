#include "dataplane/encap/ip6tnl/push.h"

#include <cassert>

#include "dataplane/encap/flow_port.h"
#include "dataplane/wire/ipv6_extension.h"

namespace overlane::ip6tnl {
namespace {

std::optional<std::uint8_t> limit_among(const wire::Ipv6Extension& header) {
  wire::Ipv6Options options(header);
  while (const auto option = options.next()) {
    const bool is_limit = option->type == wire::kTunnelEncapsulationLimit;
    if (is_limit && option->data.size() == 1) return option->data[0];
  }
  return std::nullopt;
}

/// The limit that a packet brings along (ip6_tnl_parse_tlv_enc_lim).
std::optional<std::uint8_t> limit_in(std::span<const std::uint8_t> packet) {
  wire::Ipv6Extensions extensions(packet);
  while (const auto header = extensions.next()) {
    if (header->kind != wire::kDestinationOptions) continue;
    if (const auto limit = limit_among(*header)) return limit;
  }
  return std::nullopt;
}

void write_limit(std::uint8_t* to, std::uint8_t protocol, std::uint8_t limit) {
  const std::uint64_t option = std::uint64_t{protocol} << 56 |
                               std::uint64_t{wire::kTunnelEncapsulationLimit} << 40 |
                               std::uint64_t{1} << 32 | std::uint64_t{limit} << 24;
  constexpr std::uint64_t kPadding = std::uint64_t{wire::kPadN} << 16 | 1 << 8;
  store_be64(to, option | kPadding);
}

bool comes_from(const IpAddress& address, const std::uint8_t* ipv6) {
  return load_be64(ipv6 + 8) == address.high && load_be64(ipv6 + 16) == address.low;
}

}  // namespace

Pusher::Pusher(const Tunnel& tunnel)
    : outer_(tunnel.rules.value_or(encap::outer_rules(Encapsulation::Ip6Tnl, Family::Ipv6)),
             tunnel.source, tunnel.destination),
      far_end_(tunnel.destination),
      limit_(tunnel.limit) {
  assert(outer_.family() == Family::Ipv6);
}

std::uint32_t Pusher::flow_label(std::span<const std::uint8_t> packet, Family family) const {
  if (outer_.rules().flow != encap::FlowField::FlowLabel) return 0;
  return encap::flow_label(encap::inner_flow_hash(packet, family));
}

Result<std::span<std::uint8_t>, Drop> Pusher::push(std::span<std::uint8_t> buffer, std::size_t room,
                                                   std::uint16_t /*identification*/) const {
  assert(room >= headroom() && room <= buffer.size());
  const std::span<std::uint8_t> packet = buffer.subspan(room);
  const auto inner = encap::read_inner(packet);
  if (!inner || inner->length != packet.size()) return fail(Drop::Malformed);
  std::optional<std::uint8_t> limit = limit_;
  if (inner->family == Family::Ipv6) {
    if (comes_from(far_end_, packet.data())) return fail(Drop::TunnelLoop);
    if (const auto carried = limit_in(packet)) {
      if (*carried == 0) return fail(Drop::TunnelLoop);
      limit = static_cast<std::uint8_t>(*carried - 1);
    }
  }
  std::uint8_t protocol = encap::outer_protocol(Encapsulation::Ip6Tnl, inner->family);
  const std::uint32_t payload = inner->length + (limit ? kLimitBytes : 0);
  if (!outer_.fits(payload)) return fail(Drop::Malformed);
  const std::span<std::uint8_t> outer = buffer.last(payload + outer_.size());
  if (limit) {
    write_limit(outer.data() + outer_.size(), protocol, *limit);
    protocol = wire::kDestinationOptions;
  }
  outer_.write(
      outer.data(), *inner,
      {.protocol = protocol, .payload = payload, .flow_label = flow_label(packet, inner->family)});
  return outer;
}

}  // namespace overlane::ip6tnl
