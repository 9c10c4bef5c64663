#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/finding.h"
#include "topologies/document/fields/fields.h"

namespace overlane::manifest {

// A value of a manifest together with the place and path that it was read from. Every result of
// Overlane names the line that decides it, so decoded structures consist of Field<T>, not of
// plain values. The given_… functions read a field as document::Fields does and report errors to
// its Problems; a field with an error reads as absent, so that a decoder runs to its end and
// reports all errors at once.

/// A value of a manifest and its location.
template <typename T>
struct Located {
  T value{};
  SourceLocation place;
  document::FieldPath path;
};

/// An optional field of a manifest.
template <typename T>
using Field = std::optional<Located<T>>;

/// The decoded value `read` with the location of `value`; absent if it could not be decoded.
template <typename T>
Field<T> given(const document::Value& value, std::optional<T> read) {
  if (!read) return std::nullopt;
  return Located<T>{*std::move(read), value.place(), document::FieldPath(value)};
}

/// Allowed range of an integer field, inclusive.
struct Bounds {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

/// Range of an int32 in Gardener's API.
constexpr Bounds kInt32{INT32_MIN, INT32_MAX};

// The readers of document::Fields, with locations. A value with an error reads as absent, and the
// error is added to the fields' Problems.

Field<std::string> given_string(document::Fields& fields, const document::FieldKey& key);
Field<bool> given_bool(document::Fields& fields, const document::FieldKey& key);
/// A value outside of `bounds` is the error `bad-value`.
Field<std::int64_t> given_integer(document::Fields& fields, const document::FieldKey& key,
                                  Bounds bounds = {});
/// Reads one of the given words, case-sensitive.
Field<std::string> given_one_of(document::Fields& fields, const document::FieldKey& key,
                                std::span<const std::string_view> words);
Field<std::string> given_one_of(document::Fields& fields, const document::FieldKey& key,
                                std::initializer_list<std::string_view> words);
Field<IpPrefix> given_cidr(document::Fields& fields, const document::FieldKey& key);
std::vector<Located<IpPrefix>> given_cidrs(document::Fields& fields, const document::FieldKey& key);
/// Reads the current or the old name; the old one is a warning `deprecated-field`.
Field<IpPrefix> given_cidr(document::Fields& fields, const document::FieldKey& key,
                           std::string_view old_key);

/// Reads a CIDR as Gardener's API server accepts it: host bits are the error `invalid-cidr`.
Field<IpPrefix> read_cidr(const document::Value& value, document::Problems& problems);

/// Reads a list of IP families: IPv4 and IPv6, each at most once. An empty list reads as absent.
Field<std::vector<std::string>> given_families(document::Fields& fields,
                                               const document::FieldKey& key);

/// Adds a warning `unknown-field` for each key of the block that looks like a misspelt one of
/// `wanted`. For blocks with fields that Overlane does not decode.
void warn_misspelt(const document::Value& block, std::initializer_list<std::string_view> wanted,
                   document::Problems& problems);

}  // namespace overlane::manifest
