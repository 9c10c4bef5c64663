#include "topologies/manifest/network_config.h"

#include "topologies/manifest/network_config_decoders.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Problems;
using document::Value;

struct ConfigGroup {
  CniType cni;
  const char* current;
  const char* old;  ///< Before the groups got `networking` into their names.
};

constexpr ConfigGroup kGroups[] = {
    {CniType::Calico, "calico.networking.extensions.gardener.cloud/v1alpha1",
     "calico.extensions.gardener.cloud/v1alpha1"},
    {CniType::Cilium, "cilium.networking.extensions.gardener.cloud/v1alpha1",
     "cilium.extensions.gardener.cloud/v1alpha1"},
};

/// The extensions decode into their own type, so that an absent apiVersion or kind is fine.
void check_type(CniType cni, Fields& fields) {
  const ConfigGroup& group = kGroups[static_cast<std::size_t>(cni)];
  const Value version = fields.any("apiVersion");
  const Value kind = fields.any("kind");
  if (version && version.text() == group.old)
    fields.problems().warning(version, "deprecated-field",
                              "the providerConfig has an old apiVersion; it is read like the "
                              "current one",
                              std::string("write ") + group.current);
  else if (version && version.text() != group.current)
    fields.problems().error(version, "wrong-api-version",
                            "the providerConfig is of another apiVersion than this network type's",
                            std::string("write ") + group.current);
  if (kind && kind.text() != "NetworkConfig")
    fields.problems().error(kind, "wrong-kind", "the providerConfig is no NetworkConfig",
                            "write kind: NetworkConfig");
}

}  // namespace

Field<Overlay> decode_overlay(Fields& config) {
  const Value block = config.any("overlay");
  if (!block) return std::nullopt;
  Fields overlay(block, config.problems());
  Overlay read;
  read.enabled = given(overlay.any("enabled"), overlay.boolean("enabled"));
  read.create_pod_routes =
      given(overlay.any("createPodRoutes"), overlay.boolean("createPodRoutes"));
  overlay.no_others();
  return Given<Overlay>{std::move(read), block.place(), block.path()};
}

Field<bool> decode_switch(Fields& config, std::string_view key) {
  Fields block = config.fields(key);
  Field<bool> enabled = given(block.any("enabled"), block.boolean("enabled"));
  block.no_others();
  return enabled;
}

NetworkConfig decode_network_config(CniType cni, const Value& config, Problems& problems) {
  Fields fields(config, problems);
  check_type(cni, fields);
  if (cni == CniType::Calico) return decode_calico(fields);
  return decode_cilium(fields);
}

}  // namespace overlane::manifest
