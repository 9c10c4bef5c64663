#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/report/style.h"

namespace overlane::report {

/// A table for a terminal: each row has a label and one cell per named column, right-aligned unless
/// align_left() was called for the column. Columns that do not fit the width of the terminal go
/// into further tables below, each of which repeats the labels. Cells are printed as they are: the
/// caller escapes texts from inputs (one_line()). Widths count code points, not bytes.
class ColumnTable {
 public:
  /// `title` is printed above the labels.
  explicit ColumnTable(std::vector<std::string> columns, std::string title = "")
      : columns_(std::move(columns)), is_left_(columns_.size()), title_(std::move(title)) {}

  void align_left(std::size_t column) { is_left_[column] = true; }

  /// Starts a group of rows.
  void heading(std::string text);
  /// Adds a row with one cell per column. An empty cell is printed as a dash. `tones` has the
  /// meaning of each cell, or is empty.
  void row(std::string label, std::vector<std::string> cells, std::vector<answer::Tone> tones = {});
  /// Adds lines below the last row; each must end with a line break. Further tables do not repeat
  /// them.
  void explain(std::string lines);

  bool empty() const { return rows_.empty(); }
  std::string to_string(Style style) const;
  /// Returns the rows as a table of a document, for the other output formats.
  answer::Table to_table() const;

 private:
  struct Row {
    std::string label;
    std::vector<std::string> cells;   ///< Empty: a heading.
    std::vector<answer::Tone> tones;  ///< By cell; empty: all plain.
    std::string explanation;

    answer::Tone tone(std::size_t cell) const {
      return tones.empty() ? answer::Tone::Plain : tones[cell];
    }
  };

  std::size_t label_width() const;
  std::size_t column_width(std::size_t column) const;
  void print(std::string& out, std::size_t first, std::size_t end, Style style) const;

  std::vector<std::string> columns_;
  std::vector<bool> is_left_;  ///< By column.
  std::string title_;
  std::vector<Row> rows_;
};

}  // namespace overlane::report
