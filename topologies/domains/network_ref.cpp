#include "topologies/domains/network_ref.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "topologies/document/fields/shape.h"
#include "topologies/document/tree/source_text.h"
#include "topologies/provider/profile.h"

namespace overlane::domains {
namespace {

using document::Fields;
using document::Value;

constexpr const char* kNameShoot =
    "remove its projects, and name a network by one of its shoots, shoot: NAMESPACE/NAME";

bool has_resource_groups(const NetworkRef& ref) {
  return provider::profile_of(ref.provider).infrastructure.has_resource_groups;
}

/// A shoot identifies its network: no other key may name it too.
void check_alone(Fields& fields) {
  for (const char* key : {"provider", "network", "resourceGroup", "project"})
    if (const Value other = fields.value()[key]) {
      fields.problems().key_error(
          other, "bad-value",
          fmt::format("{} conflicts with shoot, which already names a network", other.path()),
          "keep either shoot, or provider and network");
      return;
    }
}

void check_named(Fields& fields, const NetworkRef& ref) {
  if (fields.value() && !fields.value()["provider"] && !fields.value()["network"]) {
    fields.problems().error(fields.value(), "missing-key",
                            fmt::format("{} does not name a network", fields.value().path()),
                            "give provider and network, or shoot: NAMESPACE/NAME");
    return;
  }
  fields.required("provider");
  fields.required("network");
  if (has_resource_groups(ref)) fields.required("resourceGroup");
  const Value group = fields.value()["resourceGroup"];
  if (group && !ref.provider.empty() && !has_resource_groups(ref))
    fields.problems().key_error(
        group, "bad-value",
        fmt::format("{}: networks of {} have no resource group", group.path(), ref.provider),
        "remove it");
}

}  // namespace

std::string decode_provider(Fields& fields) {
  const Value written = fields.any("provider");
  const provider::Profile& given = provider::profile_of(written.text());
  if (given.is_known() && !given.fabric.names_networks) {
    fields.problems().error(
        written, "bad-value",
        fmt::format("{}: manifests of {} do not name networks", written.path(), written.text()),
        kNameShoot);
    return "";
  }
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> names;
    for (const provider::Profile* profile : provider::profiles())
      if (profile->fabric.names_networks) names.push_back(profile->name);
    return names;
  }();
  return fields.one_of("provider", words).value_or("");
}

std::string decode_qualified(const Value& value, document::Problems& problems) {
  if (document::Shape* shape = problems.shape_of(value)) {
    shape->pattern = "^[^/]+/[^/]+$";
    shape->example = "garden-acme/main";
  }
  const auto text = document::read_string(value, problems);
  if (!text) return "";
  const std::size_t slash = text->find('/');
  if (slash != 0 && slash < text->size() - 1 && slash == text->rfind('/')) return *text;
  problems.error(value, "bad-value",
                 fmt::format("{}: \"{}\" is not a namespaced name", value.path(), *text),
                 "write NAMESPACE/NAME, such as garden-acme/main");
  return "";
}

NetworkRef decode_ref(Fields& fields) {
  const auto name = [&](std::string_view key) {
    return document::one_line(fields.string(key).value_or(""));
  };
  NetworkRef ref{.provider = decode_provider(fields),
                 .network = name("network"),
                 .resource_group = name("resourceGroup"),
                 .project = name("project"),
                 .shoot = decode_qualified(fields.any("shoot"), fields.problems()),
                 .place = fields.value().place()};
  if (fields.value()["shoot"])
    check_alone(fields);
  else
    check_named(fields, ref);
  return ref;
}

}  // namespace overlane::domains
