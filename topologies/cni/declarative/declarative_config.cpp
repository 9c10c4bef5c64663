#include "topologies/cni/declarative/declarative_config.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "topologies/document/fields/spelling.h"
#include "topologies/manifest/spec/network_config.h"

namespace overlane::declarative {
namespace {

using document::Kind;
using document::ScalarType;
using document::Value;
using Type = ConfigField::Type;

/// "a boolean", for the message; nullptr if the value has the type.
const char* wanted(Type type, const Value& value) {
  const bool scalar = value.is(Kind::Scalar);
  switch (type) {
    case Type::String:
      return scalar && value.scalar_type() == ScalarType::String ? nullptr : "a string";
    case Type::Boolean:
      return scalar && value.as_bool() ? nullptr : "a boolean";
    case Type::Integer:
      return scalar && value.as_integer() ? nullptr : "an integer";
    case Type::Block:
      return nullptr;
  }
  return nullptr;
}

void check_version(const NetworkProvider& provider, const Value& config,
                   document::Problems& problems) {
  const Value version = config["apiVersion"];
  const auto& known = provider.config_versions;
  if (version && !known.empty() && std::ranges::find(known, version.text()) == known.end())
    problems.error(version, "wrong-api-version",
                   "the providerConfig's apiVersion is not one of this network type's",
                   fmt::format("write {}", known.front()));
}

}  // namespace

DeclarativeConfig::DeclarativeConfig(const NetworkProvider& provider, const Value& config,
                                     document::Problems& problems) {
  for (const ConfigField& field : provider.fields)
    if (field.default_value)
      values_[field.path] = {*field.default_value, provider.place, field.path};
  if (!config) return;
  document::Fields fields(config, problems);
  manifest::decode_overlay(fields);
  check_version(provider, config, problems);
  read_block(provider, config, "", problems);
}

std::optional<manifest::Located<std::string>> DeclarativeConfig::find(
    const std::string& path) const {
  const auto found = values_.find(path);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

void DeclarativeConfig::read_block(const NetworkProvider& provider, const Value& block,
                                   const std::string& prefix, document::Problems& problems) {
  for (Value entry : block) {
    const std::string path = prefix + std::string(entry.key());
    if (prefix.empty() && (path == "apiVersion" || path == "kind" || path == "overlay")) continue;
    const auto field = std::ranges::find(provider.fields, path, &ConfigField::path);
    const bool leads_on = std::ranges::any_of(provider.fields, [&](const ConfigField& other) {
      return other.path.starts_with(path + ".");
    });
    if (field == provider.fields.end() && leads_on && entry.is(Kind::Mapping)) {
      read_block(provider, entry, path + ".", problems);
    } else if (field == provider.fields.end()) {
      std::vector<std::string_view> known;
      for (const ConfigField& other : provider.fields)
        known.push_back(other.path);
      problems.key_error(entry, "unknown-key", fmt::format("{} is not a known field", entry.path()),
                         document::did_you_mean(path, known));
    } else if (const char* type = wanted(field->type, entry); type != nullptr) {
      problems.error(entry, "wrong-type", fmt::format("{} must be {}", entry.path(), type));
    } else if (!field->values.empty() &&
               std::ranges::find(field->values, entry.text()) == field->values.end()) {
      problems.error(
          entry, "bad-value", fmt::format("{} must not be \"{}\"", entry.path(), entry.text()),
          fmt::format("{} allows {}", provider.place.to_string(), field->values.front()));
    } else {
      values_[path] = {std::string(entry.text()), entry.place(), entry.path()};
    }
  }
}

}  // namespace overlane::declarative
