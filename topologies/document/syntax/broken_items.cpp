#include "topologies/document/syntax/broken_items.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "topologies/document/syntax/diagnosis.h"
#include "topologies/document/syntax/yaml_events.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {
namespace {

/// Each pass parses the whole text and finds one bad item more.
constexpr int kMaxPasses = 32;

/// The state of the items while they are read.
class BrokenItems {
 public:
  BrokenItems(const TextPart& document, const BlockList& list,
              const std::shared_ptr<const ListHead>& head)
      : document_(document), list_(list), head_(head), text_(document.text) {}

  std::vector<Result<Tree>> read() {
    TextPart here = document_;
    for (const std::string_view item : list_.items) {
      const auto skipped = static_cast<std::size_t>(item.data() - here.text.data());
      here = {here.text.substr(skipped), here.origin.after(here.text.substr(0, skipped))};
      read_alone({item, here.origin});
    }
    for (int pass = 0; is_any_open() && pass < kMaxPasses; ++pass)
      read_together();
    return finish();
  }

 private:
  /// An item, its place, and what it is; neither tree nor refusal: it needs the other items.
  struct Item {
    TextPart text;
    std::optional<Tree> tree;
    std::optional<Finding> refusal;

    bool is_open() const { return !tree && !refusal; }
  };

  void read_alone(const TextPart& text) {
    Item& item = items_.emplace_back(Item{text, {}, {}});
    auto alone = parse_yaml_items(text.text, text.origin, items_.size() - 1, head_);
    if (alone && alone->size() == 1) {
      item.tree = std::move(alone->front());
    } else if (!alone && !is_unknown_anchor(alone.error())) {
      refuse(item, std::move(alone.error()));
    } else if (alone) {
      blank(item);  // A dash alone.
      item.tree.emplace();
    }
  }

  bool is_any_open() const { return std::ranges::any_of(items_, &Item::is_open); }

  void read_together() {
    const Result<Tree> whole = parse_yaml(text_, document_.origin, {});
    if (!whole) return refuse_at(whole.error());
    const Value root = whole->root();
    TreeBuilder builder;
    auto item = items_.begin();
    for (const Value value : head_->is_array ? root : root["items"]) {
      if (item == items_.end()) return;
      if (item->is_open()) {
        builder.copy(value);
        item->tree = builder.finish({head_->path_of(index_of(*item)), head_});
      }
      ++item;
    }
  }

  /// Refuses the open item that the finding is about: the last one that starts before its place.
  void refuse_at(const Finding& why) {
    const auto starts_after = [&](const Item& item) {
      const Origin& origin = item.text.origin;
      return std::pair(origin.line, origin.column) > std::pair(why.place.line, why.place.column);
    };
    const auto next = std::ranges::find_if(items_, starts_after);
    if (next != items_.begin() && std::prev(next)->is_open()) return refuse(*std::prev(next), why);
    for (Item& item : items_)
      if (item.is_open()) refuse(item, why);
  }

  void refuse(Item& item, Finding why) {
    const bool is_anchor = is_unknown_anchor(why);
    item.refusal = explain_failure(std::move(why), item.text);
    item.refusal->path = head_->path_of(index_of(item));
    if (is_anchor)
      item.refusal->hint = "write the text of the anchor out, or correct the item that defines it";
    blank(item);
  }

  /// Replaces the item by null; lines and columns of all others stay.
  void blank(const Item& item) {
    const auto begin = static_cast<std::size_t>(item.text.text.data() - document_.text.data());
    bool is_behind_dash = false;
    for (std::size_t at = begin; at < begin + item.text.text.size(); ++at) {
      if (is_behind_dash && text_[at] != '\n') text_[at] = ' ';
      is_behind_dash |= text_[at] == '-';
    }
  }

  std::vector<Result<Tree>> finish() {
    std::vector<Result<Tree>> read;
    for (Item& item : items_) {
      if (item.tree && item.tree->root().exists())
        read.emplace_back(*std::move(item.tree));
      else if (!item.tree)
        read.emplace_back(fail(item.refusal ? *std::move(item.refusal) : given_up(item)));
    }
    return read;
  }

  Finding given_up(const Item& item) const {
    return {.rule = "invalid-yaml",
            .message = "too many items of this list are bad to resolve the aliases of this one",
            .path = head_->path_of(index_of(item)),
            .place = item.text.origin.place(item.text.text, 0),
            .hint = "correct the items that are named, or write the text of the anchors out"};
  }

  static bool is_unknown_anchor(const Finding& why) {
    return why.message.find("the referenced anchor is not defined") != std::string::npos;
  }

  std::size_t index_of(const Item& item) const {
    return static_cast<std::size_t>(&item - items_.data());
  }

  const TextPart& document_;
  const BlockList& list_;
  const std::shared_ptr<const ListHead>& head_;
  std::string text_;  ///< The document, with bad items blanked.
  std::vector<Item> items_;
};

}  // namespace

std::vector<Result<Tree>> parse_broken_items(const TextPart& document, const BlockList& list,
                                             const std::shared_ptr<const ListHead>& head) {
  return BrokenItems(document, list, head).read();
}

}  // namespace overlane::document
