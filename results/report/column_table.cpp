#include "results/report/column_table.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "results/report/text.h"

namespace overlane::report {
namespace {

constexpr std::string_view kNothing = "–";
constexpr std::size_t kGap = 2;
constexpr std::size_t kRowIndent = 2;  // Before labels of rows.

std::string spaces(std::size_t count) {
  return std::string(count, ' ');
}

std::string aligned(std::string_view text, std::size_t width, bool is_left,
                    answer::Tone tone = answer::Tone::Plain, Style style = Style::Plain) {
  const std::string gap = spaces(width - display_width(text));
  const std::string cell = toned_text(text, tone, style);
  return is_left ? cell + gap : gap + cell;
}

/// A finished line, without the blanks behind a last column that is aligned to the left.
std::string line_text(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

void ColumnTable::heading(std::string text) {
  rows_.push_back({.label = std::move(text), .cells = {}, .tones = {}, .explanation = {}});
}

void ColumnTable::row(std::string label, std::vector<std::string> cells,
                      std::vector<answer::Tone> tones) {
  assert(cells.size() == columns_.size());
  assert(tones.empty() || tones.size() == cells.size());
  for (std::string& cell : cells) {
    if (cell.empty()) cell = kNothing;
  }
  rows_.push_back({.label = std::string(kRowIndent, ' ') + std::move(label),
                   .cells = std::move(cells),
                   .tones = std::move(tones),
                   .explanation = {}});
}

void ColumnTable::explain(std::string lines) {
  assert(!rows_.empty());
  rows_.back().explanation = std::move(lines);
}

std::size_t ColumnTable::label_width() const {
  std::size_t width = display_width(title_);
  for (const Row& row : rows_) {
    if (!row.cells.empty()) width = std::max(width, display_width(row.label));
  }
  return width;
}

std::size_t ColumnTable::column_width(std::size_t column) const {
  std::size_t width = display_width(columns_[column]);
  for (const Row& row : rows_) {
    if (!row.cells.empty()) width = std::max(width, display_width(row.cells[column]));
  }
  return width;
}

std::string ColumnTable::to_string(Style style) const {
  std::string out;
  for (std::size_t first = 0; first < columns_.size();) {
    std::size_t end = first;
    std::size_t width = label_width();
    while (end < columns_.size()) {
      width += kGap + column_width(end);
      if (end > first && width > terminal_width()) break;
      ++end;
    }
    if (first > 0) out += '\n';
    print(out, first, end, style);
    first = end;
  }
  return out;
}

answer::Table ColumnTable::to_table() const {
  answer::Table table{.title = title_, .columns = {}, .rows = {}};
  for (std::size_t i = 0; i < columns_.size(); ++i)
    table.columns.push_back(
        {columns_[i], is_left_[i] ? answer::Align::Left : answer::Align::Right});
  for (const Row& row : rows_) {
    answer::TableRow& added = table.rows.emplace_back();
    added.label = row.label.substr(row.cells.empty() ? 0 : kRowIndent);
    added.explanation = row.explanation;
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      added.cells.push_back({.text = row.cells[i], .tone = row.tone(i)});
  }
  return table;
}

void ColumnTable::print(std::string& out, std::size_t first, std::size_t end, Style style) const {
  const std::size_t labels = label_width();
  std::string names = title_ + spaces(labels - display_width(title_));
  for (std::size_t column = first; column < end; ++column)
    names += spaces(kGap) + aligned(columns_[column], column_width(column), is_left_[column]);
  out += heading_text(names.substr(0, names.find_last_not_of(' ') + 1), style) + '\n';

  for (const Row& row : rows_) {
    if (row.cells.empty()) {
      if (&row != &rows_.front()) out += '\n';
      out += heading_text(row.label, style) + '\n';
      continue;
    }
    std::string line = row.label + spaces(labels - display_width(row.label));
    for (std::size_t column = first; column < end; ++column)
      line += spaces(kGap) + aligned(row.cells[column], column_width(column), is_left_[column],
                                     row.tone(column), style);
    out += line_text(std::move(line));
    if (first == 0) out += row.explanation;
  }
}

}  // namespace overlane::report
