#include "dataplane/encap/outer_header.h"

#include <cassert>

#include "dataplane/net/checksum.h"

namespace overlane::encap {
namespace {

std::uint8_t tos_always_set(const OuterRules& rules) {
  return rules.inherits_dscp ? 0 : with_ecn(rules.tos, Ecn::NotEct);
}
std::uint8_t ttl_always_set(const OuterRules& rules) {
  return rules.inherits_ttl ? 0 : rules.ttl;
}

}  // namespace

Inherited::Inherited(const OuterRules& rules)
    : tos(rules.inherits_dscp ? 0xff : kEcnMask),
      tos_in_ipv6(network_order(static_cast<std::uint16_t>(tos << 4))),
      ttl(rules.inherits_ttl ? 0xff : 0),
      df(rules.df == DfRule::Inherit ? 0x40 : 0),
      ttl_or_df(rules.inherits_ttl || rules.df == DfRule::Inherit) {}

OuterIpv4::OuterIpv4(const OuterRules& rules, Ipv4Address source, Ipv4Address destination,
                     std::uint8_t protocol)
    : inherited_(rules) {
  header_[0] = 0x45;
  header_[1] = tos_always_set(rules);
  header_[6] = rules.df == DfRule::Set ? 0x40 : 0;
  header_[8] = ttl_always_set(rules);
  header_[9] = protocol;
  store_be32(header_.data() + 12, source.bits);
  store_be32(header_.data() + 16, destination.bits);
  sum_ = ones_complement_sum(header_);
}

std::uint32_t OuterIpv4::address_sum() const {
  return ones_complement_sum(std::span(header_).subspan(PlainIp<Family::Ipv4>::kAddresses));
}

OuterIpv6::OuterIpv6(const OuterRules& rules, const IpAddress& source, const IpAddress& destination)
    : inherited_(rules),
      flow_label_mask_(rules.flow == FlowField::FlowLabel ? 0xfffff : 0),
      first_(6ull << 60 | std::uint64_t{tos_always_set(rules)} << 52 | ttl_always_set(rules)) {
  assert(!source.is_ipv4() && !destination.is_ipv4());
  std::uint8_t* to = addresses_.data();
  for (const std::uint64_t half : {source.high, source.low, destination.high, destination.low}) {
    store_be64(to, half);
    to += 8;
  }
  address_sum_ = ones_complement_sum(addresses_);
}

}  // namespace overlane::encap
