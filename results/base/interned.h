#pragma once

#include <compare>
#include <iosfwd>
#include <string>
#include <string_view>

namespace overlane {

/// A shared text such as a file name. Equal texts are stored once, in a table of the program that
/// only grows, so a copy is one pointer and equality compares pointers. Use it for the few names of
/// a run, not for contents of inputs: the memory is never freed. Any thread may construct one; the
/// table is locked only for a text that is new to the thread. Ordering compares the texts, so that
/// it is the same in every run.
class Interned {
 public:
  Interned() = default;
  Interned(std::string_view text);   // NOLINT: implicit, since it is that text
  Interned(const std::string& text)  // NOLINT
      : Interned(std::string_view(text)) {}
  Interned(const char* text)  // NOLINT
      : Interned(std::string_view(text)) {}

  const std::string& str() const { return *text_; }
  operator const std::string&() const { return *text_; }  // NOLINT
  bool empty() const { return text_->empty(); }

  bool operator==(const Interned& other) const { return text_ == other.text_; }
  std::strong_ordering operator<=>(const Interned& other) const {
    return text_ == other.text_ ? std::strong_ordering::equal : *text_ <=> *other.text_;
  }
  friend std::ostream& operator<<(std::ostream& out, const Interned& text);

 private:
  static const std::string kEmpty;

  const std::string* text_ = &kEmpty;  ///< Never nullptr.
};

}  // namespace overlane
