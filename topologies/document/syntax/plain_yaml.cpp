#include "topologies/document/syntax/plain_yaml.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

namespace {

/// Maximum length of a key; longer keys are rare, and yaml-cpp has its own limits.
constexpr std::size_t kMaxPlainKeyBytes = 256;
constexpr std::size_t kMaxValueBytes = std::size_t{64} << 10;

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

constexpr std::array<bool, 256> letters_and(std::string_view others) {
  std::array<bool, 256> bytes{};
  for (const std::string_view set : {kLetters, others})
    for (const char byte : set)
      bytes[static_cast<unsigned char>(byte)] = true;
  return bytes;
}

// A subset of the characters that YAML allows.
constexpr auto kFirstOfText = letters_and("_./<(+");
constexpr auto kFirstOfKey = letters_and("_/");
constexpr auto kInKey = letters_and("_./-:,=@{}[]\"'()");

bool is_in(const std::array<bool, 256>& set, char byte) {
  return set[static_cast<unsigned char>(byte)];
}

/// Whether yaml-cpp treats the scalar as null.
bool is_null(std::string_view text) {
  return text == "null" || text == "Null" || text == "NULL" || text == "~";
}

/// The text between quotes at both ends, without further quotes or escapes; otherwise nullopt.
std::optional<std::string_view> in_quotes(std::string_view text) {
  const auto closing = text.find(text.front(), 1);
  if (closing == text.npos || closing + 1 != text.size()) return std::nullopt;
  const std::string_view inner = text.substr(1, closing - 1);
  if (text.front() == '"' && inner.find('\\') != inner.npos) return std::nullopt;
  return inner;
}

bool is_quote(char byte) {
  return byte == '"' || byte == '\'';
}

/// Offset of the colon after a key, or npos.
std::size_t find_colon(std::string_view line) {
  std::size_t from = 0;
  if (is_quote(line.front())) {
    from = line.find(line.front(), 1);
    if (from == line.npos) return from;
  }
  const auto colon = line.find(": ", from);
  if (colon != line.npos) return colon;
  return line.ends_with(':') ? line.size() - 1 : line.npos;
}

/// The key of an entry, unquoted.
std::optional<std::string_view> read_key(std::string_view key) {
  if (key.empty() || key.size() > kMaxPlainKeyBytes) return std::nullopt;
  if (is_quote(key.front())) return in_quotes(key);
  // managedFields has a key of one dot; a key of three dots is an elision.
  const bool starts = is_in(kFirstOfKey, key.front()) || key == ".";
  const bool plain =
      starts && std::ranges::all_of(key, [](char byte) { return is_in(kInKey, byte); });
  return plain && !is_null(key) ? std::optional(key) : std::nullopt;
}

bool is_text(std::string_view value) {
  const bool negative = value.front() == '-' && value.size() > 1 && is_in(kFirstOfText, value[1]);
  return (negative || is_in(kFirstOfText, value.front())) && value.back() != ':' &&
         value.back() != ' ' && value.find(": ") == value.npos && value.find(" #") == value.npos;
}

/// Whether the text is printable ASCII and line feeds only.
bool is_plain_text(std::string_view text) {
  return std::ranges::all_of(
      text, [](char byte) { return (byte >= ' ' && byte <= '~') || byte == '\n'; });
}

/// A line `key: value`, or `key:`, in block-style YAML.
struct PlainEntry {
  std::string_view key;  ///< Without quotes.
  std::string_view value;
  bool is_plain = false;  ///< If false, yaml-cpp must parse the line.
};

/// Splits a line that is not empty. Returns nullopt if it is not an entry: it has no `: ` and no
/// `:` at the end.
std::optional<PlainEntry> split_entry(std::string_view line) {
  const auto colon = find_colon(line);
  if (colon == line.npos) return std::nullopt;
  PlainEntry entry;
  const auto key = read_key(line.substr(0, colon));
  if (!key) return entry;
  entry.key = *key;
  if (colon + 1 < line.size()) entry.value = line.substr(colon + 2);
  entry.is_plain = colon + 1 == line.size() || !entry.value.empty();
  return entry;
}

/// A value that extends to the end of its line.
struct PlainValue {
  enum class Form : std::uint8_t {
    Null,
    Text,
    Quoted,         ///< Without escapes.
    Literal,        ///< A `|`, with the text in the following lines.
    EmptySequence,  ///< []
    EmptyMapping,   ///< {}
    Other,          ///< Another form, which yaml-cpp must parse.
  };
  Form form = Form::Other;
  std::string_view text;  ///< Without quotes.
};

PlainValue read_plain_value(std::string_view value) {
  using Form = PlainValue::Form;
  if (value.empty() || value.size() > kMaxValueBytes) return {};
  if (value == "null") return {Form::Null, value};
  if (value == "|") return {Form::Literal, value};
  if (value == "[]") return {Form::EmptySequence, value};
  if (value == "{}") return {Form::EmptyMapping, value};
  if (is_quote(value.front())) {
    const auto text = in_quotes(value);
    return text ? PlainValue{Form::Quoted, *text} : PlainValue{};
  }
  return is_text(value) && !is_null(value) ? PlainValue{Form::Text, value} : PlainValue{};
}

/// Builds the tree of a text line by line. A function that returns false leaves the text to
/// yaml-cpp.
class PlainYaml {
 public:
  /// Receives every item of the outermost sequence; if empty, the document is one tree.
  using TakeItem = std::function<void(TreeBuilder& item)>;

