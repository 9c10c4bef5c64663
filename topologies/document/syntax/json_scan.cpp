#include "topologies/document/syntax/json_scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "topologies/document/syntax/cut.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace overlane::document {

namespace {

/// Finds the brackets outside of strings in 64 bytes of JSON.
class JsonBlock {
 public:
  static constexpr std::size_t kBytes = 64;

  /// `in_string`: the bytes start within a string.
  JsonBlock(const char* bytes, bool in_string);

  /// Whether a string contains an escape or a line end, which needs the slow scan.
  bool needs_slow_scan() const { return needs_slow_scan_; }
  bool ends_in_string() const { return ends_in_string_; }
  std::size_t opened() const { return static_cast<std::size_t>(std::popcount(opens_)); }
  std::size_t closed() const { return static_cast<std::size_t>(std::popcount(closes_)); }

 private:
  bool needs_slow_scan_;
  bool ends_in_string_;
  std::uint64_t opens_;
  std::uint64_t closes_;
};

#ifdef __SSE2__
/// Compares sixteen bytes at a time (SSE2); each match is a bit.
class Bytes {
 public:
  explicit Bytes(const char* bytes) { std::memcpy(parts_, bytes, sizeof parts_); }

  /// Bit i: byte i, with the bits `ignored` set, equals `wanted`.
  std::uint64_t equal(char wanted, char ignored = 0) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kParts; ++i) {
      const __m128i part = _mm_or_si128(parts_[i], _mm_set1_epi8(ignored));
      const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(part, _mm_set1_epi8(wanted)));
      bits |= std::uint64_t{static_cast<std::uint32_t>(equal)} << (16 * i);
    }
    return bits;
  }

 private:
  static constexpr std::size_t kParts = JsonBlock::kBytes / sizeof(__m128i);

  __m128i parts_[kParts];
};
#else
/// Compares one byte at a time.
class Bytes {
 public:
  explicit Bytes(const char* bytes) : bytes_(bytes) {}

  std::uint64_t equal(char wanted, char ignored = 0) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < JsonBlock::kBytes; ++i)
      bits |= std::uint64_t{(bytes_[i] | ignored) == wanted} << i;
    return bits;
  }

 private:
  const char* bytes_;
};
#endif

/// Sets bit i if the number of set bits up to i is odd.
std::uint64_t odd_so_far(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2)
    bits ^= bits << shift;
  return bits;
}

