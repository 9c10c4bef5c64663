#include "topologies/document/syntax/cut.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "topologies/document/syntax/diagnosis.h"
#include "topologies/document/syntax/yaml_events.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

namespace {

constexpr std::string_view kMarkerLine = "\n---";

/// Offset of a leading { or [, with only blanks and line ends before it. Such a document may be one
/// line of gigabytes, so its end is not searched.
std::optional<std::size_t> opening(std::string_view text) {
  const auto at = text.find_first_not_of(" \t\r\n");
  if (at == text.npos || (text[at] != '{' && text[at] != '[')) return std::nullopt;
  return at;
}

bool has_content(std::string_view text) {
  if (opening(text)) return true;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (marks(line, "---")) {
      if (!is_empty_line(line.substr(3))) return true;
    } else if (!marks(line, "...") && !line.starts_with('%') && !is_empty_line(line)) {
      return true;
    }
  }
  return false;
}

/// Offset of the next `---` line after the first line, or the end.
std::size_t next_document_start(std::string_view text) {
  for (auto at = text.find(kMarkerLine); at != text.npos; at = text.find(kMarkerLine, at + 1)) {
    std::string_view rest = text.substr(at + 1);
    if (marks(take_line(rest), "---")) return at + 1;
  }
  return text.size();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kTrimmed = " \t\r\n";
  const auto begin = text.find_first_not_of(kTrimmed);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kTrimmed) + 1 - begin);
}

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

bool marks(std::string_view line, std::string_view marker) {
  constexpr std::string_view kBehind = " \t\r\n";
  return line.starts_with(marker) &&
         (line.size() == marker.size() || kBehind.find(line[marker.size()]) != kBehind.npos);
}

bool is_empty_line(std::string_view line) {
  const auto start = line.find_first_not_of(kBlank);
  return start == line.npos || line[start] == '#';
}

std::vector<TextPart> cut_documents(const TextPart& text) {
  std::vector<TextPart> documents;
  TextPart rest = text;
  while (!rest.text.empty()) {
    const TextPart document{rest.text.substr(0, next_document_start(rest.text)), rest.origin,
                            rest.plain};
    if (has_content(document.text)) documents.push_back(document);
    rest.text.remove_prefix(document.text.size());
    if (!rest.text.empty()) rest.origin = rest.origin.after(document.text);
  }
  return documents;
}

std::size_t last_document_start(std::string_view whole) {
  constexpr std::size_t kStartBytes = 4;  // Length of a marker with the byte that completes it.
  std::string_view text = whole;
  while (true) {
    // Faster than rfind, which compares single bytes.
    const auto* line_end = static_cast<const char*>(memrchr(text.data(), '\n', text.size()));
    if (line_end == nullptr) return std::string_view::npos;
    const auto at = static_cast<std::size_t>(line_end - text.data());
    const std::string_view behind = whole.substr(at + 1, kStartBytes);
    if (behind.size() == kStartBytes && marks(behind, "---")) return at + 1;
    text = text.substr(0, at);
  }
}

TextPart flow_content(const TextPart& document) {
  std::string_view rest = document.text;
  std::optional<std::size_t> begin = opening(rest);
  while (!begin && !rest.empty()) {
    const std::string_view line = take_line(rest);
    const std::string_view content = marks(line, "---") ? line.substr(3) : line;
    if (is_empty_line(content)) continue;
    begin = opening(content);
    if (!begin) return {};
    *begin += static_cast<std::size_t>(content.data() - document.text.data());
  }
  if (!begin) return {};
  return {document.text.substr(*begin), document.origin.after(document.text.substr(0, *begin))};
}

namespace {

constexpr std::string_view kKey = "items:";

/// Offset of the text after the line `items:`, or npos.
std::size_t find_items(std::string_view text) {
  const auto is_key_line = [&](std::size_t at) {
    std::string_view rest = text.substr(at);
    const std::string_view line = take_line(rest);
    return line.starts_with(kKey) && is_empty_line(line.substr(kKey.size()));
  };
  constexpr std::string_view kKeyLine = "\nitems:";
  std::size_t at = 0;
  while (!is_key_line(at)) {
    at = text.find(kKeyLine, at);
    if (at == text.npos) return at;
    ++at;
  }
  const auto end = text.find('\n', at);
  return end == text.npos ? text.npos : end + 1;
}

bool is_item_line(std::string_view line, std::size_t column) {
  return line[column] == '-' &&
         (line.size() == column + 1 || kBlank.find(line[column + 1]) != kBlank.npos);
}

/// Offset of the first line with content if it is an item of a root sequence, or npos.
std::size_t find_array(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto at = static_cast<std::size_t>(rest.data() - text.data());
    const std::string_view line = take_line(rest);
    if (is_empty_line(line) || (marks(line, "---") && is_empty_line(line.substr(3)))) continue;
    return is_item_line(line, 0) ? at : text.npos;
  }
  return text.npos;
}

