#include "topologies/explain/explanation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/finding/finding.h"
#include "results/report/document_text.h"
#include "results/report/text.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/explain/json_writer.h"

namespace overlane::explain {

/// The main result about a network: whether its pods reach pods of other nodes in the primary IP
/// family (effective::pod_reach), in which mode, and with packets of which size. It is the first
/// line of an explanation in text and `reachability{…}` in JSON.
struct Headline {
  /// "all-nodes", "own-subnet", "no-other-node"; "unknown" for a network type that is not modelled.
  std::string_view pods;
  /// "overlay", "routed" or "wireguard"; empty if pods reach no other node.
  std::string_view mode;
  /// Size of the largest IP packet that a pod sends, bytes; 0 if pods reach no other node.
  std::uint32_t largest_packet = 0;
  /// Size of the largest packet of a pod that fits the link with the tunnel's headers, bytes; 0 if
  /// pods reach no other node.
  std::uint32_t largest_on_link = 0;
  /// Number of nodes that the route table has room for. Nothing: the workers' maximum does not
  /// exceed it, or no quota is known.
  std::optional<std::int64_t> most_nodes;
  std::string reason;  ///< Why pods do not reach all nodes; empty if they do.
  /// The conditions of the whole statement: "if provider ironcore writes routes …"; empty: none.
  std::string condition;
  std::string statement;  ///< All fields as one sentence, without a full stop.
};

Headline headline_of(const effective::EffectiveDataplane& network);

namespace {

using document::one_line;
using effective::AddressGap;
using effective::Dataplane;
using effective::EffectiveDataplane;
using effective::Mode;
using effective::PodReach;

std::string_view to_string(PodReach reach) {
  switch (reach) {
    case PodReach::AllNodes:
      return "all-nodes";
    case PodReach::OwnSubnet:
      return "own-subnet";
    case PodReach::NoOtherNode:
      return "no-other-node";
  }
  return "";
}

/// "with packets of up to 8981 bytes", the other plausible size, and the size from which packets do
/// not fit the link.
std::string packet_size(const Headline& headline, const EffectiveDataplane& network) {
  std::string text = fmt::format("with packets of up to {} bytes", headline.largest_packet);
  if (const auto& other = network.other_mtu; other && other->pod != headline.largest_packet)
    text += fmt::format(" ({} if the link MTU is {} instead of {})", other->pod, other->link,
                        network.dataplane.link_mtu);
  if (headline.largest_on_link < headline.largest_packet)
    text += fmt::format(
        "; those of more than {} bytes do not fit the link and are fragmented or "
        "lost",
        headline.largest_on_link);
  return text;
}

std::int64_t maximum_nodes(const EffectiveDataplane& network) {
  std::int64_t sum = 0;
  for (const EffectiveDataplane::WorkerPool& pool : network.workers)
    sum += pool.maximum;
  return sum;
}

/// See Headline::most_nodes.
std::optional<std::int64_t> most_nodes(const EffectiveDataplane& network) {
  const std::int64_t routes = network.route_room.routes;
  if (routes == 0 || !effective::has_cloud_routes(network)) return std::nullopt;
  const effective::RouteCount count = effective::route_count(network);
  const std::int64_t reached = std::max<std::int64_t>((routes - count.others) / count.per_node, 0);
  return maximum_nodes(network) > reached ? std::optional(reached) : std::nullopt;
}

/// Why pods do not reach all other nodes.
std::string missing_reach(const EffectiveDataplane& network) {
  const Dataplane& dataplane = network.dataplane;
  const provider::Profile& provider = provider::profile_of(network.provider);
  if (dataplane.address_gap != AddressGap::None)
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

std::string statement_of(const Headline& headline, PodReach reach,
                         const EffectiveDataplane& network) {
  const Dataplane& dataplane = network.dataplane;
  const std::string routes = fmt::format("routes: {}", to_string(dataplane.routes_by));
  switch (reach) {
    case PodReach::NoOtherNode:
      return fmt::format("pods do not reach other nodes{}: {}",
                         dataplane.address_gap == AddressGap::None ? "" : ", except by chance",
                         headline.reason);
    case PodReach::OwnSubnet:
      return fmt::format(
          "pods reach nodes of their own subnet only, routed, without a tunnel ({}), {}: {}",
          routes, packet_size(headline, network), headline.reason);
    case PodReach::AllNodes:
      break;
  }
  if (dataplane.mode == Mode::Overlay) {
    const bool spares_neighbours =
        dataplane.cross_subnet && !provider::profile_of(network.provider).machines.host_addresses;
    return fmt::format("pods reach other nodes through an overlay ({}{}), {}",
                       to_string(dataplane.encapsulation),
                       spares_neighbours ? " between subnets" : "", packet_size(headline, network));
  }
  if (dataplane.is_encrypted())
    return fmt::format("pods reach other nodes through WireGuard, without another tunnel ({}), {}",
                       routes, packet_size(headline, network));
  std::string text = fmt::format("pods reach other nodes routed, without a tunnel ({}), {}", routes,
                                 packet_size(headline, network));
  if (headline.most_nodes)
    text += fmt::format(
        "; on more than {} nodes (the workers allow {}) some are not reached, because "
        "the route table holds {} routes",
        *headline.most_nodes, maximum_nodes(network), network.route_room.routes);
  return text;
}

std::string_view transport_of(PodReach reach, const Dataplane& dataplane) {
  if (reach == PodReach::NoOtherNode) return "";
  if (reach == PodReach::AllNodes && dataplane.mode == Mode::Overlay) return "overlay";
  return dataplane.is_encrypted() ? "wireguard" : "routed";
}

}  // namespace

Headline headline_of(const EffectiveDataplane& network) {
  if (network.opaque) {
    const std::string text =
        fmt::format("Overlane does not model the network type {}: only addresses are known",
                    one_line(network.cni));
    return {.pods = "unknown", .reason = text, .condition = {}, .statement = text};
  }
  const Dataplane& dataplane = network.dataplane;
  const PodReach reach = effective::pod_reach(network, dataplane);
  Headline headline{.pods = to_string(reach),
                    .mode = transport_of(reach, dataplane),
                    .reason = {},
                    .condition = {},
                    .statement = {}};
  if (reach != PodReach::NoOtherNode) {
    headline.largest_packet = dataplane.pod_mtu;
    headline.largest_on_link =
        std::min(dataplane.pod_mtu, dataplane.link_mtu > dataplane.overhead_bytes
                                        ? dataplane.link_mtu - dataplane.overhead_bytes
                                        : 0);
  }
  if (reach != PodReach::AllNodes) headline.reason = missing_reach(network);
  if (reach == PodReach::AllNodes) {
    headline.condition = effective::condition_of_reach(network, dataplane);
    if (headline.mode == "routed") headline.most_nodes = most_nodes(network);
  }
  if (const std::string storage = effective::condition_of_storage(network); !storage.empty())
    headline.condition += (headline.condition.empty() ? "" : ", and ") + storage;
  headline.statement = statement_of(headline, reach, network);
  if (!headline.condition.empty()) headline.statement += ", " + headline.condition;
  return headline;
}

Result<EffectiveDataplane> derive_admitted(const manifest::PodNetworkSpec& spec,
                                           const derive::DeriveOptions& options,
                                           const Admission& admit) {
  if (!admit) return derive::derive(spec, options);
  derive::DeriveOptions then = options;
  const manifest::PodNetworkSpec admitted = admit(spec, then.stage);
  return derive::derive(admitted, then);
}

Explanation explain(document::Stream stream, const derive::DeriveOptions& options, unsigned threads,
                    const Admission& admit) {
  Explanation explanation;
  explanation.findings = explain_each(
      std::move(stream), options, [](effective::EffectiveDataplane network) { return network; },
      [&](effective::EffectiveDataplane network) {
        explanation.networks.push_back(std::move(network));
      },
      threads, {}, admit);
  return explanation;
}

namespace {

using effective::Reason;

constexpr std::size_t kFieldWidth = 20;
constexpr std::size_t kValueWidth = 22;

std::string object_name(const EffectiveDataplane& network) {
  return one_line(network.namespace_.empty()
                      ? network.name
                      : fmt::format("{}/{}", network.namespace_, network.name));
}

/// Wraps text that begins in the column `indentation`. The result has no newline at its end.
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

/// The line of one reason. If the previous reason `before` has the same text and source, the line
/// refers to it instead of repeating them.
std::string print_reason(const Reason& reason, const Reason* before) {
  const std::string field = short_name(reason.field);
  std::string why = one_line(reason.because.to_string());
  if (before != nullptr && before->because == reason.because && before->source == reason.source)
    why = "for the same reason";
  else if (!reason.source.empty())
    why += fmt::format(" ({})", one_line(reason.source.to_string()));
  const std::string value = one_line(reason.value) + (reason.assumed ? " *" : "");
  constexpr std::size_t kIndentation = 2 + kFieldWidth + kValueWidth;
  const std::size_t width = report::terminal_width();
  const std::string line = fmt::format("  {:<{}} ", field, kFieldWidth - 1);
  if (value.size() < kValueWidth)
    return report::wrapped(line + fmt::format("{:<{}}", value, kValueWidth), why, width,
                           kIndentation);
  return report::wrapped(line, value, width) +
         report::wrapped(std::string(kIndentation, ' '), why, width);
}

/// "with …": the network's documents other than the first one; empty if there are none.
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
      wrap(headline_of(network).statement +
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

namespace {

/// Number of JSON containers around each network of the document.
constexpr std::size_t kDepth = 2;

void write(const std::vector<IpPrefix>& ranges, JsonWriter& json) {
  json.open_list();
  for (const IpPrefix& range : ranges)
    json.value(range.to_string());
  json.close_list();
}

void write(const std::vector<std::string>& texts, JsonWriter& json) {
  json.open_list();
  for (const std::string& text : texts)
    json.value(text);
  json.close_list();
}

void write(const std::vector<Reason>& reasons, JsonWriter& json) {
  json.open_list();
  for (const Reason& reason : reasons) {
    json.open_object();
    json.member("field", reason.field);
    json.member("value", reason.value);
    json.member("because", reason.because.to_string());
    json.member("source", reason.source.dated());
    json.member("assumed", reason.assumed);
    json.close_object();
  }
  json.close_list();
}

void write(const std::vector<EffectiveDataplane::Document>& documents, JsonWriter& json) {
  json.open_list();
  for (const EffectiveDataplane::Document& document : documents) {
    json.open_object();
    json.member("kind", document.object.kind);
    json.member("namespace", document.object.namespace_);
    json.member("name", document.object.name);
    json.member("source", document.place.to_string());
    json.close_object();
  }
  json.close_list();
}

void write(const effective::RoutingDomain& domain, JsonWriter& json) {
  json.open_object();
  json.member("key", domain.key);
  json.member("scope", to_string(domain.scope));
  json.member("sharing", to_string(domain.sharing));
  json.close_object();
}

/// Writes a member whose value is null if `text` is empty.
void nullable(std::string_view name, std::string_view text, JsonWriter& json) {
  json.key(name);
  if (text.empty())
    json.null();
  else
    json.value(text);
}

void nullable(std::string_view name, std::optional<std::int64_t> number, JsonWriter& json) {
  json.key(name);
  if (number)
    json.value(*number);
  else
    json.null();
}

void write(const Headline& headline, JsonWriter& json) {
  const auto bytes = [](std::uint32_t size) {
    return size > 0 ? std::optional<std::int64_t>(size) : std::nullopt;
  };
  json.open_object();
  json.member("pods", headline.pods);
  nullable("mode", headline.mode, json);
  nullable("largest_packet_bytes", bytes(headline.largest_packet), json);
  nullable("largest_on_link_bytes", bytes(headline.largest_on_link), json);
  nullable("most_nodes", headline.most_nodes, json);
  nullable("reason", headline.reason, json);
  nullable("condition", headline.condition, json);
  json.member("statement", headline.statement);
  json.close_object();
}

template <typename T>
void member(std::string_view name, const T& part, JsonWriter& json) {
  json.key(name);
  write(part, json);
}

void write(const EffectiveDataplane& network, JsonWriter& json) {
  json.open_object();
  json.member("kind", network.kind);
  json.member("name", network.name);
  json.member("namespace", network.namespace_);
  json.member("stage", to_string(network.stage));
  json.member("provider", network.provider_name.empty() ? "unknown" : network.provider_name);
  json.member("cni", network.cni);
  json.member("source", network.source);
  member("sources", network.sources, json);
  nullable("row", network.opaque ? "" : std::string_view(network.row), json);
  member("reachability", headline_of(network), json);
  member("ip_families", network.ip_families, json);
  member("pods", network.pods, json);
  member("services", network.services, json);
  member("nodes", network.nodes, json);
  member("routing_domain", network.routing_domain, json);
  json.key("dataplane");
  if (network.opaque)
    json.null();
  else
    json.value(encode(network.dataplane));
  if (network.secondary_dataplane)
    json.member(network.ip_families.front() == "IPv4" ? "dataplane_v6" : "dataplane_v4",
                encode(*network.secondary_dataplane));
  json.member("node_cidr_mask_size", network.node_cidr_mask_size);
  nullable("max_nodes", network.max_nodes, json);
  json.member("max_pods", network.max_pods);
  member("reasons", network.reasons, json);
  json.close_object();
}

}  // namespace

std::string json_head() {
  JsonWriter json;
  json.open_object();
  json.member("schema_version", 1);
  json.member("kind", "Explanation");
  json.key("networks");
  json.open_list();
  return json.take();
}

std::string json_part(const EffectiveDataplane& network) {
  JsonWriter json(kDepth, JsonWriter::Part::Later);
  write(network, json);
  return json.take();
}

std::string json_tail(bool has_networks, const Findings& findings) {
  JsonWriter json(kDepth, has_networks ? JsonWriter::Part::Later : JsonWriter::Part::First);
  json.close_list();
  json.member("findings", overlane::encode(findings));
  json.close_object();
  return json.take() + '\n';
}

namespace {

constexpr std::size_t kGap = 2;  ///< Blanks between columns.

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char byte) { return static_cast<signed char>(byte) >= 0; });
}

/// Appends a cell, padded to the column's width and the gap.
void append_cell(std::string_view cell, std::size_t width, std::string& line) {
  if (is_ascii(cell))
    line.append(cell).append(width - cell.size() + kGap, ' ');
  else
    line += fmt::format("{:<{}}  ", cell, width);
}

std::string summary(const std::vector<SummaryRow>& networks) {
  const SummaryRow header = SummaryRow::header();
  std::array<std::size_t, SummaryRow::kCells> widths{};
  const auto each_row = [&](auto use) {
    use(header);
    std::ranges::for_each(networks, use);
  };
  each_row([&](const SummaryRow& row) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  });
  std::size_t width = 0;
  for (const std::size_t column : widths)
    width += column + kGap;
  const bool fits = width - kGap <= report::terminal_width();
  std::string text;
  std::string line;
  each_row([&](const SummaryRow& row) {
    line.clear();
    if (fits)
      append_cell(row[0], widths[0], line);
    else
      line.append(row[0]).append("\n  ");
    for (std::size_t i = 1; i < widths.size(); ++i)
      append_cell(row[i], widths[i], line);
    line.erase(line.find_last_not_of(' ') + 1);
    text.append(line).append("\n");
  });
  return text;
}

}  // namespace

