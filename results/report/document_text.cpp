#include "results/report/document_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "results/base/text.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

constexpr std::size_t kListIndent = 2;  // Lists, facts and rows of tables.
constexpr std::size_t kExplanationIndent = 6;
constexpr std::size_t kOwnLineIndent = 8;  // Cells on lines of their own.
constexpr std::size_t kCommandIndent = 4;

std::string indented(std::size_t indent, std::string_view text) {
  return wrapped_line(std::string(indent, ' '), text);
}

/// Number of terminal columns of a table.
std::size_t width_of(const answer::Table& table) {
  constexpr std::size_t kBetween = 2;
  std::size_t label = display_width(one_line(table.title));
  std::vector<std::size_t> widths;
  for (const answer::Column& column : table.columns)
    widths.push_back(display_width(one_line(column.name)));
  for (const answer::TableRow& row : table.rows) {
    if (row.cells.empty()) continue;  // A heading may be longer.
    label = std::max(label, kListIndent + display_width(one_line(row.label)));
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], display_width(one_line(row.cells[i].text)));
  }
  for (const std::size_t width : widths)
    label += kBetween + width;
  return label;
}

/// Splits lines of a shell script into words: a blank ends a word only outside of quotes.
class ShellWords {
 public:
  explicit ShellWords(std::string_view line, char quote) : line_(line), quote_(quote) {}

  /// The next word with the blanks before it; empty at the end.
  std::string_view next() {
    const std::size_t begin = at_;
    while (at_ < line_.size() && quote_ == 0 && line_[at_] == ' ')
      ++at_;
    for (; at_ < line_.size(); ++at_) {
      const char c = line_[at_];
      if (c == '\\' && quote_ != '\'' && at_ + 1 < line_.size()) {
        ++at_;
      } else if (quote_ != 0) {
        if (c == quote_) quote_ = 0;
      } else if (c == '\'' || c == '"') {
        quote_ = c;
      } else if (c == ' ') {
        break;
      }
    }
    return line_.substr(begin, at_ - begin);
  }

  bool is_at_end() const { return at_ == line_.size(); }
  /// The quote that is open; 0: none.
  char quote() const { return quote_; }

 private:
  std::string_view line_;
  std::size_t at_ = 0;
  char quote_;
};

/// Renders blocks; the text ends with a line break.
class TextRenderer {
 public:
  explicit TextRenderer(Style style) : style_(style) {}

  std::string section(const answer::Section& section) {
    std::string text;
    heading_ = section.heading;
    for (const answer::Block& block : section.blocks) {
      // A table prints the section's heading above its labels.
      const answer::Table* table = std::get_if<answer::Table>(&block);
      if (!heading_.empty() && (table == nullptr || !table->title.empty() || table->rows.empty()))
        text += heading_text(one_line(std::exchange(heading_, "")), style_) + '\n';
      text += std::visit(*this, block);
    }
    return text;
  }

  std::string operator()(const answer::VerdictLine& verdict) {
    constexpr std::string_view kLabel = "verdict: ";
    std::string headline = wrapped_line(kLabel, verdict.word);
    headline.pop_back();  // The line break is not part of the heading.
    const std::string word = headline.substr(kLabel.size());
    return heading_text(kLabel, style_) +
           (verdict.tone == answer::Tone::Plain ? heading_text(word, style_)
                                                : toned_text(word, verdict.tone, style_)) +
           '\n' + wrapped_line("", verdict.text);
  }

  std::string operator()(const answer::Paragraph& paragraph) {
    const std::string label = paragraph.label.empty() ? "" : one_line(paragraph.label) + ":";
    const std::string text = wrapped_line(label.empty() ? "" : label + ' ', paragraph.text);
    return toned_part(text, 0, label.size(), paragraph.tone, style_);
  }

