#include <nlohmann/json.hpp>

#include "results/finding/finding_json.h"
#include "topologies/explain/explanation.h"

namespace overlane::explain {
namespace {

using effective::Dataplane;
using effective::EffectiveDataplane;
using effective::Reason;
using Json = nlohmann::ordered_json;

Json encode(const std::vector<IpPrefix>& ranges) {
  Json list = Json::array();
  for (const IpPrefix& range : ranges)
    list.push_back(range.to_string());
  return list;
}

Json encode(const Dataplane& dataplane) {
  return Json{{"mode", to_string(dataplane.mode)},
              {"encapsulation", to_string(dataplane.encapsulation)},
              {"cross_subnet", dataplane.cross_subnet},
              {"backend", to_string(dataplane.backend)},
              {"routes_by", to_string(dataplane.routes_by)},
              {"cloud_routes", to_string(dataplane.cloud_routes)},
              {"service_routing", to_string(dataplane.service_routing)},
              {"encryption", to_string(dataplane.encryption)},
              {"link_mtu", dataplane.link_mtu},
              {"pod_mtu", dataplane.pod_mtu},
              {"overhead_bytes", dataplane.overhead_bytes}};
}

Json encode(const std::vector<Reason>& reasons) {
  Json list = Json::array();
  for (const Reason& reason : reasons)
    list.push_back(Json{{"field", reason.field},
                        {"value", reason.value},
                        {"because", reason.because.to_string()},
                        {"source", reason.source.to_string()},
                        {"assumed", reason.assumed}});
  return list;
}

Json encode(const std::vector<EffectiveDataplane::Document>& documents) {
  Json list = Json::array();
  for (const EffectiveDataplane::Document& document : documents)
    list.push_back(Json{{"kind", document.object.kind},
                        {"namespace", document.object.namespace_},
                        {"name", document.object.name},
                        {"source", document.place.to_string()}});
  return list;
}

Json encode(const EffectiveDataplane& network) {
  Json json{{"kind", network.kind},
            {"name", network.name},
            {"namespace", network.namespace_},
            {"stage", to_string(network.stage)},
            {"provider", network.provider_name.empty() ? "unknown" : network.provider_name},
            {"cni", network.cni},
            {"source", network.source},
            {"sources", encode(network.sources)},
            {"row", network.opaque ? Json() : Json(network.row)},
            {"ip_families", network.ip_families},
            {"pods", encode(network.pods)},
            {"services", encode(network.services)},
            {"nodes", encode(network.nodes)},
            {"routing_domain",
             {{"key", network.routing_domain.key},
              {"scope", to_string(network.routing_domain.scope)},
              {"sharing", to_string(network.routing_domain.sharing)}}},
            {"dataplane", network.opaque ? Json() : encode(network.dataplane)}};
  if (network.secondary_dataplane)
    json[network.ip_families.front() == "IPv4" ? "dataplane_v6" : "dataplane_v4"] =
        encode(*network.secondary_dataplane);
  json["node_cidr_mask_size"] = network.node_cidr_mask_size;
  json["max_nodes"] = network.max_nodes ? Json(*network.max_nodes) : Json();
  json["max_pods"] = network.max_pods;
  json["reasons"] = encode(network.reasons);
  return json;
}

}  // namespace

Json encode(const Explanation& explanation) {
  Json networks = Json::array();
  for (const EffectiveDataplane& network : explanation.networks)
    networks.push_back(encode(network));
  return Json{{"schema_version", 1},
              {"kind", "Explanation"},
              {"networks", std::move(networks)},
              {"findings", overlane::encode(explanation.findings)}};
}

}  // namespace overlane::explain
