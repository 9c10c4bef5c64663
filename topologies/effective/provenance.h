#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "results/base/interned.h"
#include "results/finding/finding.h"
#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/sources/citation.h"

namespace overlane::effective {

// The provenance of a value: the reason as a sentence, its source (a line of a document, or a file
// of Gardener or the CNI), and whether it is assumed because no document gives it. Decided<T> is a
// value with its provenance, Reason is a provenance as it is printed, with the name of the field.
// Sentences are built only when printed. The types are values; any thread.

/// The text of a reason, built only on demand: an explanation has dozens of reasons per shoot, and
/// a summary of a landscape prints none.
class LazyText {
 public:
  LazyText() = default;
  LazyText(std::string text) : head_(std::move(text)) {}  // NOLINT: it says just that
  LazyText(const char* literal) : tail_(literal) {}       // NOLINT
  /// `literal` must have static storage duration.
  explicit LazyText(std::string_view literal) : tail_(literal) {}
  /// A field's path, followed by a literal.
  LazyText(document::FieldPath path, std::string_view literal)
      : head_(std::move(path)), tail_(literal) {}

  bool empty() const { return head_.empty() && tail_.empty(); }
  std::string to_string() const { return head_.to_string().append(tail_); }
  operator std::string() const { return to_string(); }  // NOLINT
  LazyText& operator+=(std::string_view more) { return *this = to_string().append(more); }

  bool operator==(const LazyText& other) const {
    return (tail_ == other.tail_ && head_ == other.head_) || to_string() == other.to_string();
  }

 private:
  document::FieldPath head_;
  std::string_view tail_;
};

/// The source of a value: a location in a document, or rows of topologies/sources.
class Source {
 public:
  Source() = default;
  Source(SourceLocation place) : place_(place) {}  // NOLINT: it is that place
  constexpr Source(sources::Citation citation) : name_(citation.text()) {}  // NOLINT
  consteval Source(const char* citation)                                    // NOLINT
      : Source(sources::Citation(citation)) {}
  Source(const Interned& name) : name_(name.str()) {}  // NOLINT
  Source(const std::string&) = delete;

  bool empty() const { return to_string().empty(); }
  std::string to_string() const { return name_.empty() ? place_.to_string() : std::string(name_); }
  /// The source as in JSON: with the commit and the date of a row of topologies/sources.
  std::string dated() const {
    return name_.empty() ? place_.to_string() : sources::with_dates(name_);
  }
  operator std::string() const { return to_string(); }  // NOLINT

  bool operator==(const Source&) const = default;

 private:
  std::string_view name_;
  SourceLocation place_;
};
/// The reason for a value, its source, and whether it is assumed.
struct Provenance {
  LazyText because;
  Source source;
  bool assumed = false;
};

/// A value with its provenance.
template <typename T>
struct Decided {
  T value{};
  Provenance basis{};
};

/// The provenance of a value that a document gives.
template <typename T>
Provenance as_given(const manifest::Located<T>& field) {
  return {LazyText(field.path, " says so"), field.place, false};
}

/// The provenance of a value that no document gives.
inline Provenance as_assumed(LazyText because, Source source) {
  return {std::move(because), source, true};
}

/// Why a field has its value.
struct Reason {
  std::string_view field;  ///< Name as in the JSON: "dataplane.encapsulation"; static storage.
  std::string value;       ///< The printed value.
  LazyText because;        ///< One sentence.
  Source source;           ///< Location of the deciding field, or the rule's source.
  bool assumed = false;    ///< No document decides, but a named default.
};
/// `field` must have static storage duration.
inline void add_reason(std::vector<Reason>& reasons, std::string_view field, std::string_view value,
                       const Provenance& basis) {
  reasons.push_back({field, std::string(value), basis.because, basis.source, basis.assumed});
}

}  // namespace overlane::effective

template <>
struct fmt::formatter<overlane::effective::LazyText> : fmt::formatter<std::string> {
  auto format(const overlane::effective::LazyText& phrase, fmt::format_context& context) const {
    return fmt::formatter<std::string>::format(phrase.to_string(), context);
  }
};
template <>
struct fmt::formatter<overlane::effective::Source> : fmt::formatter<std::string> {
  auto format(const overlane::effective::Source& source, fmt::format_context& context) const {
    return fmt::formatter<std::string>::format(source.to_string(), context);
  }
};
