#include "dataplane/encap/outer_header.h"

#include <cassert>

#include "dataplane/net/checksum.h"

namespace overlane::encap {
namespace {

/// Writes the address and returns where the next one goes.
std::uint8_t* store(std::uint8_t* to, const IpAddress& address) {
  if (address.is_ipv4()) {
    store_be32(to, address.ipv4().bits);
    return to + 4;
  }
  store_be64(to, address.high);
  store_be64(to + 8, address.low);
  return to + 16;
}

}  // namespace

OuterHeader::OuterHeader(const OuterRules& rules, const IpAddress& source,
                         const IpAddress& destination)
    : rules_(rules), family_(source.family()) {
  assert(source.family() == destination.family());
  constexpr std::uint16_t kDontFragment = 0x4000;
  constexpr std::uint8_t kDscp = 0xff & ~kEcnMask;
  if (rules.df == DfRule::Inherit) inherited_.df = kDontFragment;
  if (rules.df == DfRule::Set) fixed_.df = kDontFragment;
  if (rules.inherits_ttl) inherited_.ttl = 0xff;
  if (!rules.inherits_ttl) fixed_.ttl = rules.ttl;
  if (rules.inherits_dscp) inherited_.dscp = kDscp;
  if (!rules.inherits_dscp) fixed_.dscp = rules.tos & kDscp;
  store(store(addresses_.data(), source), destination);
  address_sum_ = ones_complement_sum(addresses_);
}

}  // namespace overlane::encap
