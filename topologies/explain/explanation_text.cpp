#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "results/report/text.h"
#include "topologies/document/tree/source_text.h"
#include "topologies/explain/explanation.h"
#include "topologies/explain/headline.h"
#include "topologies/explain/network_text.h"

namespace overlane::explain {
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

}  // namespace overlane::explain
