#include "topologies/document/plain_yaml.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "topologies/document/item_trees.h"
#include "topologies/document/plain_line.h"
#include "topologies/document/refusal.h"
#include "topologies/document/tree_builder.h"

namespace overlane::document {
namespace {

/// Builds the tree of a text line by line. Whatever returns false gives the text up.
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
    for (; at_ < text_.size(); at_ = end_ + 1) {
      end_ = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = text_.substr(at_, end_ - at_);
      const auto column = std::min(line.find_first_not_of(' '), line.size());
      at_ += column;
      if (column < line.size() && !take_line(line.substr(column), column)) return false;
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

  std::uint32_t position(std::string_view part) const {
    return static_cast<std::uint32_t>(part.data() - text_.data());
  }

  /// `line` starts at `column`.
  bool take_line(std::string_view line, std::size_t column) {
    if (line.front() == '#') return take_comment(column);
    const bool item = line.starts_with("- ");
    if (!find_block(item ? Kind::Sequence : Kind::Mapping, line, column)) return false;
    after_text_ = false;
    return item ? take_item(line.substr(2), column + 2) : take_entry(line);
  }

  /// A text may go on behind a comment that stands further right than its block.
  bool take_comment(std::size_t column) const {
    return !after_text_ || column <= blocks_.back().column;
  }

  /// Closes the blocks that end before the line, and opens the one that starts with it.
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
        builder_.scalar(read.text, false, at);
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
  std::size_t at_ = 0;
  std::size_t end_ = 0;  ///< Of the line.
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
