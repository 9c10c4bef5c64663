#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_packet.h"
#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::encap {

/// A tunnel packet taken apart in place. Both spans lie in the buffer that was popped.
struct Popped {
  Family inner_family = Family::Ipv4;
  std::span<std::uint8_t> inner;  ///< The packet inside, its ECN field set; no padding behind it.
  std::span<const std::uint8_t> headers;  ///< All in front of it, outer IP header first.
  std::uint32_t outer_bytes = 0;          ///< Of the outer IP header, options and extensions.

  IpAddress source() const;
  IpAddress destination() const;
  /// What stands between outer IP header and inner packet.
  std::span<const std::uint8_t> tunnel_headers() const { return headers.subspan(outer_bytes); }
};

/// The same in numbers, or why there is none: small enough for a function to return it in
/// registers.
struct Parts {
  std::uint32_t outer_bytes = 0;
  std::uint32_t header_bytes = 0;  ///< All in front of the inner packet.
  std::uint32_t inner_bytes = 0;
  Family inner_family = Family::Ipv4;
  bool refused = false;
  Drop drop = Drop::Malformed;
};

constexpr Parts refuse(Drop drop) {
  return {.refused = true, .drop = drop};
}

[[gnu::always_inline]] inline Result<Popped, Drop> popped(std::span<std::uint8_t> packet,
                                                          const Parts& parts) {
  if (parts.refused) return fail(parts.drop);
  return Popped{.inner_family = parts.inner_family,
                .inner = packet.subspan(parts.header_bytes, parts.inner_bytes),
                .headers = packet.first(parts.header_bytes),
                .outer_bytes = parts.outer_bytes};
}

/// The inner packet of a sound outer one, `offset` bytes into it, where a packet of `family` was
/// announced; its ECN field is set by RFC 6040 as INET_ECN_decapsulate does it
/// (include/net/inet_ecn.h). Drop::Malformed when it is of another family or not there in full,
/// Drop::EcnCorrupted when congestion was marked on a packet that cannot carry the mark.
Parts take_inner(const OuterPacket& outer, std::size_t offset, Family family);

}  // namespace overlane::encap
