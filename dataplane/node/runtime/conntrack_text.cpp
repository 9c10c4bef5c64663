#include <fmt/format.h>

#include "dataplane/node/runtime/conntrack.h"

namespace overlane::node {
namespace {

std::string_view protocol_name(std::uint8_t protocol) {
  switch (protocol) {
    case kTrackedIcmp:
      return "icmp";
    case kTrackedTcp:
      return "tcp";
    case kTrackedUdp:
      return "udp";
    case kTrackedIcmpv6:
      return "icmpv6";
    default:
      return "unknown";
  }
}

std::string to_string(const Connection& connection, Picos now) {
  const std::uint8_t protocol = connection.original.protocol;
  const std::int64_t left = (connection.expires - now).whole_nanoseconds() / 1'000'000'000;
  std::string text = fmt::format("{:<8} {} {}", protocol_name(protocol), protocol, left);
  if (protocol == kTrackedTcp) text += fmt::format(" {}", to_string(connection.tcp));
  text += ' ' + to_string(connection.original);
  if (!connection.seen_reply) text += " [UNREPLIED]";
  text += ' ' + to_string(connection.reply);
  if (connection.assured) text += " [ASSURED]";
  return text + '\n';
}

}  // namespace

std::string_view to_string(TrackState state) {
  switch (state) {
    case TrackState::Invalid:
      return "INVALID";
    case TrackState::Untracked:
      return "UNTRACKED";
    case TrackState::New:
      return "NEW";
    case TrackState::Established:
      return "ESTABLISHED";
    case TrackState::Related:
      return "RELATED";
  }
  return "";
}

std::string to_string(const ConntrackTable& table, Picos now) {
  std::string text;
  for (const Connection& connection : table.connections())
    text += to_string(connection, now);
  return text;
}

}  // namespace overlane::node
