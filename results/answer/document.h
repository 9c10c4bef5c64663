#pragma once

// The answer of a verb as a document, independent of its format.
//
// A verb builds one Document from its result. The renderers turn it into the formats:
// results/report/document_text.h into text for a terminal and into Markdown,
// results/pages/page.h into HTML, and results/report/formats/svg.h draws a
// chart as SVG. No renderer knows what the document is about, so that no format can leave out a
// warning or a row that another one has; texts_of() lists what each of them has to contain.
//
// All texts are plain: renderers escape them for their format. A span between two backquotes is
// code. The types are values; nothing here refers to the result that a document was built from.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::answer {

/// Text of a cell without a value.
inline constexpr std::string_view kNoValue = "–";

/// How much a text asks for attention. Colour is never the only sign: a word says the same.
enum class Tone : std::uint8_t { Plain, Good, Note, Warning, Bad };
/// The element's class in page.css, "" for Tone::Plain.
std::string_view to_string(Tone tone);

/// The first line of an answer: "verdict: go", and why.
struct VerdictLine {
  std::string word;
  Tone tone = Tone::Plain;
  std::string text;
};

/// Prose. `label`: what kind of statement it is, "blocker" or "warning"; may be empty.
struct Paragraph {
  Tone tone = Tone::Plain;
  std::string label;
  std::string text;
};

/// A label with its value.
struct Fact {
  std::string label;
  std::string value;
};
struct Facts {
  std::vector<Fact> facts;
};

/// A finding as a remark: its severity, message, hint, and in brackets its rule and place.
Paragraph remark(const Finding& finding);

struct List {
  std::vector<std::string> items;
};

/// Lines with columns that no renderer changes, such as bars of characters.
struct Verbatim {
  std::vector<std::string> lines;
};

enum class Align : std::uint8_t { Left, Right };

struct Column {
  std::string name;
  Align align = Align::Right;
  /// Whether the cells may go on lines of their own below their rows if the table is too wide for a
  /// terminal. Only allowed for the last column, if it is aligned to the left.
  bool may_leave = false;
};

struct Cell {
  std::string text;  ///< Empty: kNoValue is shown.
  Tone tone = Tone::Plain;
  double share = 0;  ///< 0 to 1, how bad the value is among those of its table: shades the cell.
};

/// A row without cells is a heading of the rows that follow.
struct TableRow {
  std::string label;
  std::vector<Cell> cells;  ///< One for each column.
  std::string explanation;  ///< What the row means; on a line of its own. May be empty.
};

struct Table {
  std::string title;  ///< Above the labels; empty: the section's heading.
  std::vector<Column> columns;
  std::vector<TableRow> rows;
};

/// A command for a shell, verbatim: no renderer changes it but for line breaks outside of quotes,
/// each behind a backslash. It may have several lines, and no here-document (text is indented).
struct Command {
  std::string text;
  std::string cluster;  ///< Where to run it, "garden" or "shoot"; empty: said elsewhere.
};
struct Commands {
  std::vector<Command> commands;
};

/// A step that a person carries out.
struct Step {
  std::string action;
  std::vector<Command> commands;
  std::string wait_for;                ///< "all pods are ready"; empty: nothing.
  std::vector<Command> wait_commands;  ///< They show whether `wait_for` holds.
  std::string undo;                    ///< How to go back from here; may be empty.
  std::vector<Command> undo_commands;
};
struct Steps {
  std::vector<Step> steps;
};

/// Something over time. Rows are shaded by a share in columns of equal width; lanes have events.
/// Text shows the rows only: whoever builds a chart with lanes lists its events as well.
struct Chart {
  struct Row {
    std::string label;
    std::vector<std::uint32_t> ppm;  ///< One share per column; all rows have the same number.
  };
  struct Event {
    double at = 0;
    std::string what;
  };
  struct Lane {
    std::string label;
    std::vector<Event> events;
  };

  std::string title;
  std::string shade;  ///< What the shares are of: "node pairs that are interrupted".
  std::string axis;   ///< What the time counts from: "after the change of the Shoot".
  double begin = 0;   ///< In seconds, like all times of a chart.
  double end = 1;     ///< Larger than `begin`.
  std::vector<Row> rows;
  std::vector<Lane> lanes;
};

using Block =
    std::variant<VerdictLine, Paragraph, Facts, List, Verbatim, Table, Commands, Steps, Chart>;

/// Which renderings have a section.
enum class Detail : std::uint8_t {
  Always,
  OnRequest,  ///< Pages, folded; others if they are asked for details.
  PageOnly,   ///< Pages, folded: pictures and the lists behind them.
};

struct Section {
  std::string heading;  ///< Lower case as in a terminal; may be empty.
  std::vector<Block> blocks;
  Detail detail = Detail::Always;
};

/// Heading of the section with the findings of an answer.
inline constexpr std::string_view kRemarksHeading = "warnings and notes";
/// Every finding as a remark, in the order given; without blocks if there is none.
Section remarks(const Findings& findings);

struct Document {
  std::string title;  ///< Title of a page; a terminal shows the sections only.
  std::vector<Section> sections;
};

/// A part of a text: prose, or code that stood between backquotes.
struct Span {
  std::string_view text;
  bool is_code = false;
};
/// A backquote without its second one is prose.
std::vector<Span> spans_of(std::string_view text);

/// Every text that a rendering with sections up to `detail` has to contain, in order. A row of a
/// table is one text, its label and cells separated by blanks.
std::vector<std::string> texts_of(const Document& document, Detail detail = Detail::Always);

}  // namespace overlane::answer
