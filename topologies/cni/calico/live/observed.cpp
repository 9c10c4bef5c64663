#include "topologies/cni/calico/live/observed.h"

#include "topologies/manifest/fields/located_fields.h"

namespace overlane::calico {
namespace {

using cni::settings_of;
using document::Fields;
using document::Problems;
using document::Value;

void decode_pool(const std::string& name, const Value& root, Problems& problems,
                 Observed& observed) {
  Fields spec(root["spec"], problems);
  observed.pools.push_back({.name = name,
                            .place = root.place(),
                            .cidr = manifest::given_cidr(spec, "cidr"),
                            .ipip_mode = manifest::given_string(spec, "ipipMode"),
                            .vxlan_mode = manifest::given_string(spec, "vxlanMode"),
                            .block_size = manifest::given_integer(spec, "blockSize"),
                            .nat_outgoing = manifest::given_bool(spec, "natOutgoing"),
                            .disabled = manifest::given_bool(spec, "disabled")});
}

void decode_daemon_set(const Value& root, Problems& problems, Observed& observed) {
  const Value pod = root["spec"]["template"]["spec"];
  for (const Value& item : Fields(pod, problems).list("containers")) {
    Fields container(item, problems);
    if (container.string("name") != "calico-node") continue;
    for (const Value& variable : container.list("env")) {
      Fields fields(variable, problems);
      const auto key = fields.string("name");
      const Field<std::string> value = manifest::given_string(fields, "value");
      if (key && value) observed.felix_environment.emplace(*key, *value);
    }
  }
}

}  // namespace

bool Observed::empty() const {
  return pools.empty() && felix_environment.empty() && felix_configuration.empty() &&
         calico_config.empty();
}

void decode(const ObjectName& name, const Value& root, Problems& problems, Observed& observed) {
  if (name.kind == "IPPool") decode_pool(name.name, root, problems, observed);
  if (name.kind == "DaemonSet" && name.name == "calico-node")
    decode_daemon_set(root, problems, observed);
  if (name.kind == "FelixConfiguration" && name.name == "default")
    observed.felix_configuration = settings_of(Fields(root, problems).mapping("spec"));
  if (name.kind == "ConfigMap" && name.name == "calico-config")
    observed.calico_config = settings_of(Fields(root, problems).mapping("data"));
}

}  // namespace overlane::calico
