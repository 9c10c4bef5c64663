#include "topologies/document/syntax/json_scan.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "topologies/document/syntax/cut.h"
#include "topologies/document/syntax/json_block.h"

namespace overlane::document {
namespace {

enum class Class : std::uint8_t { Other, Quote, Open, Close, Comma };

constexpr std::array<Class, 256> kClasses = [] {
  std::array<Class, 256> classes{};
  classes['"'] = Class::Quote;
  classes['{'] = classes['['] = Class::Open;
  classes['}'] = classes[']'] = Class::Close;
  classes[','] = Class::Comma;
  return classes;
}();

class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  JsonExtent run() {
    for (at_ = 0; (at_ = next_of_interest()) < text_.size(); ++at_) {
      if (pass_blocks()) continue;
      switch (kClasses[static_cast<unsigned char>(text_[at_])]) {
        case Class::Other:
          break;
        case Class::Quote:
          string();
          break;
        case Class::Open:
          open();
          break;
        case Class::Close:
          close();
          if (depth_ == 0) return finish(at_ + 1);
          break;
        case Class::Comma:
          if (in_items_ && depth_ == 2) end_item();
          break;
      }
    }
    return finish(text_.size());
  }

 private:
  /// Skips whole blocks and returns whether it moved. Only the closing brackets of nested values
  /// matter.
  bool pass_blocks() {
    const std::size_t shallowest = in_items_ ? 3 : 2;
    const std::size_t begin = at_;
    bool in_string = false;
    while (at_ >= next_try_ && text_.size() - at_ >= JsonBlock::kBytes) {
      const JsonBlock block(text_.data() + at_, in_string);
      const std::size_t closed = block.closed();
      if (block.needs_slow_scan() || depth_ < closed + shallowest) {
        next_try_ = at_ + JsonBlock::kBytes;
        break;
      }
      depth_ = depth_ + block.opened() - closed;
      in_string = block.ends_in_string();
      at_ += JsonBlock::kBytes;
    }
    if (at_ == begin) return false;
    if (in_string)
      at_ = end_of_string(at_);
    else
      --at_;
    return true;
  }

  std::size_t next_of_interest() const {
    const char* byte = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    while (byte < end && kClasses[static_cast<unsigned char>(*byte)] == Class::Other)
      ++byte;
    return static_cast<std::size_t>(byte - text_.data());
  }

  /// Offset of the quote or line end that ends the string around `at`.
  std::size_t end_of_string(std::size_t at) const {
    const char* const end = text_.data() + text_.size();
    const char* byte = text_.data() + at;
    while (byte < end && *byte != '"' && *byte != '\n')
      byte += *byte == '\\' ? 2 : 1;
    return static_cast<std::size_t>(std::min(byte, end) - text_.data());
  }

  void string() {
    const std::size_t begin = at_ + 1;
    at_ = end_of_string(begin);
    if (depth_ == 1) last_string_ = text_.substr(begin, at_ - begin);
  }

  void open() {
    ++depth_;
    if (depth_ != 2 || last_string_ != "items" || text_[at_] != '[') return;
    // The parser refuses a second list of that name.
    if (++lists_ > 1) return;
    in_items_ = true;
    list_begin_ = at_;
    item_begin_ = at_ + 1;
  }

  void close() {
    --depth_;
    if (depth_ != 1) return;
    last_string_ = {};
    if (!in_items_) return;
    end_item();
    in_items_ = false;
    extent_.list = text_.substr(list_begin_, at_ + 1 - list_begin_);
  }

  void end_item() {
    const std::string_view item = trimmed(text_.substr(item_begin_, at_ - item_begin_));
    has_gap_ = has_gap_ || (item.empty() && (text_[at_] == ',' || !extent_.items.empty()));
    if (!item.empty()) extent_.items.push_back(item);
    item_begin_ = at_ + 1;
  }

  JsonExtent finish(std::size_t end) {
    extent_.text = text_.substr(0, end);
    extent_.closed = depth_ == 0;
    if (in_items_) {
      extent_.list = text_.substr(list_begin_);
      extent_.open_item =
          std::min(text_.find_first_not_of(kJsonBlank, item_begin_), text_.size() - 1);
    }
    if (lists_ != 1 || has_gap_ || text_.front() != '{') {
      extent_.list = {};
      extent_.items.clear();
    }
    return std::move(extent_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t next_try_ = 0;  ///< Where pass_blocks() resumes.
  std::size_t depth_ = 0;
  std::string_view last_string_;  ///< Directly in the root object.
  int lists_ = 0;
  bool in_items_ = false;
  bool has_gap_ = false;  ///< `[1,,2]` or `[1,]`.
  std::size_t list_begin_ = 0;
  std::size_t item_begin_ = 0;
  JsonExtent extent_;
};

}  // namespace

JsonExtent scan_json(std::string_view text) {
  return Scan(text).run();
}

JsonExtent scan_next_json(std::string_view text) {
  JsonExtent value = scan_json(text);
  if (value.closed) return value;
  const auto another = text.find("\n{", value.open_item + 1);
  if (another != text.npos) value.text = text.substr(0, another + 1);
  return value;
}

}  // namespace overlane::document