Renderer::Network Renderer::render(const EffectiveDataplane& network) const {
  Network rendered;
  if (form_ != Form::Json) rendered.row = SummaryRow::of(network);
  if (form_ == Form::Text) rendered.text = '\n' + print_network(network);
  if (form_ == Form::Json) rendered.text = json_part(network);
  return rendered;
}

void Renderer::add(Network rendered) {
  ++networks_;
  if (rendered.row) rows_.push_back(*std::move(rendered.row));
  if (form_ != Form::Summary) texts_.push_back(std::move(rendered.text));
}

std::vector<std::string> Renderer::finish(const Findings& findings) {
  std::vector<std::string> parts;
  if (form_ == Form::Json) parts.push_back(json_head());
  if (form_ == Form::Summary || (form_ == Form::Text && networks_ > 1))
    parts.push_back(summary(rows_));
  else if (networks_ > 0)
    texts_.front().erase(0, 1);  // The newline or comma that separates networks.
  std::ranges::move(texts_, std::back_inserter(parts));
  if (form_ == Form::Json) parts.push_back(json_tail(networks_ > 0, findings));
  if (form_ != Form::Json) parts.push_back(report::remarks_text(findings, style_));
  return parts;
}

Rendering render(document::Stream stream, const derive::DeriveOptions& options, Form form,
                 unsigned threads, const document::Progress& progress, report::Style style) {
  Renderer renderer(form, style);
  Findings findings = explain_each(
      std::move(stream), options,
      [&](const EffectiveDataplane& network) { return renderer.render(network); },
      [&](Renderer::Network rendered) { renderer.add(std::move(rendered)); }, threads, progress);
  std::vector<std::string> text = renderer.finish(findings);
  return {renderer.networks(), std::move(text), std::move(findings)};
}

}  // namespace overlane::explain
