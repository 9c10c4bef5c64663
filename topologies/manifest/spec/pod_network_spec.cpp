#include "topologies/manifest/spec/pod_network_spec.h"

#include <algorithm>
#include <string>

#include "topologies/document/tree/tree.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {

using document::Fields;
using document::Value;

Field<Overlay> decode_overlay(Fields& config) {
  const Value block = config.any("overlay");
  if (!block) return std::nullopt;
  Fields overlay(block, config.problems());
  Overlay read;
  read.enabled = given_bool(overlay, "enabled");
  read.create_pod_routes = given_bool(overlay, "createPodRoutes");
  overlay.no_others();
  return Located<Overlay>{std::move(read), block.place(), document::FieldPath(block)};
}

Field<Overlay> overlay_of(const PodNetworkSpec& spec) {
  const Value config = spec.provider_config.root();
  if (!config["overlay"]) return std::nullopt;
  document::Problems reported_by_the_extension{spec.object};
  Fields fields(config, reported_by_the_extension);
  return decode_overlay(fields);
}

Field<std::string> calico_backend_of(const PodNetworkSpec& spec) {
  const Value config = spec.provider_config.root();
  if (spec.type.value != "calico" || !config["backend"]) return std::nullopt;
  document::Problems reported_by_the_extension{spec.object};
  Fields fields(config, reported_by_the_extension);
  return given_string(fields, "backend");
}

bool covers(const Value& more, const Value& less) {
  if (!more || !less) return !less;
  if (more.kind() != less.kind()) return false;
  if (less.is(document::Kind::Scalar))
    return more.text() == less.text() && more.scalar_type() == less.scalar_type();
  if (less.is(document::Kind::Mapping))
    return std::ranges::all_of(
        less, [&](const Value& entry) { return covers(more[entry.key()], entry); });
  if (more.size() != less.size()) return false;
  auto item = more.begin();
  return std::ranges::all_of(less, [&](const Value& one) { return covers(*item++, one); });
}

Field<bool> decode_switch(Fields& config, std::string_view key) {
  Fields block = config.fields(key);
  Field<bool> enabled = given_bool(block, "enabled");
  block.no_others();
  return enabled;
}

void check_config_type(Fields& config, const ConfigGroup& group) {
  const Value version = config.any("apiVersion");
  const Value kind = config.any("kind");
  if (group.old.empty())
    config.only_words(version, {group.current});
  else
    config.only_words(version, {group.current, group.old});
  config.only_words(kind, {"NetworkConfig"});
  if (version && !group.old.empty() && version.text() == group.old)
    config.problems().warning(version, "deprecated-field",
                              "the providerConfig has an old apiVersion; it is read like the "
                              "current one",
                              std::string("write ").append(group.current));
  else if (version && version.text() != group.current)
    config.problems().error(version, "wrong-api-version",
                            "the providerConfig is of another apiVersion than this network type's",
                            std::string("write ").append(group.current));
  if (kind && kind.text() != "NetworkConfig")
    config.problems().error(kind, "wrong-kind", "the providerConfig is no NetworkConfig",
                            "write kind: NetworkConfig");
}

PodNetworkSpec with_network_config(const PodNetworkSpec& spec, const Value& patch) {
  PodNetworkSpec patched = spec;
  const std::string path =
      spec.object.kind == "Network" ? "spec.providerConfig" : "spec.networking.providerConfig";
  const Value before = spec.provider_config.root();
  patched.provider_config = document::merge_patch(before, patch, path);
  const bool is_same = covers(before, patch) && covers(patched.provider_config.root(), before);
  if (!is_same) patched.is_changed = true;
  return patched;
}

}  // namespace overlane::manifest
