#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/given.h"

namespace overlane::manifest {

/// The least and the greatest number that a field may hold.
struct Bounds {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// What an int32 of Gardener's API can hold.
constexpr Bounds kInt32{INT32_MIN, INT32_MAX};

/// The readers of document::Fields, with the place of what they read. Errors go to the fields'
/// Problems and read as nothing.
Field<std::string> given_string(document::Fields& fields, std::string_view key);
Field<bool> given_bool(document::Fields& fields, std::string_view key);
/// Outside of `bounds` is the error `bad-value`.
Field<std::int64_t> given_integer(document::Fields& fields, std::string_view key,
                                  Bounds bounds = {});
/// One of the given words, spelled exactly so.
Field<std::string> given_one_of(document::Fields& fields, std::string_view key,
                                std::span<const std::string_view> words);
Field<std::string> given_one_of(document::Fields& fields, std::string_view key,
                                std::initializer_list<std::string_view> words);
Field<IpPrefix> given_cidr(document::Fields& fields, std::string_view key);
std::vector<Located<IpPrefix>> given_cidrs(document::Fields& fields, std::string_view key);
/// The same under today's name or under its old one, which is a warning `deprecated-field`.
Field<IpPrefix> given_cidr(document::Fields& fields, std::string_view key,
                           std::string_view old_key);

/// A CIDR as core Gardener reads it: host bits are an error (`invalid-cidr`).
Field<IpPrefix> read_cidr(const document::Value& value, document::Problems& problems);

/// The list of `ipFamilies`: IPv4 and IPv6, none of them twice. An empty list is the same as none.
Field<std::vector<std::string>> given_families(document::Fields& fields, std::string_view key);

}  // namespace overlane::manifest