  PlainYaml(std::string_view text, bool is_item, TakeItem take_item = nullptr)
      : text_(text),
        deepest_(kMaxDepth - (is_item ? kDepthOfItems : 0)),
        take_item_(std::move(take_item)) {}

  bool run() {
    if (!is_plain_text(text_)) return false;
    constexpr std::string_view kStart = "---\n";
    if (text_.starts_with(kStart)) at_ = kStart.size();
    while (at_ < text_.size()) {
      const Line line = line_at(at_);
      at_ = line.next;
      if (!line.text.empty() && !take_line(line)) return false;
    }
    if (blocks_.empty() || wants_block_) return false;
    while (!blocks_.empty())
      if (!close()) return false;
    return true;
  }

  TreeBuilder& builder() { return builder_; }

 private:
  /// An open mapping or sequence.
  struct Block {
    Kind kind;
    std::size_t column;
  };

  struct Line {
    std::string_view text;  ///< Without the blanks before it.
    std::size_t column = 0;
    std::size_t next = 0;  ///< Where the next line starts.
  };

  Line line_at(std::size_t at) const {
    const auto end = std::min(text_.find('\n', at), text_.size());
    const std::string_view line = text_.substr(at, end - at);
    const auto column = std::min(line.find_first_not_of(' '), line.size());
    return {line.substr(column), column, std::min(end + 1, text_.size())};
  }

  std::uint32_t position(std::string_view part) const {
    return static_cast<std::uint32_t>(part.data() - text_.data());
  }

  bool take_line(const Line& line) {
    const auto [text, column, next] = line;
    if (text.front() == '#') return take_comment(column);
    const bool item = text.starts_with("- ");
    if (!find_block(item ? Kind::Sequence : Kind::Mapping, text, column)) return false;
    after_text_ = false;
    return item ? take_item(text.substr(2), column + 2) : take_entry(text);
  }

  /// Whether a comment is allowed here: a text may continue after a comment that is indented deeper
  /// than its block.
  bool take_comment(std::size_t column) const {
    return !after_text_ || column <= blocks_.back().column;
  }

  /// Closes the blocks that end before the line, and opens the block that it starts.
  bool find_block(Kind kind, std::string_view line, std::size_t column) {
    if (wants_block_) {
      const std::size_t outer = blocks_.back().column;
      const bool deeper = kind == Kind::Sequence ? column >= outer : column > outer;
      wants_block_ = false;
      return deeper && open(kind, line, column);
    }
    if (blocks_.empty()) return !std::exchange(started_, true) && open(kind, line, column);
    while (blocks_.back().column > column ||
           (blocks_.back().kind == Kind::Sequence && kind == Kind::Mapping))
      if (!close() || blocks_.empty()) return false;
    return blocks_.back().column == column && blocks_.back().kind == kind;
  }

  bool take_item(std::string_view item, std::size_t column) {
    if (item.empty()) return false;
    const auto key = split_entry(item);
    if (!key) return take_value(item);
    return open(Kind::Mapping, item, column) && take_entry(item);
  }

