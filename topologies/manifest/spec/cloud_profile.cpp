#include "topologies/manifest/spec/cloud_profile.h"

#include <algorithm>

#include "topologies/manifest/fields/located_fields.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Value;

/// A quantity is a string or a plain number.
Field<std::string> given_quantity(Fields& fields, std::string_view key) {
  const Value value = fields.any(key);
  if (!value.is(document::Kind::Scalar)) return std::nullopt;
  return Located<std::string>{std::string(value.text()), value.place(), document::FieldPath(value)};
}

MachineType decode_machine_type(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  MachineType type{.name = fields.string("name").value_or("")};
  type.cpu = given_quantity(fields, "cpu");
  type.memory = given_quantity(fields, "memory");
  type.usable = given_bool(fields, "usable");
  return type;
}

Region decode_region(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  Region region{.name = fields.string("name").value_or("")};
  for (const Value zone : fields.list("zones"))
    region.zones.emplace_back(zone["name"].text());
  return region;
}

}  // namespace

CloudProfileSpec decode_cloud_profile(const Value& profile, document::Problems& problems) {
  CloudProfileSpec read{.kind = std::string(profile["kind"].text()),
                        .name = std::string(profile["metadata"]["name"].text()),
                        .place = profile.place()};
  Fields root(profile, problems);
  Fields spec = root.fields("spec");
  read.provider = given_string(spec, "type");
  Fields limits = spec.fields("limits");
  read.max_nodes_total = given_integer(limits, "maxNodesTotal", {1, kInt32.most});
  limits.warn_others();
  for (const Value item : spec.list("machineTypes"))
    read.machine_types.push_back(decode_machine_type(item, problems));
  for (const Value item : spec.list("regions"))
    read.regions.push_back(decode_region(item, problems));
  Fields parent = spec.fields("parent");
  read.parent = given_string(parent, "name");
  return read;
}

void inherit(const CloudProfileSpec& parent, CloudProfileSpec& child) {
  if (!child.provider) child.provider = parent.provider;
  if (!child.max_nodes_total) child.max_nodes_total = parent.max_nodes_total;
  if (child.regions.empty()) child.regions = parent.regions;
  for (const MachineType& type : parent.machine_types)
    if (std::ranges::find(child.machine_types, type.name, &MachineType::name) ==
        child.machine_types.end())
      child.machine_types.push_back(type);
}

}  // namespace overlane::manifest
