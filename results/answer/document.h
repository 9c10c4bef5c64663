#pragma once

// The answer of a verb as a document, independent of its format.
//
// A verb builds one Document from its result. The renderers write it in each format:
// results/report/document_text.h writes terminal text and Markdown, results/pages/page.h writes
// HTML, and results/report/formats/svg.h draws charts as SVG. A renderer does not depend on the
// subject of the document, so all formats have the same warnings and rows. texts_of() lists the
// texts that every rendering must contain.
//
// All texts are plain: renderers escape them for their format. A span between two backquotes is
// code. The types are values; a document has no reference to the result from which it was built.

#include <cstddef>
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

/// The importance of a text. Renderers show it as a colour; the words of the text must state it,
/// too.
enum class Tone : std::uint8_t { Plain, Good, Note, Warning, Bad };
/// The class of the tone in page.css; empty for Tone::Plain.
std::string_view to_string(Tone tone);

/// The first line of an answer: "verdict: go", and why.
struct VerdictLine {
  std::string word;  ///< The verdict with its conditions.
  Tone tone = Tone::Plain;
  std::string text;
  /// The bare verdict, in front of `word` on pages; empty: `word` is short.
  std::string badge = {};
};

/// Prose. `label` is the kind of the statement, such as "blocker" or "warning"; may be empty.
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

Tone tone_of(Severity severity);
/// A finding as a paragraph: its severity, message and hint, and in brackets its rule and place.
Paragraph remark(const Finding& finding);

struct List {
  std::vector<std::string> items;
};

/// Lines that every renderer prints unchanged, such as bars of characters.
struct Verbatim {
  std::vector<std::string> lines;
};

enum class Align : std::uint8_t { Left, Right };

struct Column {
  std::string name;
  Align align = Align::Right;
  /// Whether the cells may be printed on separate lines below their rows if the table is too wide
  /// for a terminal. Only the last column may set it, and only if it is aligned to the left.
  bool may_leave = false;
};

struct Cell {
  std::string text;  ///< Empty: kNoValue is shown.
  Tone tone = Tone::Plain;
  double share = 0;  ///< Shade of the cell: 0 (none) to 1 (worst value of the table).
};

/// A row of a table. A row without cells is a heading of the rows that follow.
struct TableRow {
  std::string label;
  std::vector<Cell> cells;  ///< One for each column.
  std::string explanation;  ///< Shown on a separate line; may be empty.
};

struct Table {
  std::string title;  ///< Heading of the label column; empty: the section's heading.
  std::vector<Column> columns;
  std::vector<TableRow> rows;
};

/// A shell command. Renderers print it verbatim, except that they may add line breaks outside of
/// quotes, each after a backslash. It may have several lines. It must not contain a here-document,
/// since text renderings are indented.
struct Command {
  std::string text;
  std::string cluster;  ///< Where to run it, "garden" or "shoot"; empty if the context says it.
};
struct Commands {
  std::vector<Command> commands;
};

/// A step that a person carries out.
struct Step {
  std::string action;
  std::vector<Command> commands;
  std::string wait_for;                ///< "all pods are ready"; empty: nothing.
  std::vector<Command> wait_commands;  ///< Commands that show whether `wait_for` holds.
  std::string undo;                    ///< How to undo the step; may be empty.
  std::vector<Command> undo_commands;
};
struct Steps {
  std::vector<Step> steps;
};

/// A chart over time. A row has one share per column of equal duration, shown as a shade; a lane
/// has events. Text renderings show only the rows, so a section with lanes must also list their
/// events.
struct Chart {
  struct Row {
    std::string label;
    std::vector<std::uint32_t> ppm;  ///< One share per column, in each row.
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
  std::string shade;  ///< Meaning of the shares: "node pairs that are interrupted".
  std::string axis;   ///< Origin of the time axis: "after the change of the Shoot".
  double begin = 0;   ///< Seconds, like all times of a chart.
  double end = 1;     ///< Larger than `begin`.
  std::vector<Row> rows;
  std::vector<Lane> lanes;
};

using Block =
    std::variant<VerdictLine, Paragraph, Facts, List, Verbatim, Table, Commands, Steps, Chart>;

/// The renderings that contain a section.
enum class Detail : std::uint8_t {
  Always,
  OnRequest,  ///< Pages, folded; other formats if details are requested.
  PageOnly,   ///< Pages only, folded: pictures and the lists behind them.
};

struct Section {
  std::string heading;  ///< Lower case as in a terminal; may be empty.
  std::vector<Block> blocks;
  Detail detail = Detail::Always;
};

/// Heading of the section with the findings of an answer.
inline constexpr std::string_view kRemarksHeading = "warnings and notes";
/// A section with one remark per finding, in the order given; without blocks if `findings` is
/// empty.
Section remarks(const Findings& findings);

/// The top of a page. It repeats the most important facts of the sections, so other formats leave
/// it out.
struct Overview {
  /// How the figures came about: "simulated", "measured", "derived from manifests".
  std::string origin;
  std::string subject;           ///< "garden-dev/one, 6 nodes on aws".
  std::vector<Fact> highlights;  ///< At most kMaxHighlights, the most important first.
};
inline constexpr std::size_t kMaxHighlights = 3;

struct Document {
  std::string title;  ///< Title of a page; a terminal shows the sections only.
  std::vector<Section> sections;
  Overview overview = {};
};

/// A part of a text: prose, or code from between two backquotes.
struct Span {
  std::string_view text;
  bool is_code = false;
};
/// Splits a text into prose and code. A backquote without a closing one is prose.
std::vector<Span> spans_of(std::string_view text);

/// Every text that a rendering with sections up to `detail` must contain, in order. A row of a
/// table is one text: its label and cells, separated by blanks.
std::vector<std::string> texts_of(const Document& document, Detail detail = Detail::Always);

}  // namespace overlane::answer