  std::string operator()(const answer::Facts& facts) {
    std::size_t width = 0;
    for (const answer::Fact& fact : facts.facts)
      width = std::max(width, display_width(one_line(fact.label)));
    std::string text;
    for (const answer::Fact& fact : facts.facts) {
      const std::string label = one_line(fact.label);
      text += wrapped_line(
          std::string(kListIndent + width - display_width(label), ' ') + label + "  ", fact.value);
    }
    return text;
  }

  std::string operator()(const answer::List& list) {
    std::string text;
    for (const std::string& item : list.items)
      text +=
          wrapped(std::string(kListIndent, ' '), one_line(item), terminal_width(), 2 * kListIndent);
    return text;
  }

  std::string operator()(const answer::Verbatim& verbatim) {
    std::string text;
    for (const std::string& line : verbatim.lines)
      text += one_line(line) + '\n';
    return text;
  }

  std::string operator()(const answer::Table& table) {
    if (table.rows.empty()) return "";
    std::vector<std::string> names;
    for (const answer::Column& column : table.columns)
      names.push_back(one_line(column.name));
    const bool leaves = table.columns.size() > 1 && table.columns.back().may_leave &&
                        width_of(table) > terminal_width();
    if (leaves) {
      const std::string name = std::move(names.back());
      names.pop_back();
      names.back() += "  " + name;
    }
    ColumnTable columns(std::move(names),
                        one_line(table.title.empty() ? std::exchange(heading_, "") : table.title));
    for (std::size_t i = 0; i < table.columns.size() - leaves; ++i)
      if (table.columns[i].align == answer::Align::Left) columns.align_left(i);
    for (const answer::TableRow& row : table.rows) {
      if (row.cells.empty()) {
        columns.heading(one_line(row.label));
        continue;
      }
      std::vector<std::string> cells;
      std::vector<answer::Tone> tones;
      for (const answer::Cell& cell : row.cells) {
        cells.push_back(one_line(cell.text));
        tones.push_back(cell.tone);
      }
      std::string below;
      if (leaves) {
        below = indented(kOwnLineIndent, cells.back().empty() ? answer::kNoValue : cells.back());
        cells.pop_back();
        tones.pop_back();
      }
      columns.row(one_line(row.label), std::move(cells), std::move(tones));
      if (!row.explanation.empty()) below += indented(kExplanationIndent, row.explanation);
      if (!below.empty()) columns.explain(std::move(below));
    }
    return columns.to_string(style_);
  }

  std::string operator()(const answer::Commands& block) { return commands(block.commands); }

  std::string operator()(const answer::Steps& steps) {
    std::string text;
    std::size_t number = 0;
    for (const answer::Step& step : steps.steps) {
      text += wrapped_line(fmt::format("{}. ", ++number), step.action);
      text += commands(step.commands);
      if (!step.wait_for.empty())
        text += wrapped_line("   ", fmt::format("Go on when {}.", step.wait_for));
      text += commands(step.wait_commands);
      if (!step.undo.empty()) text += wrapped_line("   To go back: ", step.undo);
      text += commands(step.undo_commands);
    }
    return text;
  }

  std::string operator()(const answer::Chart& chart) {
    return heading_text(one_line(chart.title), style_) + '\n' + chart_text(chart);
  }

 private:
  static std::string commands(const std::vector<answer::Command>& commands) {
    std::string text;
    const std::string* cluster = nullptr;
    for (const answer::Command& command : commands) {
      if (!command.cluster.empty() && (cluster == nullptr || *cluster != command.cluster))
        text += fmt::format("{:{}}# {}\n", "", kCommandIndent, one_line(command.cluster));
      cluster = &command.cluster;
      text += command_text(command.text, kCommandIndent, terminal_width());
    }
    return text;
  }

  Style style_;
  std::string heading_;  ///< The section's heading until a block has printed it.
};

