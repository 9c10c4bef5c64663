#include "dataplane/node/state/route.h"

#include <fmt/format.h>

namespace overlane::node {
namespace {

std::string_view kind_prefix(RouteKind kind) {
  switch (kind) {
    case RouteKind::Unicast:
      return "";
    case RouteKind::Blackhole:
      return "blackhole ";
    case RouteKind::Unreachable:
      return "unreachable ";
    case RouteKind::Prohibit:
      return "prohibit ";
  }
  return "";
}

std::string destination_name(const IpPrefix& destination) {
  if (destination.length() == 0) return "default";
  if (destination.is_host()) return destination.network().to_string();
  return destination.to_string();
}

}  // namespace

std::string_view to_string(RouteProtocol protocol) {
  switch (protocol) {
    case RouteProtocol::Kernel:
      return "kernel";
    case RouteProtocol::Boot:
      return "boot";
    case RouteProtocol::Static:
      return "static";
    case RouteProtocol::Bird:
      return "bird";
    case RouteProtocol::Felix:
      return "80";
  }
  return "";
}

std::string to_string(const IpPrefix& destination, const Route& route) {
  std::string text = fmt::format("{}{}", kind_prefix(route.kind), destination_name(destination));
  if (route.tunnel_destination) {
    text += fmt::format(" encap {} dst {}", route.tunnel_destination->is_ipv4() ? "ip" : "ip6",
                        route.tunnel_destination->to_string());
  }
  if (route.via) text += fmt::format(" via {}", route.via->to_string());
  if (!route.device.empty()) text += fmt::format(" dev {}", route.device.view());
  if (route.table != 0) text += fmt::format(" table {}", route.table);
  text += fmt::format(" proto {}", to_string(route.protocol));
  if (route.kind == RouteKind::Unicast && !route.via) text += " scope link";
  if (route.mtu != 0) text += fmt::format(" mtu {}", route.mtu);
  if (route.onlink) text += " onlink";
  return text;
}

}  // namespace overlane::node
