#pragma once

#include "dataplane/encap/outer_rules.h"
#include "sim/random/stream.h"

namespace overlane::encap::testing {

/// Returns the defaults of the encapsulation or random settings that a device can have.
inline OuterRules random_rules(RandomStream& random, Encapsulation encapsulation, Family underlay) {
  OuterRules rules = outer_rules(encapsulation, underlay);
  if (random.below(3) == 0) return rules;
  rules.inherits_ttl = random.below(2) == 0;
  rules.ttl = static_cast<std::uint8_t>(1 + random.below(255));
  rules.inherits_dscp = random.below(2) == 0;
  rules.tos = static_cast<std::uint8_t>(random.next());
  rules.df = static_cast<DfRule>(random.below(3));
  if (rules.udp_checksum != UdpChecksum::None) {
    rules.udp_checksum = random.below(2) == 0 ? UdpChecksum::Zero : UdpChecksum::Computed;
    rules.destination_port = static_cast<std::uint16_t>(random.next());
  }
  return rules;
}

}  // namespace overlane::encap::testing
