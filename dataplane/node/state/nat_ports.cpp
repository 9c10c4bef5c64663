#include "dataplane/node/state/nat_ports.h"

#include <algorithm>

namespace overlane::node {
namespace {

constexpr std::uint32_t kFirstTries = 128;
constexpr std::uint32_t kLastTries = 8;

/// Where to look for a port when the rule names no range: privileged ports stay among themselves.
/// Nothing for protocols without ports; SCTP, DCCP and UDP-Lite pass for such.
std::optional<PortRange> default_range(const ConntrackTuple& tuple) {
  switch (tuple.protocol) {
    case kTrackedIcmp:
    case kTrackedIcmpv6:
      return PortRange{0, 65535};
    case kTrackedTcp:
    case kTrackedUdp:
      if (tuple.source_port < 512) return PortRange{1, 511};
      if (tuple.source_port < 1024) return PortRange{600, 1023};
      return PortRange{1024, 65535};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<ConntrackTuple> translate_source(
    const ConntrackTuple& original, const SourceTranslation& translation,
    const std::function<bool(const ConntrackTuple&)>& is_taken) {
  ConntrackTuple tuple = original;
  tuple.source = translation.source;
  const auto any = default_range(original);
  const bool may_stay =
      !any || (!translation.random_fully &&
               (!translation.ports || translation.ports->contains(original.source_port)));
  if (may_stay && !is_taken(tuple)) return tuple;
  if (!any) return std::nullopt;

  const PortRange range = translation.ports.value_or(*any);
  std::uint64_t round = 0;
  for (std::uint32_t tries = std::min(range.size(), kFirstTries);; tries /= 2) {
    const auto offset = static_cast<std::uint16_t>(hash(original, round++));
    for (std::uint32_t i = 0; i < tries; ++i) {
      tuple.source_port =
          static_cast<std::uint16_t>(range.first + (offset + i) % 65536 % range.size());
      if (!is_taken(tuple)) return tuple;
    }
    if (tries >= range.size() || tries <= kLastTries) return std::nullopt;
  }
}

}  // namespace overlane::node
