#include "dataplane/node/state/deny_rule.h"

#include <fmt/format.h>

#include "dataplane/wire/ip_protocol.h"

namespace overlane::node {
namespace {

std::string filter_protocol_name(std::uint8_t protocol) {
  switch (protocol) {
    case wire::kIcmp:
      return "icmp";
    case wire::kIpv4InIp:
      return "ipip";
    case wire::kTcp:
      return "tcp";
    case wire::kUdp:
      return "udp";
    case wire::kIcmpv6:
      return "icmpv6";
    default:
      return fmt::format("protocol {}", protocol);
  }
}

}  // namespace

std::string to_string(const DenyRule& rule) {
  std::string text = "deny " + filter_protocol_name(rule.protocol);
  if (rule.port) text += fmt::format(" port {}", *rule.port);
  if (rule.icmp_type) text += fmt::format(" type {}", *rule.icmp_type);
  if (rule.icmp_code) text += fmt::format(" code {}", *rule.icmp_code);
  return rule.disabled ? text + " disabled" : text;
}

}  // namespace overlane::node
