#include "dataplane/encap/outer_header.h"

#include <cassert>

#include "dataplane/net/checksum.h"

namespace overlane::encap {
namespace {

constexpr std::uint64_t first_of(std::uint8_t tos, bool df) {
  return std::uint64_t{tos} << InnerPacket::kTosShift | (df ? InnerPacket::kDontFragment : 0);
}

/// IPv6 has no DF.
OuterRules without_df(OuterRules rules) {
  rules.df = DfRule::Unset;
  return rules;
}

}  // namespace

InheritedFields::InheritedFields(const OuterRules& rules, std::uint64_t version)
    : taken_(first_of(rules.inherits_dscp ? 0xff : kEcnMask, rules.df == DfRule::Inherit)),
      set_(first_of(rules.inherits_dscp ? 0 : rules.tos & ~kEcnMask, rules.df == DfRule::Set)),
      taken_ttl_(rules.inherits_ttl ? 0xff : 0),
      set_ttl_(rules.inherits_ttl ? 0 : rules.ttl) {
  set_ |= version << kVersionShift;
}

OuterIpv4::OuterIpv4(const OuterRules& rules, Ipv4Address source, Ipv4Address destination,
                     std::uint8_t protocol)
    : fields_(rules, 0x45) {
  store_be32(addresses_.data(), source.bits);
  store_be32(addresses_.data() + 4, destination.bits);
  rest_ = std::uint64_t{protocol} << 48 | ones_complement_sum(addresses_);
}

OuterIpv6::OuterIpv6(const OuterRules& rules, const IpAddress& source, const IpAddress& destination)
    : fields_(without_df(rules), 6),
      flow_label_mask_(rules.flow == FlowField::FlowLabel ? 0xfffff : 0) {
  assert(!source.is_ipv4() && !destination.is_ipv4());
  std::uint8_t* to = addresses_.data();
  for (const std::uint64_t half : {source.high, source.low, destination.high, destination.low}) {
    store_be64(to, half);
    to += 8;
  }
  address_sum_ = ones_complement_sum(addresses_);
}

}  // namespace overlane::encap
