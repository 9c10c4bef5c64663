#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "results/finding/finding.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

struct Shape;

/// Collects what a decoder finds wrong in one document and gives each finding the document's
/// object, the field's path and its place.
class Problems {
 public:
  explicit Problems(ObjectName object);

  void error(const Value& at, std::string_view rule, std::string message, std::string hint = "");
  /// The same with the key's place: for what is wrong with the key, not with the value.
  void key_error(const Value& at, std::string_view rule, std::string message,
                 std::string hint = "");
  void warning(const Value& at, std::string_view rule, std::string message, std::string hint = "");

  bool any_error() const { return any_at_or_above(findings_, Severity::Error); }
  const Findings& findings() const { return findings_; }

  /// From here on, what decoders ask of the document is written into `shape`, which must outlive
  /// the decoding.
  void describe_to(Shape& shape) { shape_ = &shape; }
  /// The place of `value` in that shape, for readers that say more about it; else nullptr.
  Shape* shape_of(const Value& value) const {
    return shape_ == nullptr ? nullptr : described(value);
  }

 private:
  Shape* described(const Value& value) const;
  void add(Severity severity, SourceLocation place, const Value& at, std::string rule,
           std::string message, std::string hint);

  ObjectName object_;
  Findings findings_;
  Shape* shape_ = nullptr;
};

/// Typed, strict reading of one mapping. A field that is absent (or null) reads as nothing; one of
/// the wrong type is an error and reads as nothing, so a decoder goes straight through and looks
/// at Problems once, at the end. Every key asked for counts as known; `no_others` reports the rest.
///
///   Fields spec(root["spec"], problems);
///   const auto replicas = spec.integer("replicas").value_or(1);
///   const Value zones = spec.list("zones");
///   spec.no_others();
class Fields {
 public:
  /// An absent `mapping`, or a field that is null, has no fields; anything else is an error, a null
  /// document too. (A null list item was reported by `list`.)
  Fields(const Value& mapping, Problems& problems);

  const Value& value() const { return mapping_; }
  Problems& problems() const { return *problems_; }

  /// The entry of any kind, absent if there is none.
  Value any(std::string_view key);
  /// The entry, whose absence is an error, and so is an empty string. In a block that is itself
  /// absent it is reported at the mapping that lacks the block, unless that was required too.
  /// Fields over an absent value report nothing: who made them knows that there is none.
  Value required(std::string_view key);
  /// A list; items that are null are errors.
  Value list(std::string_view key);
  Value mapping(std::string_view key);
  Fields fields(std::string_view key);

  std::optional<std::string> string(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key);
  std::optional<double> number(std::string_view key);
  /// One of the given words, spelled exactly so.
  std::optional<std::string> one_of(std::string_view key, std::span<const std::string_view> words);
  std::optional<std::string> one_of(std::string_view key,
                                    std::initializer_list<std::string_view> words) {
    return one_of(key, std::span(words.begin(), words.size()));
  }
  std::vector<std::string> strings(std::string_view key);

  /// Tells a described shape the words that `entry`, which `any` gave, may be; checks nothing.
  void only_words(const Value& entry, std::span<const std::string_view> words);
  void only_words(const Value& entry, std::initializer_list<std::string_view> words) {
    only_words(entry, std::span(words.begin(), words.size()));
  }
  /// The same of the least and the greatest number that it may be.
  void only_between(const Value& entry, std::int64_t least, std::int64_t most);

  /// Names keys that are allowed but not read here.
  void ignore(std::initializer_list<std::string_view> keys);
  /// Every key that nobody asked for is an error `unknown-key` with the closest known one.
  void no_others();
  /// The same as a warning `unknown-field`, for objects whose reader drops what it does not know.
  void warn_others();

 private:
  /// How many blocks inside each other a decoder reads on that are all absent.
  static constexpr std::size_t kDeepestAbsent = 6;

  Value of_kind(std::string_view key, Kind kind);

  Value mapping_;
  Problems* problems_;
  /// Most mappings have fewer known keys.
  static constexpr std::size_t kUsualKeys = 16;
  boost::container::small_vector<std::string_view, kUsualKeys>
      known_;              ///< Empty without a mapping.
  bool reported_ = false;  ///< There is no mapping, and somebody said so already.
  Value above_;            ///< The mapping, or without one the closest value above it.
  /// The keys from `above_` to here, of which the first `depth_` count: none but in absent blocks.
  std::array<std::string_view, kDeepestAbsent> within_;
  std::size_t depth_ = 0;
  std::vector<std::string_view> missing_;  ///< Required keys that were reported.
};

/// Reads one scalar (a list item, say) as Fields would; a wrong type is an error.
std::optional<std::string> read_string(const Value& value, Problems& problems);
std::optional<bool> read_boolean(const Value& value, Problems& problems);
std::optional<std::int64_t> read_integer(const Value& value, Problems& problems);
std::optional<double> read_number(const Value& value, Problems& problems);

}  // namespace overlane::document
