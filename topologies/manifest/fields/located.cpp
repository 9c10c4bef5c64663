#include "topologies/manifest/fields/located.h"

#include <algorithm>
#include <charconv>
#include <span>

#include <fmt/format.h>

#include "topologies/document/fields/fields.h"

namespace overlane::manifest {

using document::FieldKey;
using document::Fields;
using document::Problems;
using document::Value;

Field<std::string> given_string(Fields& fields, const FieldKey& key) {
  const Value value = fields.any(key);
  return given(value, read_string(value, fields.problems()));
}

Field<bool> given_bool(Fields& fields, const FieldKey& key) {
  const Value value = fields.any(key);
  return given(value, read_boolean(value, fields.problems()));
}

Field<std::int64_t> given_integer(Fields& fields, const FieldKey& key, Bounds bounds) {
  const Value value = fields.any(key);
  const auto number = read_integer(value, fields.problems());
  if (!number || (*number >= bounds.min && *number <= bounds.max)) return given(value, number);
  fields.problems().error(
      value, "bad-value",
      fmt::format("{} must lie between {} and {}", value.path(), bounds.min, bounds.max));
  return std::nullopt;
}

Field<std::string> given_one_of(Fields& fields, const FieldKey& key,
                                std::span<const std::string_view> words) {
  return given(fields.any(key), fields.one_of(key, words));
}

Field<std::string> given_one_of(Fields& fields, const FieldKey& key,
                                std::initializer_list<std::string_view> words) {
  return given_one_of(fields, key, std::span(words.begin(), words.size()));
}

Field<IpPrefix> given_cidr(Fields& fields, const FieldKey& key) {
  return read_cidr(fields.any(key), fields.problems());
}

std::vector<Located<IpPrefix>> given_cidrs(Fields& fields, const FieldKey& key) {
  std::vector<Located<IpPrefix>> cidrs;
  for (Value item : fields.list(key))
    if (auto cidr = read_cidr(item, fields.problems())) cidrs.push_back(*std::move(cidr));
  return cidrs;
}

Field<IpPrefix> given_cidr(Fields& fields, const FieldKey& key, std::string_view old_key) {
  Field<IpPrefix> cidr = given_cidr(fields, key);
  const Value old_value = fields.any(old_key);
  if (!old_value) return cidr;
  fields.problems().warning(old_value, "deprecated-field",
                            fmt::format("{} is the old name of {}", old_value.path(), key.name),
                            fmt::format("rename it to {}", key.name));
  Field<IpPrefix> old_cidr = read_cidr(old_value, fields.problems());
  return cidr ? cidr : old_cidr;
}

namespace {

/// The hint for an invalid CIDR: the range without host bits if these are the only error, otherwise
/// an example.
std::string cidr_hint(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (slash != text.npos && address) {
    const std::string_view digits = text.substr(slash + 1);
    std::uint8_t length = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), length);
    const bool is_length =
        error == std::errc{} && end == digits.end() && length <= (address->is_ipv4() ? 32 : 128);
    if (is_length)
      return fmt::format("write {}", IpPrefix::containing(*address, length).to_string());
  }
  return "write a network like 10.250.0.0/16";
}

}  // namespace

Field<IpPrefix> read_cidr(const Value& value, Problems& problems) {
  const auto text = read_string(value, problems);
  if (!text) return std::nullopt;
  const Parsed<IpPrefix> prefix = IpPrefix::parse(*text);
  if (prefix) return Located<IpPrefix>{*prefix, value.place(), document::FieldPath(value)};
  problems.error(value, "invalid-cidr", fmt::format("{}: {}", value.path(), prefix.error()),
                 cidr_hint(*text));
  return std::nullopt;
}

Field<std::vector<std::string>> given_families(Fields& fields, const FieldKey& key) {
  Problems& problems = fields.problems();
  const Value list = fields.list(key);
  std::vector<std::string> families;
  for (Value item : list) {
    const auto family = read_string(item, problems);
    if (!family) continue;
    if (*family != "IPv4" && *family != "IPv6")
      problems.error(item, "bad-value", fmt::format("{} must be IPv4 or IPv6", item.path()));
    else if (std::ranges::find(families, *family) != families.end())
      problems.error(item, "bad-value", fmt::format("{} repeats {}", item.path(), *family));
    else
      families.push_back(*family);
  }
  if (families.empty()) return std::nullopt;
  return Located<std::vector<std::string>>{std::move(families), list.place(),
                                           document::FieldPath(list)};
}

void warn_misspelt(const document::Value& block, std::initializer_list<std::string_view> wanted,
                   document::Problems& problems) {
  const std::span<const std::string_view> words(wanted.begin(), wanted.size());
  if (!block.is(document::Kind::Mapping)) return;
  for (const document::Value entry : block) {
    if (std::ranges::find(words, entry.key()) != words.end()) continue;
    const std::string_view meant = document::closest(entry.key(), words);
    if (meant.empty()) continue;
    problems.warning(entry, "unknown-field",
                     fmt::format("{} is not a known field and has no effect", entry.path()),
                     fmt::format("did you mean {}?", meant));
  }
}

}  // namespace overlane::manifest
