#include "topologies/explain/explanation.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/finding/finding.h"
#include "results/report/text.h"
#include "topologies/document/tree/source_text.h"
#include "topologies/explain/headline.h"
#include "topologies/explain/json_writer.h"

namespace overlane::explain {

Explanation explain(document::Stream stream, const derive::DeriveOptions& options,
                    unsigned threads) {
  Explanation explanation;
  explanation.findings = explain_each(
      std::move(stream), options, [](effective::EffectiveDataplane network) { return network; },
      [&](effective::EffectiveDataplane network) {
        explanation.networks.push_back(std::move(network));
      },
      threads);
  return explanation;
}

namespace {

using document::one_line;
using effective::Dataplane;
using effective::EffectiveDataplane;
using effective::Reason;

constexpr std::size_t kFieldWidth = 20;
constexpr std::size_t kValueWidth = 22;

std::string object_name(const EffectiveDataplane& network) {
  return one_line(network.namespace_.empty()
                      ? network.name
                      : fmt::format("{}/{}", network.namespace_, network.name));
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

/// Depth of the networks in the document.
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

/// Null for nothing.
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

}  // namespace overlane::explain
