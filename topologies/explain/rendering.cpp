#include "topologies/explain/rendering.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "results/report/document_text.h"
#include "results/report/text.h"
#include "topologies/explain/explanation.h"

namespace overlane::explain {
namespace {

using effective::EffectiveDataplane;

constexpr std::size_t kGap = 2;  ///< Blanks between columns.

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char byte) { return static_cast<signed char>(byte) >= 0; });
}

/// Pads to the column's width and the gap.
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
    texts_.front().erase(0, 1);  // What separates it from a text before it.
  std::ranges::move(texts_, std::back_inserter(parts));
  if (form_ == Form::Json) parts.push_back(json_tail(networks_ > 0, findings));
  if (form_ != Form::Json) parts.push_back(report::remarks_text(findings));
  return parts;
}

Rendering render(document::Stream stream, const derive::DeriveOptions& options, Form form,
                 unsigned threads, const document::Progress& progress) {
  Renderer renderer(form);
  Findings findings = explain_each(
      std::move(stream), options,
      [&](const EffectiveDataplane& network) { return renderer.render(network); },
      [&](Renderer::Network rendered) { renderer.add(std::move(rendered)); }, threads, progress);
  std::vector<std::string> text = renderer.finish(findings);
  return {renderer.networks(), std::move(text), std::move(findings)};
}

}  // namespace overlane::explain