/// The character of a chart for a share.
char shade(std::uint32_t ppm) {
  if (ppm == 0) return ' ';
  if (ppm < 250'000) return '.';
  if (ppm < 500'000) return ':';
  return ppm < 750'000 ? '+' : '#';
}

}  // namespace

std::string command_text(std::string_view command, std::size_t indent, std::size_t width) {
  constexpr std::string_view kBreak = " \\";
  const std::string blanks(indent, ' ');
  std::string text;
  char quote = 0;
  for (bool is_last = false; !is_last;) {
    const std::size_t end = std::min(command.find('\n'), command.size());
    const std::string line = one_line(command.substr(0, end));
    is_last = end == command.size();
    if (!is_last) command.remove_prefix(end + 1);
    // Blanks at the beginning of a line are part of a quoted text that continues there.
    const std::string start = quote == 0 ? blanks : "";
    ShellWords words(line, quote);
    text += start;
    std::size_t column = start.size();
    bool is_first = true, is_comment = false;  // A comment ends the command.
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      const std::string_view bare = word.substr(std::min(word.find_first_not_of(' '), word.size()));
      const std::size_t end_of_line = words.is_at_end() ? 0 : kBreak.size();
      const bool fits = column + display_width(word) + end_of_line <= width;
      if (!is_first && !is_comment && !fits && !bare.empty()) {
        text += fmt::format("{}\n{} ", kBreak, blanks);
        column = indent + 1;
        word = bare;
      }
      text += word;
      column += display_width(word);
      is_comment |= bare.starts_with('#') && !(is_first && quote != 0);
      is_first = false;
    }
    quote = words.quote();
    text += '\n';
  }
  return text;
}

std::string chart_text(const answer::Chart& chart) {
  std::size_t labels = 0;
  for (const answer::Chart::Row& row : chart.rows)
    labels = std::max(labels, display_width(one_line(row.label)));
  std::string text;
  if (chart.rows.empty()) return text;
  for (const answer::Chart::Row& row : chart.rows) {
    const std::string label = one_line(row.label);
    const std::size_t room =
        terminal_width() - std::min(terminal_width(), kListIndent + labels + 2);
    const std::size_t columns =
        std::clamp<std::size_t>(room, 1, std::max<std::size_t>(row.ppm.size(), 1));
    text += fmt::format("{:{}}{}{:{}}|", "", kListIndent, label, "", labels - display_width(label));
    // A character shows the largest share of its columns.
    for (std::size_t i = 0; i < columns; ++i) {
      const auto at = [&](std::size_t column) {
        return row.ppm.begin() + static_cast<std::ptrdiff_t>(column * row.ppm.size() / columns);
      };
      text += at(i) == at(i + 1) ? ' ' : shade(*std::max_element(at(i), at(i + 1)));
    }
    text += "|\n";
  }
  const std::string meaning =
      fmt::format("{}: . below 25 %, : below 50 %, + below 75 %, # more; {} to {} {}", chart.shade,
                  elapsed_text(chart.begin), elapsed_text(chart.end), chart.axis);
  return text + indented(kListIndent, meaning);
}

std::string remarks_text(const Findings& findings, Style style) {
  if (findings.empty()) return "";
  return '\n' +
         document_text({.title = "", .sections = {answer::remarks(findings)}}, {.style = style});
}

std::string document_text(const answer::Document& document, const DocumentTextOptions& options) {
  TextRenderer renderer(options.style);
  std::string text;
  if (options.with_title) text = heading_text(one_line(document.title), options.style) + '\n';
  bool is_first = true;
  for (const answer::Section& section : document.sections) {
    if (section.detail >
        (options.with_details ? answer::Detail::OnRequest : answer::Detail::Always))
      continue;
    const std::string rendered = renderer.section(section);
    if (!is_first && !rendered.empty()) text += '\n';
    is_first = is_first && rendered.empty();
    text += rendered;
  }
  return text;
}

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

/// A code block. The fence is longer than any sequence of backquotes in the lines.
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
