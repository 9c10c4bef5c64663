#include "results/answer/document.h"

#include <fmt/format.h>

namespace overlane::answer {
namespace {

/// Collects the texts of blocks.
class Texts {
 public:
  explicit Texts(std::vector<std::string>& texts) : texts_(texts) {}

  void operator()(const VerdictLine& verdict) {
    add(verdict.word);
    add(verdict.text);
  }
  void operator()(const Paragraph& paragraph) {
    add(paragraph.label);
    add(paragraph.text);
  }
  void operator()(const Facts& facts) {
    for (const Fact& fact : facts.facts) {
      add(fact.label);
      add(fact.value);
    }
  }
  void operator()(const List& list) {
    for (const std::string& item : list.items)
      add(item);
  }
  void operator()(const Verbatim& verbatim) {
    for (const std::string& line : verbatim.lines)
      add(line);
  }
  void operator()(const Table& table) {
    if (table.rows.empty()) return;  // Empty tables are not printed.
    add(table.title);
    for (const Column& column : table.columns)
      add(column.name);
    for (const TableRow& row : table.rows) {
      std::string text = row.label;
      for (const Cell& cell : row.cells)
        text += fmt::format(" {}", cell.text.empty() ? kNoValue : std::string_view(cell.text));
      add(std::move(text));
      add(row.explanation);
    }
  }
  void operator()(const Commands& commands) { add(commands.commands); }
  void operator()(const Steps& steps) {
    for (const Step& step : steps.steps) {
      add(step.action);
      add(step.commands);
      add(step.wait_for);
      add(step.wait_commands);
      add(step.undo);
      add(step.undo_commands);
    }
  }
  void operator()(const Chart& chart) {
    add(chart.title);
    for (const Chart::Row& row : chart.rows)
      add(row.label);
  }

 private:
  void add(std::string text) {
    if (!text.empty()) texts_.push_back(std::move(text));
  }
  void add(const std::vector<Command>& commands) {
    for (const Command& command : commands) {
      add(command.cluster);
      add(command.text);
    }
  }

  std::vector<std::string>& texts_;
};

}  // namespace

std::string_view to_string(Tone tone) {
  switch (tone) {
    case Tone::Plain:
      return "";
    case Tone::Good:
      return "good";
    case Tone::Note:
      return "info";
    case Tone::Warning:
      return "warning";
    case Tone::Bad:
      return "bad";
  }
  return "";
}

Tone tone_of(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return Tone::Bad;
    case Severity::Warning:
      return Tone::Warning;
    case Severity::Note:
      return Tone::Note;
  }
  return Tone::Plain;
}

Paragraph remark(const Finding& finding) {
  const std::string place = finding.place.to_string();
  const std::string origin =
      fmt::format("{}{}{}", finding.rule, finding.rule.empty() || place.empty() ? "" : ", ", place);
  return {.tone = tone_of(finding.severity),
          .label = std::string(to_string(finding.severity)),
          .text = fmt::format("{}{}{}", finding.message,
                              finding.hint.empty() ? "" : "; " + finding.hint,
                              origin.empty() ? "" : fmt::format(" [{}]", origin))};
}

Section remarks(const Findings& findings) {
  Section section{.heading = std::string(kRemarksHeading), .blocks = {}};
  for (const Finding& finding : findings)
    section.blocks.emplace_back(remark(finding));
  return section;
}

std::vector<Span> spans_of(std::string_view text) {
  std::vector<Span> spans;
  while (!text.empty()) {
    const std::size_t begin = text.find('`');
    const std::size_t end = begin == text.npos ? begin : text.find('`', begin + 1);
    if (end == text.npos) {
      spans.push_back({text, false});
      break;
    }
    if (begin > 0) spans.push_back({text.substr(0, begin), false});
    if (end > begin + 1) spans.push_back({text.substr(begin + 1, end - begin - 1), true});
    text.remove_prefix(end + 1);
  }
  return spans;
}

std::vector<std::string> texts_of(const Document& document, Detail detail) {
  std::vector<std::string> texts;
  Texts collect(texts);
  for (const Section& section : document.sections) {
    if (section.detail > detail) continue;
    if (!section.heading.empty()) texts.push_back(section.heading);
    for (const Block& block : section.blocks)
      std::visit(collect, block);
  }
  return texts;
}

}  // namespace overlane::answer