JsonBlock::JsonBlock(const char* bytes, bool in_string) {
  constexpr char kBraceOrBracket = 0x20;  // { is [ with this bit, and } is ].
  const Bytes block(bytes);
  const std::uint64_t before = in_string ? ~std::uint64_t{0} : 0;
  const std::uint64_t strings = odd_so_far(block.equal('"')) ^ before;
  needs_slow_scan_ = (block.equal('\\') | (block.equal('\n') & strings)) != 0;
  ends_in_string_ = strings >> (kBytes - 1) != 0;
  opens_ = block.equal('{', kBraceOrBracket) & ~strings;
  closes_ = block.equal('}', kBraceOrBracket) & ~strings;
}

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
          if (in_items_ && depth_ == items_depth_) end_item();
          break;
      }
    }
    return finish(text_.size());
  }

 private:
  /// Skips whole blocks. Returns whether it moved. Stops at a block that needs the slow scan or
  /// that may close an item or the value.
  bool pass_blocks() {
    const std::size_t shallowest = in_items_ ? items_depth_ + 1 : 2;
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
    if (text_[at_] != '[' || !starts_items()) return;
    // The parser refuses a second list with the key `items`.
    if (++lists_ > 1) return;
    in_items_ = true;
    items_depth_ = depth_;
    list_begin_ = at_;
    item_begin_ = at_ + 1;
  }

  /// Whether the bracket just opened begins a root array, or `items` of a root object.
  bool starts_items() const {
    return depth_ == 1 ? at_ == 0 : depth_ == 2 && last_string_ == "items" && text_[0] == '{';
  }

  void close() {
    --depth_;
    if (depth_ == 1) last_string_ = {};
    if (!in_items_ || depth_ + 1 != items_depth_) return;
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
    if (lists_ != 1 || has_gap_) {
      extent_.list = {};
      extent_.items.clear();
    }
    return std::move(extent_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t next_try_ = 0;  ///< Where pass_blocks() resumes.
  std::size_t depth_ = 0;
  std::string_view last_string_;  ///< Last string directly in the root object.
  int lists_ = 0;
  std::size_t items_depth_ = 0;  ///< Depth of the list's bracket.
  bool in_items_ = false;
  bool has_gap_ = false;  ///< Whether an item is missing, as in `[1,,2]` or `[1,]`.
  std::size_t list_begin_ = 0;
  std::size_t item_begin_ = 0;
  JsonExtent extent_;
};

/// Finds the items of a broken list, byte by byte.
class BrokenScan {
 public:
  explicit BrokenScan(std::string_view text) : text_(text) {}

  JsonExtent run() {
    JsonExtent extent{.text = text_, .closed = false, .open_item = text_.size()};
    const auto begin = find_list();
    if (!begin) return extent;
    at_ = *begin + 1;
    bool after_comma = false;
    while (!extent.closed && skip_blanks()) {
      const std::size_t item = at_;
      if (text_[at_] == ']') {
        ++at_;
        extent.closed = true;
      } else if (text_[at_] == ',') {
        if (after_comma || extent.items.empty()) extent.items.push_back(text_.substr(at_, 1));
        after_comma = true;
        ++at_;
      } else {
        if (extent.items.empty()) indentation_ = indentation_of(item);
        const bool is_whole = pass_item();
        if (is_whole) extent.items.push_back(trimmed(text_.substr(item, at_ - item)));
        if (!is_whole) extent.open_item = item;
        after_comma = false;
      }
    }
    if (!extent.closed && extent.open_item == text_.size()) --extent.open_item;
    extent.list = text_.substr(*begin, at_ - *begin);
    if (extent.closed) extent.text = text_.substr(0, end_of_root());
    return extent;
  }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;

  /// Offset of the bracket of a root array, or of `items` in a root object; nullopt without a list.
  std::optional<std::size_t> find_list() {
    if (text_.starts_with('[')) return 0;
    std::size_t depth = 0;
    std::string_view key;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char byte = text_[at];
      if (byte == '"') {
        const std::size_t end = end_of_string(at);
        if (depth == 1) key = text_.substr(at + 1, end - at - 1);
        at = end;
      } else if (byte == '[' && depth == 1 && key == "items") {
        return at;
      } else if (kClasses[static_cast<unsigned char>(byte)] == Class::Open) {
        ++depth;
      } else if (kClasses[static_cast<unsigned char>(byte)] == Class::Close && depth > 0) {
        --depth;
      }
    }
    return std::nullopt;
  }

  bool skip_blanks() {
    at_ = std::min(text_.find_first_not_of(kJsonBlank, at_), text_.size());
    return at_ < text_.size();
  }

  /// Offset of the quote or line end that ends the string that starts at `at`.
  std::size_t end_of_string(std::size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"' && text_[at] != '\n'; ++at)
      if (text_[at] == '\\') ++at;
    return std::min(at, text_.size() - 1);
  }

  /// Number of blanks before `at` if its line contains nothing else before it; otherwise kNone.
  std::size_t indentation_of(std::size_t at) const {
    const std::size_t line = text_.rfind('\n', at) + 1;  // At the first line, npos + 1 is 0.
    const std::size_t first = text_.find_first_not_of(" \t", line);
    return first == at && line > 0 ? at - line : kNone;
  }

  /// Whether the line that starts at `at` opens an item or closes the list.
  bool is_boundary(std::size_t at) const {
    if (indentation_ == kNone) return false;
    const std::size_t first = text_.find_first_not_of(" \t", at);
    if (first == kNone) return false;
    return (first - at == indentation_ && text_[first] == text_[first_bracket_]) ||
           (first - at < indentation_ && text_[first] == ']');
  }

  /// Moves behind the item. Returns false if the text ends within the item.
  bool pass_item() {
    std::string open;
    first_bracket_ = at_;
    for (; at_ < text_.size(); ++at_) {
      const char byte = text_[at_];
      if (byte == '\n' && !open.empty() && is_boundary(at_ + 1)) return true;
      if (byte == '"') {
        at_ = end_of_string(at_);
        if (text_[at_] == '\n') --at_;
      } else if (byte == '{' || byte == '[') {
        open.push_back(byte);
      } else if (byte == '}' || byte == ']') {
        const auto opened = open.rfind(byte == '}' ? '{' : '[');
        if (opened != open.npos)
          open.resize(opened);
        else if (byte == ']' && (open.empty() || closes_list()))
          return true;
      } else if (byte == ',' && (open.empty() || !is_followed_by_key(open.back()))) {
        return true;
      }
    }
    return open.empty();
  }

  /// Whether the text after the bracket at `at_` is the rest of a root object, or empty.
  bool closes_list() const {
    const std::string_view rest = trimmed(text_.substr(at_ + 1));
    if (rest.empty()) return true;
    if (rest.front() == ',') return trimmed(rest.substr(1)).starts_with('"');
    return rest.front() == '}' && is_empty_line(rest.substr(1, rest.find('\n') - 1));
  }

  /// End offset of the root that contains the list; the list ends at `at_`.
  std::size_t end_of_root() const {
    std::size_t depth = text_.front() == '[' ? 0 : 1;
    std::size_t at = at_;
    for (; depth > 0 && at < text_.size(); ++at) {
      const Class byte = kClasses[static_cast<unsigned char>(text_[at])];
      if (byte == Class::Quote) at = end_of_string(at);
      depth += byte == Class::Open ? 1 : 0;
      depth -= byte == Class::Close ? 1 : 0;
    }
    return std::min(at, text_.size());
  }

  /// Whether the comma at `at_` is valid in the bracket: in an object, a key must follow.
  bool is_followed_by_key(char bracket) const {
    const auto next = text_.find_first_not_of(kJsonBlank, at_ + 1);
    return bracket == '[' || next == kNone || (text_[next] != '{' && text_[next] != '[');
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t indentation_ = kNone;  ///< Number of blanks before each item, if each starts a line.
  std::size_t first_bracket_ = 0;    ///< Offset of the current item's first bracket.
};

}  // namespace

JsonExtent scan_broken_json(std::string_view text) {
  return BrokenScan(text).run();
}

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
