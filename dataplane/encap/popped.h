#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_packet.h"
#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::encap {

/// A tunnel packet taken apart in place. Both spans lie in the buffer that was popped.
struct Popped {
  std::span<std::uint8_t> inner;  ///< The packet inside, its ECN field set; no padding behind it.
  std::span<const std::uint8_t> headers;  ///< All in front of it, outer IP header first.
  std::uint32_t outer_bytes = 0;          ///< Of the outer IP header, options and extensions.
  Family inner_family = Family::Ipv4;

  IpAddress source() const;
  IpAddress destination() const;
  /// What stands between outer IP header and inner packet.
  std::span<const std::uint8_t> tunnel_headers() const { return headers.subspan(outer_bytes); }
};

/// The inner packet of a sound outer one, `offset` bytes into it, where a packet of `family` was
/// announced; its ECN field is set by RFC 6040 as INET_ECN_decapsulate does it
/// (include/net/inet_ecn.h). Drop::Malformed when it is of another family or not there in full,
/// Drop::EcnCorrupted when congestion was marked on a packet that cannot carry the mark.
inline Result<Popped, Drop> take_inner(const OuterPacket& outer, std::uint32_t offset,
                                       Family family) {
  const std::span<std::uint8_t> rest = outer.bytes.subspan(offset);
  const auto inner = read_inner(rest, family);
  if (!inner) return fail(Drop::Malformed);
  const Ecn before = ecn_of(inner->tos);
  if (changes_inner_ecn(before, ecn_of(outer.tos))) {
    const auto after = inner_ecn(before, ecn_of(outer.tos));
    if (!after) return fail(Drop::EcnCorrupted);
    set_ecn(rest.data(), family, *after);
  }
  return Popped{.inner = rest.first(inner->length),
                .headers = outer.bytes.first(offset),
                .outer_bytes = outer.header_bytes,
                .inner_family = family};
}

}  // namespace overlane::encap