  bool take_entry(std::string_view line) {
    const auto entry = split_entry(line);
    if (!entry || !entry->is_plain) return false;
    builder_.key(entry->key, position(line));
    wants_block_ = entry->value.empty();
    return wants_block_ || take_value(entry->value);
  }

  bool take_value(std::string_view value) {
    const std::uint32_t at = position(value);
    const PlainValue read = read_plain_value(value);
    switch (read.form) {
      case PlainValue::Form::Other:
        return false;
      case PlainValue::Form::Null:
        builder_.null(at);
        break;
      case PlainValue::Form::Text:
        after_text_ = true;
        builder_.scalar(with_more_lines(read.text), false, at);
        break;
      case PlainValue::Form::Literal:
        if (!read_literal()) return false;
        builder_.scalar(lines_, true, at);
        break;
      case PlainValue::Form::Quoted:
        builder_.scalar(read.text, true, at);
        break;
      case PlainValue::Form::EmptySequence:
      case PlainValue::Form::EmptyMapping:
        if (builder_.depth() == deepest_) return false;
        builder_.open(read.form == PlainValue::Form::EmptyMapping ? Kind::Mapping : Kind::Sequence,
                      at);
        builder_.close();
        break;
    }
    hand_on_item();
    return true;
  }

  /// Appends the lines that continue a text: those indented deeper than its block. Stops at lines
  /// that do not belong to a plain text.
  std::string_view with_more_lines(std::string_view text) {
    lines_.clear();
    for (Line line = line_at(at_); line.column > blocks_.back().column &&
                                   read_plain_value(line.text).form == PlainValue::Form::Text;
         line = line_at(at_)) {
      if (lines_.empty()) lines_ = text;
      lines_.append(" ").append(line.text);
      at_ = line.next;
    }
    return lines_.empty() ? text : lines_;
  }

  /// Reads the lines after a `|`; none of them may be empty.
  bool read_literal() {
    lines_.clear();
    const std::size_t margin = line_at(at_).column;
    if (margin <= blocks_.back().column) return false;
    while (at_ < text_.size()) {
      const Line line = line_at(at_);
      if (line.text.empty() || text_[line.next - 1] != '\n') return false;
      if (line.column < margin) break;
      lines_.append(text_.substr(at_ + margin, line.next - at_ - margin));
      at_ = line.next;
    }
    return true;
  }

  bool open(Kind kind, std::string_view line, std::size_t column) {
    const bool list = take_item_ && blocks_.empty();
    if (list && kind != Kind::Sequence) return false;
    if (builder_.depth() == deepest_) return false;
    blocks_.push_back({kind, column});
    if (!list) builder_.open(kind, position(line));
    return true;
  }

  bool close() {
    blocks_.pop_back();
    if (builder_.depth() == 0) return true;
    builder_.close();
    if (builder_.duplicate_key()) return false;
    hand_on_item();
    return true;
  }

  void hand_on_item() {
    if (take_item_ && builder_.depth() == 0) take_item_(builder_);
  }

  std::string_view text_;
  std::size_t deepest_;
  TakeItem take_item_;
  TreeBuilder builder_;
  std::vector<Block> blocks_;  ///< The open blocks; the list of items is not in the builder.
  std::size_t at_ = 0;         ///< Where the next line starts.
  std::string lines_;          ///< A text of several lines.
  bool started_ = false;
  bool wants_block_ = false;  ///< The last line was a key without a value.
  bool after_text_ = false;   ///< The last line ended with a plain text.
};

}  // namespace

std::optional<Tree> parse_plain_yaml(std::string_view text, const Origin& origin, PartOf part_of) {
  PlainYaml yaml(text, part_of.list != nullptr);
  if (!yaml.run()) return std::nullopt;
  return yaml.builder().finish(LineMap(origin, text), std::move(part_of));
}

std::optional<std::vector<Tree>> parse_plain_yaml_items(
    std::string_view text, const Origin& origin, std::size_t first,
    const std::shared_ptr<const ListHead>& list) {
  ItemTrees items(text, origin, first, list);
  PlainYaml yaml(text, list != nullptr, [&](TreeBuilder& item) { items.add(item); });
  if (!yaml.run()) return std::nullopt;
  return items.take();
}

}  // namespace overlane::document
