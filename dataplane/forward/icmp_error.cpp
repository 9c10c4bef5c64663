#include "dataplane/forward/icmp_error.h"

#include <algorithm>

#include "dataplane/encap/outer_rules.h"

namespace overlane::forward {
namespace {

constexpr std::uint32_t kLargestError = 576;
constexpr std::uint32_t kIcmpHeaderBytes = 8;
/// IPTOS_TOS_MASK and IPTOS_PREC_INTERNETCONTROL, net/ipv4/icmp.c.
constexpr std::uint8_t kKeptTos = 0x1e;
constexpr std::uint8_t kInternetControl = 0xc0;

struct TypeAndCode {
  std::uint8_t type;
  std::uint8_t code;
};

TypeAndCode type_and_code(IcmpReason reason) {
  switch (reason) {
    case IcmpReason::NetUnreachable:
      return {3, 0};
    case IcmpReason::HostUnreachable:
      return {3, 1};
    case IcmpReason::FragmentationNeeded:
      return {3, 4};
    case IcmpReason::TimeExceeded:
      return {11, 0};
  }
  return {};
}

}  // namespace

std::optional<Packet> icmp_error(IcmpReason reason, const Packet& cause, IpAddress source,
                                 std::uint32_t mtu) {
  const IpFields& quoted = cause.outermost();
  const bool is_error = !cause.is_encapsulated() && cause.icmp.has_value();
  if (is_error || quoted.fragment_offset != 0) return std::nullopt;

  const auto [type, code] = type_and_code(reason);
  const bool outer = cause.is_encapsulated();
  const std::uint32_t quotable = kLargestError - kIpHeaderBytes - kIcmpHeaderBytes;
  const std::uint32_t bytes = std::min<std::uint32_t>(quoted.total_length, quotable);
  Packet error;
  error.inner = {
      .source = source,
      .destination = quoted.source,
      .total_length = static_cast<std::uint16_t>(kIpHeaderBytes + kIcmpHeaderBytes + bytes),
      .protocol = kIcmp,
      .ttl = encap::kHopLimit,
      .tos = static_cast<std::uint8_t>((quoted.tos & kKeptTos) | kInternetControl)};
  error.icmp = IcmpError{
      .type = type,
      .code = code,
      .next_hop_mtu =
          static_cast<std::uint16_t>(reason == IcmpReason::FragmentationNeeded ? mtu : 0),
      .quoted_source = quoted.source,
      .quoted_destination = quoted.destination,
      .quoted_protocol = quoted.protocol,
      .quoted_source_port = outer ? cause.outer_source_port : cause.source_port,
      .quoted_destination_port = outer ? cause.outer_destination_port : cause.destination_port};
  return error;
}

}  // namespace overlane::forward