/// Whether the text contains an alias (`*name`). False positives in literal text are possible.
bool may_hold_alias(std::string_view text) {
  constexpr std::string_view kBefore = " \t\n[{,";
  for (auto at = text.find('*'); at != text.npos; at = text.find('*', at + 1)) {
    const bool starts = at > 0 && kBefore.find(text[at - 1]) != kBefore.npos;
    const bool named = at + 1 < text.size() &&
                       std::string_view(" \t\r\n*").find(text[at + 1]) == std::string_view::npos;
    if (starts && named) return true;
  }
  return false;
}

/// Offset of the last line that starts an item; 0 if there is none after the first line.
std::size_t find_last_item(std::string_view document, std::size_t column) {
  const auto at = document.rfind("\n" + std::string(column, ' ') + "- ");
  return at == document.npos ? 0 : at + 1;
}

/// Whether the line starts another key of the list.
bool is_root_key(std::string_view line) {
  constexpr std::array<std::string_view, 3> kKeys = {"apiVersion:", "kind:", "metadata:"};
  return std::ranges::any_of(kKeys, [&](std::string_view key) { return line.starts_with(key); }) ||
         marks(line, "...");
}

/// Splits a list at its items. `is_broken`: see find_broken_block_list().
std::optional<BlockList> split(std::string_view document, bool is_broken) {
  std::size_t begin = find_items(document);
  const bool is_array = begin == document.npos;
  if (is_array) begin = find_array(document);
  if (begin == document.npos) return std::nullopt;
  std::vector<std::size_t> starts;
  std::size_t column = 0;
  std::size_t last = 0;  ///< The last item of a broken list.
  std::string_view rest = document.substr(begin);
  std::size_t end = document.size();
  while (!rest.empty()) {
    const auto at = static_cast<std::size_t>(rest.data() - document.data());
    const std::string_view line = take_line(rest);
    if (is_empty_line(line)) continue;
    const auto indentation = line.find_first_not_of(' ');
    if (starts.empty()) {
      column = indentation;
      if (is_broken) last = find_last_item(document, column);
    }
    if (indentation > column) continue;
    const bool is_item = indentation == column && is_item_line(line, column);
    if (is_broken && !starts.empty() && !is_item && (at < last || !is_root_key(line))) continue;
    if (!is_item) {
      end = at;
      break;
    }
    starts.push_back(at);
  }
  if (starts.empty()) return std::nullopt;
  const std::string_view items = document.substr(starts.front(), end - starts.front());
  if (!is_broken && may_hold_alias(items)) return std::nullopt;
  // Text after a root sequence is not YAML.
  if (is_array && !is_broken && end != document.size()) return std::nullopt;

  BlockList list{.items = {}, .head = {}, .is_array = is_array};
  list.items.reserve(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i)
    list.items.push_back(
        document.substr(starts[i], (i + 1 < starts.size() ? starts[i + 1] : end) - starts[i]));
  if (!is_array) list.head.append(document.substr(0, begin)).append(document.substr(end));
  return list;
}

/// Each pass parses the whole text and finds one more bad item.
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
  /// An item and its place. Without tree and refusal, it needs the other items.
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
      blank(item);  // The item is only a dash.
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

std::optional<BlockList> find_block_list(std::string_view document) {
  return split(document, false);
}

std::optional<BlockList> find_broken_block_list(std::string_view document) {
  return split(document, true);
}

std::size_t find_flow_items(std::string_view document) {
  std::string_view rest = document;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (!line.starts_with(kKey)) continue;
    const auto at = line.find_first_not_of(' ', kKey.size());
    if (at != line.npos && line[at] == '[')
      return static_cast<std::size_t>(line.data() - document.data()) + at;
  }
  return document.npos;
}

std::vector<Result<Tree>> parse_broken_items(const TextPart& document, const BlockList& list,
                                             const std::shared_ptr<const ListHead>& head) {
  return BrokenItems(document, list, head).read();
}

}  // namespace overlane::document
