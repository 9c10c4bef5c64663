#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "results/report/text.h"
#include "topologies/document/tree/text_check.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/effective/route_quota.h"
#include "topologies/explain/explanation.h"
#include "topologies/explain/network_text.h"

namespace overlane::explain {
namespace {

using document::one_line;
using effective::Dataplane;
using effective::EffectiveDataplane;
using effective::Mode;
using effective::Reason;

constexpr std::size_t kFieldWidth = 20;
constexpr std::size_t kValueWidth = 22;

std::string object_name(const EffectiveDataplane& network) {
  return one_line(network.namespace_.empty()
                      ? network.name
                      : fmt::format("{}/{}", network.namespace_, network.name));
}

/// "with packets of up to 8981 bytes", and what of them does not fit the link.
std::string packet_size(const Dataplane& dataplane) {
  const std::uint32_t on_link = dataplane.pod_mtu + dataplane.overhead_bytes;
  std::string text = fmt::format("with packets of up to {} bytes", dataplane.pod_mtu);
  if (on_link > dataplane.link_mtu)
    text += fmt::format(
        "; those of more than {} bytes do not fit the link and are fragmented or "
        "lost",
        dataplane.link_mtu - dataplane.overhead_bytes);
  return text;
}

/// "; on more than 299 nodes …", where the workers may outgrow the route table.
std::string growth_text(const EffectiveDataplane& network) {
  const std::int64_t routes = network.route_room.routes;
  if (routes == 0 || !effective::has_cloud_routes(network)) return "";
  std::int64_t most = 0;
  for (const EffectiveDataplane::WorkerPool& pool : network.workers)
    most += pool.maximum;
  const effective::RouteCount count = effective::route_count(network);
  const std::int64_t reached = std::max<std::int64_t>((routes - count.others) / count.per_node, 0);
  if (most <= reached) return "";
  return fmt::format(
      "; on more than {} nodes (the workers allow {}) some are not reached, because "
      "the route table holds {} routes",
      reached, most, routes);
}

/// Why pods do not reach all other nodes.
std::string missing_reach(const EffectiveDataplane& network) {
  const Dataplane& dataplane = network.dataplane;
  const provider::Profile& provider = provider::profile_of(network.provider);
  if (dataplane.address_gap != effective::AddressGap::None)
    return std::string(effective::in_words(dataplane.address_gap));
  if (effective::drops_pod_sources(network, dataplane))
    return "they are routed without a tunnel, and OVN drops packets from pod addresses";
  if (effective::drops_tunnel(provider, dataplane))
    return fmt::format("the network of provider {} drops the overlay's packets ({})", provider.name,
                       to_string(dataplane.encapsulation));
  if (effective::has_unreachable_routes(provider, dataplane))
    return fmt::format(
        "BIRD writes unreachable routes to their pods, since machines on {} have "
        "/32 addresses",
        provider.name);
  if (dataplane.routes_by == effective::RoutesBy::None)
    return "they are routed without a tunnel, and nothing is known to route them";
  if (dataplane.route_gap == effective::RouteGap::BetweenSubnets)
    return "nothing writes routes between the nodes' subnets";
  return "they are routed without a tunnel, and no controller writes the cloud's routes to them";
}

std::string in_words(const EffectiveDataplane& network) {
  const Dataplane& dataplane = network.dataplane;
  if (network.opaque)
    return fmt::format("Overlane does not model the network type {}: only addresses are known",
                       one_line(network.cni));
  const provider::Profile& provider = provider::profile_of(network.provider);
  const std::string routes = fmt::format("routes: {}", to_string(dataplane.routes_by));
  switch (effective::pod_reach(network, dataplane)) {
    case effective::PodReach::NoOtherNode:
      return fmt::format("pods do not reach other nodes{}: {}",
                         dataplane.address_gap == effective::AddressGap::None ? ""
                                                                              : ", except by chance",
                         missing_reach(network));
    case effective::PodReach::OwnSubnet:
      return fmt::format(
          "pods reach nodes of their own subnet only, routed, without a tunnel ({}), {}: {}",
          routes, packet_size(dataplane), missing_reach(network));
    case effective::PodReach::AllNodes:
      break;
  }
  if (dataplane.mode == Mode::Overlay) {
    const bool spares_neighbours = dataplane.cross_subnet && !provider.machines.host_addresses;
    return fmt::format("pods reach other nodes through an overlay ({}{}), {}",
                       to_string(dataplane.encapsulation),
                       spares_neighbours ? " between subnets" : "", packet_size(dataplane));
  }
  if (dataplane.is_encrypted())
    return fmt::format("pods reach other nodes through WireGuard, without another tunnel ({}), {}",
                       routes, packet_size(dataplane));
  return fmt::format("pods reach other nodes routed, without a tunnel ({}), {}{}", routes,
                     packet_size(dataplane), growth_text(network));
}

/// Wraps text that begins in the column `indentation`; without the last newline.
std::string wrap(std::string_view text, std::size_t indentation) {
  const std::string blank(indentation, ' ');
  std::string lines = report::wrapped(blank, text, report::terminal_width()).substr(indentation);
  lines.pop_back();
  return lines;
}

/// "mode" for "dataplane.mode", "mode (v6)" for "dataplane_v6.mode".
std::string short_name(std::string_view field) {
  const auto dot = field.find('.');
  if (dot == field.npos) return std::string(field);
  const auto family = field.substr(0, dot).find("_v");
  const std::string name(field.substr(dot + 1));
  return family == field.npos ? name : fmt::format("{} ({})", name, field.substr(family + 1, 2));
}

/// Refers to the previous reason if it is the same.
std::string print_reason(const Reason& reason, const Reason* before) {
  const std::string field = short_name(reason.field);
  std::string why = one_line(reason.because.to_string());
  if (before != nullptr && before->because == reason.because && before->source == reason.source)
    why = "for the same reason";
  else if (!reason.source.empty())
    why += fmt::format(" ({})", one_line(reason.source.to_string()));
  const std::string value = one_line(reason.value) + (reason.assumed ? " *" : "");
  constexpr std::size_t kIndentation = 2 + kFieldWidth + kValueWidth;
  std::string line = fmt::format("  {:<{}} ", field, kFieldWidth - 1);
  if (value.size() < kValueWidth)
    line += fmt::format("{:<{}}", value, kValueWidth);
  else
    line = report::wrapped(line, value, report::terminal_width()) + std::string(kIndentation, ' ');
  return line + wrap(why, kIndentation) + "\n";
}

/// The network's other documents.
std::string print_sources(const EffectiveDataplane& network) {
  if (network.sources.size() < 2) return "";
  std::string text = "with ";
  for (std::size_t i = 1; i < network.sources.size(); ++i) {
    const auto& [object, place] = network.sources[i];
    text += one_line(fmt::format("{}{} {} ({})", i == 1 ? "" : ", ", object.kind,
                                 object.qualified(), place.to_string()));
  }
  return "  " + wrap(text, 4) + "\n";
}

}  // namespace

std::string print_network(const EffectiveDataplane& network) {
  std::string text = fmt::format(
      "{}{}  {}\n\n",
      report::wrapped(
          "",
          fmt::format("{} {}  ({})", network.kind, object_name(network), one_line(network.source)),
          report::terminal_width(), 2),
      print_sources(network),
      wrap(in_words(network) +
               (network.opaque ? "" : fmt::format(" [row {}]", one_line(network.row))),
           2));
  bool assumed = false;
  const Reason* before = nullptr;
  for (const Reason& reason : network.reasons) {
    text += print_reason(reason, before);
    assumed = assumed || reason.assumed;
    before = &reason;
  }
  if (assumed) text += "\n  * assumed: no given document says so\n";
  return text;
}

SummaryRow::SummaryRow(const std::array<std::string, kCells>& cells) {
  for (std::size_t i = 0; i < kCells; ++i) {
    text_ += cells[i];
    ends_[i] = static_cast<std::uint32_t>(text_.size());
  }
  text_.shrink_to_fit();
}

SummaryRow SummaryRow::header() {
  return SummaryRow({"NETWORK", "PROVIDER", "CNI", "STAGE", "DATAPLANE", "PODS", "POD MTU", "ROW"});
}

SummaryRow SummaryRow::of(const EffectiveDataplane& network) {
  const Dataplane& dataplane = network.dataplane;
  return SummaryRow({object_name(network),
                     network.provider_name.empty() ? "unknown" : one_line(network.provider_name),
                     one_line(network.cni), std::string(to_string(network.stage)),
                     network.opaque ? "unknown"
                                    : std::string(to_string(dataplane.mode))
                                          .append(" ")
                                          .append(to_string(dataplane.encapsulation)),
                     network.pods.empty() ? "" : network.pods.front().to_string(),
                     network.opaque ? "" : std::to_string(dataplane.pod_mtu),
                     one_line(network.row)});
}

std::string_view SummaryRow::operator[](std::size_t cell) const {
  const std::uint32_t begin = cell == 0 ? 0 : ends_[cell - 1];
  return std::string_view(text_).substr(begin, ends_[cell] - begin);
}

}  // namespace overlane::explain
