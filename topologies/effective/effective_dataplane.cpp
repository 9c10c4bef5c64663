#include "topologies/effective/effective_dataplane.h"

#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/interned.h"

namespace overlane::effective {

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::Overlay:
      return "overlay";
    case Mode::Routed:
      return "routed";
  }
  return "";
}

std::string_view to_string(Encapsulation encapsulation) {
  switch (encapsulation) {
    case Encapsulation::None:
      return "none";
    case Encapsulation::Ipip:
      return "ipip";
    case Encapsulation::Vxlan:
      return "vxlan";
    case Encapsulation::Geneve:
      return "geneve";
  }
  return "";
}

std::string_view to_string(Backend backend) {
  switch (backend) {
    case Backend::Bird:
      return "bird";
    case Backend::Vxlan:
      return "vxlan";
    case Backend::None:
      return "none";
    case Backend::Tunnel:
      return "tunnel";
    case Backend::Native:
      return "native";
  }
  return "";
}

std::string_view to_string(RoutesBy routes_by) {
  switch (routes_by) {
    case RoutesBy::CloudRouteTable:
      return "cloud-route-table";
    case RoutesBy::CloudInterface:
      return "cloud-interface";
    case RoutesBy::Bgp:
      return "bgp";
    case RoutesBy::Felix:
      return "felix";
    case RoutesBy::Cilium:
      return "cilium";
    case RoutesBy::DirectNodeRoutes:
      return "direct-node-routes";
    case RoutesBy::None:
      return "none";
  }
  return "";
}

std::string_view to_string(CloudRoutes cloud_routes) {
  switch (cloud_routes) {
    case CloudRoutes::Written:
      return "written";
    case CloudRoutes::NotWritten:
      return "not-written";
    case CloudRoutes::NotNeeded:
      return "not-needed";
  }
  return "";
}

std::string_view to_string(ServiceRouting service_routing) {
  switch (service_routing) {
    case ServiceRouting::KubeProxyIptables:
      return "kube-proxy-iptables";
    case ServiceRouting::KubeProxyIpvs:
      return "kube-proxy-ipvs";
    case ServiceRouting::KubeProxyNftables:
      return "kube-proxy-nftables";
    case ServiceRouting::CalicoEbpf:
      return "calico-ebpf";
    case ServiceRouting::Cilium:
      return "cilium";
    case ServiceRouting::NetworkExtension:
      return "network-extension";
  }
  return "";
}

std::string_view to_string(Encryption encryption) {
  switch (encryption) {
    case Encryption::None:
      return "none";
    case Encryption::WireGuard:
      return "wireguard";
  }
  return "";
}

namespace {

const auto take_value = [](std::string_view, auto& value, const auto& decided) {
  value = decided.value;
};

std::string text_of(bool value) {
  return value ? "true" : "false";
}
std::string text_of(std::uint32_t value) {
  return std::to_string(value);
}
template <typename Enum>
std::string text_of(Enum value) {
  return std::string(to_string(value));
}
std::string text_of(const std::vector<IpPrefix>& ranges) {
  if (ranges.empty()) return "none";
  std::string text;
  for (const IpPrefix& range : ranges)
    text.append(text.empty() ? "" : ", ").append(range.to_string());
  return text;
}

/// Adds the reason of the field `prefix`.`name`.
void add_reason(std::vector<Reason>& reasons, std::string_view prefix, std::string_view name,
                const std::string& value, const Provenance& basis) {
  add_reason(reasons, Interned(fmt::format("{}.{}", prefix, name)).str(), value, basis);
}

}  // namespace

Dataplane values_of(const DecidedDataplane& decided) {
  Dataplane plain{.route_gap = decided.route_gap,
                  .address_gap = decided.address_gap,
                  .pod_device_mtu = decided.pod_device_mtu,
                  .tunnel_mtu = decided.tunnel_mtu,
                  .wireguard_mtu = decided.wireguard_mtu};
  visit_dataplane(take_value, plain, decided);
  return plain;
}

Masquerade values_of(const DecidedMasquerade& decided) {
  Masquerade plain{.limits_ports = decided.limits_ports,
                   .random_ports = decided.random_ports,
                   .in_ebpf = decided.in_ebpf};
  visit_masquerade(take_value, plain, decided);
  return plain;
}

nlohmann::ordered_json encode(const Dataplane& dataplane) {
  nlohmann::ordered_json json;
  visit_dataplane(
      [&](const char* name, const auto& value) {
        if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
          json[name] = to_string(value);
        else
          json[name] = value;
      },
      dataplane);
  return json;
}

void add_reasons(std::vector<Reason>& reasons, std::string_view prefix,
                 const DecidedDataplane& dataplane) {
  visit_dataplane(
      [&](std::string_view name, const auto& decided) {
        add_reason(reasons, prefix, name, text_of(decided.value), decided.basis);
      },
      dataplane);
}

void add_reasons(std::vector<Reason>& reasons, const DecidedMasquerade& masquerade) {
  visit_masquerade(
      [&](std::string_view name, const auto& decided) {
        add_reason(reasons, "dataplane", name, text_of(decided.value), decided.basis);
      },
      masquerade);
}

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::Create:
      return "create";
    case Stage::Live:
      return "live";
  }
  return "";
}

std::string_view to_string(RoutingDomain::Sharing sharing) {
  switch (sharing) {
    case RoutingDomain::Sharing::None:
      return "none";
    case RoutingDomain::Sharing::Sure:
      return "sure";
    case RoutingDomain::Sharing::Possible:
      return "possible";
    case RoutingDomain::Sharing::Declared:
      return "declared";
  }
  return "";
}

}  // namespace overlane::effective
