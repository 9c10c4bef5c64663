#pragma once

#include <compare>
#include <iosfwd>
#include <string>
#include <string_view>

namespace overlane {

/// A shared text such as a file name. Equal texts are stored once until the program ends, so a copy
/// is one pointer. For the few names of a run, not for input contents.
class Interned {
 public:
  Interned() = default;
  Interned(std::string_view text);   // NOLINT: it is that text
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
