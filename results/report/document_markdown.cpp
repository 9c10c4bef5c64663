#include "results/report/document_markdown.h"

#include <algorithm>

#include <fmt/format.h>

#include "results/base/text.h"
#include "results/report/document_text.h"
#include "results/report/formats/tables.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

/// Prose, with code between backquotes. Bars are escaped even in code: they would end a cell of a
/// table.
std::string markdown_prose(std::string_view text) {
  const std::string line = one_line(text);
  std::string result;
  for (const answer::Span& span : answer::spans_of(line)) {
    if (!span.is_code) {
      result += markdown_text(span.text);
      continue;
    }
    result += '`';
    for (const char c : span.text)
      result += c == '|' ? std::string("\\|") : std::string(1, c);
    result += '`';
  }
  return result;
}

std::string heading(std::string_view text) {
  return fmt::format("## {}\n\n", markdown_prose(capitalised(std::string(text))));
}

/// Lines of code; a fence is longer than any row of backquotes in them.
std::string code(const std::vector<std::string>& lines, std::string_view language,
                 std::string_view indent) {
  std::size_t longest = 2, row = 0;
  for (const std::string& line : lines)
    for (const char c : line) {
      row = c == '`' ? row + 1 : 0;
      longest = std::max(longest, row);
    }
  const std::string fence(longest + 1, '`');
  std::string text = fmt::format("{}{}{}\n", indent, fence, language);
  for (const std::string& line : lines)
    text += fmt::format("{}{}\n", line.empty() ? "" : indent, line);
  return text + fmt::format("{}{}\n", indent, fence);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(one_line(text.substr(0, end)));
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string commands(const std::vector<answer::Command>& commands, std::string_view indent) {
  if (commands.empty()) return "";
  std::vector<std::string> lines;
  const std::string* cluster = nullptr;
  for (const answer::Command& command : commands) {
    if (!command.cluster.empty() && (cluster == nullptr || *cluster != command.cluster))
      lines.push_back("# " + one_line(command.cluster));
    cluster = &command.cluster;
    std::ranges::copy(lines_of(command.text), std::back_inserter(lines));
  }
  return code(lines, "sh", indent) + '\n';
}

struct MarkdownRenderer {
  std::string operator()(const answer::VerdictLine& verdict) const {
    return fmt::format("**Verdict: {}**: {}\n\n", markdown_prose(verdict.word),
                       markdown_prose(verdict.text));
  }

  std::string operator()(const answer::Paragraph& paragraph) const {
    const std::string label =
        paragraph.label.empty()
            ? ""
            : fmt::format("**{}**: ", capitalised(markdown_prose(paragraph.label)));
    return fmt::format("{}{}\n\n", label, markdown_prose(paragraph.text));
  }

  std::string operator()(const answer::Facts& facts) const {
    std::string text;
    for (const answer::Fact& fact : facts.facts)
      text += fmt::format("- {}: {}\n", markdown_prose(fact.label), markdown_prose(fact.value));
    return text + '\n';
  }

  std::string operator()(const answer::List& list) const {
    std::string text;
    for (const std::string& item : list.items)
      text += fmt::format("- {}\n", markdown_prose(item));
    return text + '\n';
  }

  std::string operator()(const answer::Verbatim& verbatim) const {
    std::vector<std::string> lines;
    for (const std::string& line : verbatim.lines)
      lines.push_back(one_line(line));
    return code(lines, "", "") + '\n';
  }

  std::string operator()(const answer::Table& table) const {
    if (table.rows.empty()) return "";
    const bool is_explained = std::ranges::any_of(
        table.rows, [](const answer::TableRow& row) { return !row.explanation.empty(); });
    std::string text = fmt::format("| {} |", markdown_prose(table.title));
    std::string line = "|---|";
    for (const answer::Column& column : table.columns) {
      text += fmt::format(" {} |", markdown_prose(column.name));
      line += column.align == answer::Align::Left ? "---|" : "---:|";
    }
    text += is_explained ? "  |\n" : "\n";
    text += line + (is_explained ? "---|\n" : "\n");
    for (const answer::TableRow& row : table.rows) {
      text += row.cells.empty() ? fmt::format("| **{}** |", markdown_prose(row.label))
                                : fmt::format("| {} |", markdown_prose(row.label));
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const std::string cell = i < row.cells.size() ? markdown_prose(row.cells[i].text) : "";
        text += fmt::format(" {} |", cell.empty() && !row.cells.empty() ? answer::kNoValue
                                                                        : std::string_view(cell));
      }
      text += is_explained ? fmt::format(" {} |\n", markdown_prose(row.explanation)) : "\n";
    }
    return text + '\n';
  }

  std::string operator()(const answer::Commands& block) const {
    return commands(block.commands, "");
  }

  std::string operator()(const answer::Steps& steps) const {
    constexpr std::string_view kStepIndent = "   ";
    std::string text;
    std::size_t number = 0;
    for (const answer::Step& step : steps.steps) {
      text += fmt::format("{}. {}\n\n", ++number, markdown_prose(step.action));
      text += commands(step.commands, kStepIndent);
      if (!step.wait_for.empty())
        text += fmt::format("{}Go on when {}.\n\n", kStepIndent, markdown_prose(step.wait_for));
      text += commands(step.wait_commands, kStepIndent);
      if (!step.undo.empty())
        text += fmt::format("{}To go back: {}\n\n", kStepIndent, markdown_prose(step.undo));
      text += commands(step.undo_commands, kStepIndent);
    }
    return text;
  }

  std::string operator()(const answer::Chart& chart) const {
    const std::string rows = chart_text(chart);
    if (rows.empty()) return "";
    return fmt::format("{}:\n\n{}\n", capitalised(markdown_prose(chart.title)),
                       code(lines_of(std::string_view(rows).substr(0, rows.size() - 1)), "", ""));
  }
};

}  // namespace

std::string document_markdown(const answer::Document& document, bool with_details) {
  std::string text = fmt::format("# {}\n\n", markdown_prose(document.title));
  for (const answer::Section& section : document.sections) {
    if (section.detail > (with_details ? answer::Detail::OnRequest : answer::Detail::Always))
      continue;
    if (!section.heading.empty()) text += heading(section.heading);
    for (const answer::Block& block : section.blocks)
      text += std::visit(MarkdownRenderer(), block);
  }
  text.erase(text.find_last_not_of('\n') + 2);
  return text;
}

}  // namespace overlane::report
