#include "topologies/document/syntax/plain_yaml.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "topologies/document/syntax/item_trees.h"
#include "topologies/document/syntax/plain_line.h"
#include "topologies/document/tree/refusal.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {
namespace {

/// Builds the tree of a text line by line. A function that returns false gives up.
class PlainYaml {
 public:
  /// Takes every item of the outermost sequence; without one, the document is one tree.
  using TakeItem = std::function<void(TreeBuilder& item)>;

  PlainYaml(std::string_view text, bool is_item, TakeItem take_item = nullptr)
      : text_(text),
        deepest_(kMaximumDepth - (is_item ? kDepthOfItems : 0)),
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

  /// A text may continue after a comment that is indented deeper than its block.
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

  /// A text continues in lines that are indented deeper than its block. Leaves lines that do not
  /// belong to a plain text.
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

  /// The lines after a `|`, none of which is empty.
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
  std::vector<Block> blocks_;  ///< Open ones; the list of items is not in the builder.
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
