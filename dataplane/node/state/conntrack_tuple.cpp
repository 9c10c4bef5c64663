#include "dataplane/node/state/conntrack_tuple.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace overlane::node {
namespace {

/// Types of ICMP messages with an identifier: a query and its answer.
struct Exchange {
  std::uint8_t protocol;
  std::uint8_t query;
  std::uint8_t answer;
};
constexpr std::array kExchanges = {
    Exchange{kTrackedIcmp, 8, 0},         // echo (RFC 792)
    Exchange{kTrackedIcmp, 13, 14},       // timestamp (RFC 792)
    Exchange{kTrackedIcmp, 15, 16},       // information (RFC 792)
    Exchange{kTrackedIcmp, 17, 18},       // address mask (RFC 950)
    Exchange{kTrackedIcmpv6, 128, 129},   // echo (RFC 4443)
    Exchange{kTrackedIcmpv6, 139, 140}};  // node information (RFC 4620)

bool is_icmp(const ConntrackTuple& tuple) {
  return tuple.protocol == kTrackedIcmp || tuple.protocol == kTrackedIcmpv6;
}
std::uint8_t icmp_type(const ConntrackTuple& tuple) {
  return static_cast<std::uint8_t>(tuple.destination_port >> 8);
}

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ z >> 33) * 0xff51afd7ed558ccd;
  z = (z ^ z >> 33) * 0xc4ceb9fe1a85ec53;
  return z ^ z >> 33;
}

constexpr std::uint32_t kFirstTries = 128;
constexpr std::uint32_t kLastTries = 8;

/// Returns the range of ports if the rule has none: privileged ports stay privileged. Returns
/// nothing for protocols without ports, and for SCTP, DCCP and UDP-Lite.
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

ConntrackTuple icmp_tuple(IpAddress source, IpAddress destination, std::uint8_t type,
                          std::uint8_t code, std::uint16_t identifier) {
  return {.source = source,
          .destination = destination,
          .source_port = identifier,
          .destination_port = static_cast<std::uint16_t>(type << 8 | code),
          .protocol = source.is_ipv4() ? kTrackedIcmp : kTrackedIcmpv6};
}

std::optional<ConntrackTuple> inverse(const ConntrackTuple& tuple) {
  if (!is_icmp(tuple)) {
    return ConntrackTuple{tuple.destination, tuple.source, tuple.destination_port,
                          tuple.source_port, tuple.protocol};
  }
  const std::uint8_t type = icmp_type(tuple);
  const auto at = std::ranges::find_if(kExchanges, [&](const Exchange& exchange) {
    return exchange.protocol == tuple.protocol &&
           (exchange.query == type || exchange.answer == type);
  });
  if (at == kExchanges.end()) return std::nullopt;
  const std::uint8_t other = at->query == type ? at->answer : at->query;
  return icmp_tuple(tuple.destination, tuple.source, other,
                    static_cast<std::uint8_t>(tuple.destination_port), tuple.source_port);
}

bool opens_connection(const ConntrackTuple& tuple) {
  if (!is_icmp(tuple)) return true;
  return std::ranges::any_of(kExchanges, [&](const Exchange& exchange) {
    return exchange.protocol == tuple.protocol && exchange.query == icmp_type(tuple);
  });
}

bool is_untracked_icmpv6(const ConntrackTuple& tuple) {
  const std::uint8_t type = icmp_type(tuple);
  return tuple.protocol == kTrackedIcmpv6 && ((type >= 130 && type <= 137) || type == 143);
}

std::uint64_t hash(const ConntrackTuple& tuple, std::uint64_t seed) {
  std::uint64_t state = mix(seed + 1);
  for (const std::uint64_t word :
       {tuple.source.high, tuple.source.low, tuple.destination.high, tuple.destination.low,
        std::uint64_t{tuple.source_port} << 24 | std::uint64_t{tuple.destination_port} << 8 |
            tuple.protocol}) {
    state = mix(state + word);
  }
  return state;
}

std::string to_string(const ConntrackTuple& tuple) {
  std::string text =
      fmt::format("src={} dst={}", tuple.source.to_string(), tuple.destination.to_string());
  if (is_icmp(tuple)) {
    return text + fmt::format(" type={} code={} id={}", icmp_type(tuple),
                              tuple.destination_port & 0xff, tuple.source_port);
  }
  if (tuple.source_port != 0 || tuple.destination_port != 0) {
    text += fmt::format(" sport={} dport={}", tuple.source_port, tuple.destination_port);
  }
  return text;
}

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
