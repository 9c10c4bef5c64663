#include "topologies/cni/cilium/dataplane.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "topologies/cni/cilium/config.h"
#include "topologies/cni/extension/masquerade.h"
#include "topologies/effective/cloud_routes.h"

namespace overlane::cilium {

namespace {

using effective::as_assumed;
using effective::as_given;
using effective::Backend;
using effective::DecidedDataplane;
using effective::Encapsulation;
using effective::Encryption;
using effective::Mode;
using effective::NetworkInputs;
using effective::OverlayDecision;
using effective::Provenance;
using effective::RoutesBy;
using effective::Stage;

constexpr const char* kMtuRule = "cilium/cilium pkg/mtu/mtu.go";
/// Overheads of cilium/cilium pkg/mtu/mtu.go at 1.19.7, the release that networking-cilium 1.49
/// ships (its imagevector/images.yaml, November 2026). VXLAN and Geneve have the same overhead.
/// WireGuard's is 40 bytes of IPv6, 8 of UDP, 32 of its own and up to 15 of padding to the block of
/// the cipher (cilium pull request 45940, since 1.19.5; 80 before). kDsrOption is the Geneve option
/// with the service address in DSR mode.
constexpr std::uint32_t kTunnelOverhead = 50;
constexpr std::uint32_t kWireGuardOverhead = 95;
constexpr std::uint32_t kDsrOption = 12;

struct Choice {
  const char* row;
  Encapsulation encapsulation;
  Provenance basis;
};

struct Tunnel {
  std::string word;  ///< Value of the key `tunnel`; empty if not given.
  Provenance basis;
};

Tunnel tunnel_setting(const NetworkConfig& config, const NetworkInputs& inputs) {
  if (config.tunnel)
    return {
        config.tunnel->value,
        {fmt::format("{} is {}", config.tunnel->path, config.tunnel->value), config.tunnel->place}};
  const provider::Profile& provider = inputs.provider;
  const bool bare = !inputs.spec.provider_config.root();
  if (bare && inputs.stage == Stage::Create && !provider.admission.bare_cilium_tunnel.empty())
    return {std::string(provider.admission.bare_cilium_tunnel),
            as_assumed(fmt::format("admission of provider {} writes tunnel {} into a new shoot "
                                   "without providerConfig",
                                   provider.name, provider.admission.bare_cilium_tunnel),
                       provider.admission.mutator)};
  return {"", as_assumed("no tunnel is given and the extension's default is vxlan", kCharts)};
}

Encapsulation protocol(const std::string& tunnel) {
  return tunnel == "geneve" ? Encapsulation::Geneve : Encapsulation::Vxlan;
}

Choice choose(const OverlayDecision& overlay, const Tunnel& tunnel) {
  if (overlay.enabled == true) {
    const bool given = tunnel.word == "vxlan" || tunnel.word == "geneve";
    return {given ? "C2" : "C1", protocol(tunnel.word), given ? tunnel.basis : overlay.basis};
  }
  if (overlay.enabled == false) return {"C3", Encapsulation::None, overlay.basis};
  if (tunnel.word == "disabled") return {"C5", Encapsulation::None, tunnel.basis};
  if (tunnel.word == "geneve") return {"C6", Encapsulation::Geneve, tunnel.basis};
  return {"C4", Encapsulation::Vxlan, tunnel.basis};
}

effective::Decided<RoutesBy> decide_routes(const NetworkInputs& inputs, Family family,
                                           const DecidedDataplane& dataplane) {
  const auto [mode, basis] = dataplane.mode;
  if (mode == Mode::Overlay)
    return {RoutesBy::Cilium,
            {"the Cilium agent knows every node and its pod CIDR", kCharts, basis.assumed}};
  if (inputs.overlay.pod_routes)
    return {RoutesBy::DirectNodeRoutes, inputs.overlay.pod_routes_basis};
  const RoutesBy native = effective::native_routes(inputs.provider, inputs.families, family);
  const bool leaves_routes_to_fabric =
      native == RoutesBy::CloudRouteTable || native == RoutesBy::None;
  if (dataplane.is_encrypted() && leaves_routes_to_fabric)
    return {RoutesBy::Cilium,
            {"the agent sends the pods' packets to other nodes through WireGuard, whatever the "
             "network routes",
             kCharts, basis.assumed}};
  return {
      native,
      {"native routing leaves routes between nodes to the cloud network", kCharts, basis.assumed}};
}

/// A part of the bytes that Cilium subtracts from the MTU of the pods' routes.
struct Overhead {
  std::string_view name;
  std::uint32_t bytes = 0;
};

std::vector<Overhead> overheads(const NetworkConfig& config, const DecidedDataplane& dataplane) {
  std::vector<Overhead> terms;
  const Encapsulation encapsulation = dataplane.encapsulation.value;
  if (encapsulation != Encapsulation::None) terms.push_back({"tunnel", kTunnelOverhead});
  if (dataplane.is_encrypted()) terms.push_back({"WireGuard", kWireGuardOverhead});
  const bool dsr = config.load_balancing_mode && config.load_balancing_mode->value == "dsr";
  if (dsr && encapsulation == Encapsulation::Geneve)
    terms.push_back({"DSR option in Geneve", kDsrOption});
  return terms;
}

std::uint32_t sum_of(const std::vector<Overhead>& terms) {
  std::uint32_t sum = 0;
  for (const Overhead& term : terms)
    sum += term.bytes;
  return sum;
}

/// "tunnel 50, WireGuard 95".
std::string in_words(const std::vector<Overhead>& terms) {
  if (terms.empty()) return "nothing is added to a packet";
  std::string text;
  for (const Overhead& term : terms)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", term.name, term.bytes);
  return text;
}

/// Decides the MTUs. Cilium keeps the pods' device at the base MTU and lowers the MTU of their
/// routes.
void decide_mtu(const NetworkConfig& config, const NetworkInputs& inputs,
                DecidedDataplane& dataplane) {
  std::uint32_t base = inputs.link_mtu.value;
  Provenance basis = as_assumed(fmt::format("automatic: link MTU {}", base), kMtuRule);
  const bool bare = !inputs.spec.provider_config.root();
  if (config.mtu && config.mtu->value > 0) {
    base = static_cast<std::uint32_t>(config.mtu->value);
    basis = {fmt::format("{} is {}", config.mtu->path, base), config.mtu->place};
  } else if (bare && inputs.stage == Stage::Create && inputs.provider.admission.bare_cilium_mtu) {
    base = static_cast<std::uint32_t>(*inputs.provider.admission.bare_cilium_mtu);
    basis = as_assumed(
        fmt::format("admission of provider {} writes mtu {}", inputs.provider.name, base),
        inputs.provider.admission.mutator);
  }
  const std::vector<Overhead> terms = overheads(config, dataplane);
  const std::uint32_t cut = sum_of(terms);
  if (dataplane.is_encrypted())
    dataplane.wireguard_mtu = base > kWireGuardOverhead ? base - kWireGuardOverhead : 0;
  dataplane.pod_device_mtu = cut > 0 ? base : 0;
  dataplane.tunnel_mtu = cut > 0 ? base : 0;
  if (cut > 0)
    basis.because +=
        fmt::format(", minus {} on the pods' routes (their device keeps {})", cut, base);
  dataplane.pod_mtu = {base > cut ? base - cut : 0, std::move(basis)};
  dataplane.overhead_bytes = {cut,
                              {in_words(terms), kMtuRule, dataplane.encapsulation.basis.assumed}};
}

constexpr const char* kNat = "cilium/cilium bpf/lib/nat.h";

/// Whether eBPF programs masquerade. They do not if bpfMasquerade is off or iptables rules are
/// needed.
bool by_ebpf(const NetworkConfig& config, bool snat_to_dns) {
  const bool wanted = !config.bpf_masquerade || config.bpf_masquerade->value;
  const bool out_of_cluster = config.snat_out_of_cluster && config.snat_out_of_cluster->value;
  return wanted && !snat_to_dns && !out_of_cluster;
}

}  // namespace

bool is_tunnelled(const NetworkConfig& config, const NetworkInputs& inputs) {
  return choose(inputs.overlay, tunnel_setting(config, inputs)).encapsulation !=
         Encapsulation::None;
}

bool lacks_native_cidr_for_dsr(const NetworkConfig& config, const NetworkInputs& inputs) {
  if (!config.load_balancing_mode || config.load_balancing_mode->value != "dsr") return false;
  if (inputs.overlay.enabled) return *inputs.overlay.enabled;
  return !config.ipv4_native_routing_cidr || !config.ipv4_native_routing_cidr->value;
}

std::string_view row_of(const NetworkConfig& config, const NetworkInputs& inputs) {
  return choose(inputs.overlay, tunnel_setting(config, inputs)).row;
}

DecidedDataplane decide_dataplane(const NetworkConfig& config, const NetworkInputs& inputs,
                                  Family family) {
  const Choice choice = choose(inputs.overlay, tunnel_setting(config, inputs));
  const bool tunnelled = choice.encapsulation != Encapsulation::None;
  const Provenance basis = inputs.overlay.enabled ? inputs.overlay.basis : choice.basis;
  DecidedDataplane dataplane{
      .mode = {tunnelled ? Mode::Overlay : Mode::Routed, basis},
      .encapsulation = {choice.encapsulation, choice.basis},
      .cross_subnet = {false, choice.basis},
      .backend = {tunnelled ? Backend::Tunnel : Backend::Native, basis},
      .encryption = {Encryption::None, as_assumed("encryption.enabled is not set", kCharts)}};
  if (const auto& enabled = config.encryption.enabled)
    dataplane.encryption = {enabled->value ? Encryption::WireGuard : Encryption::None,
                            as_given(*enabled)};
  dataplane.routes_by = decide_routes(inputs, family, dataplane);
  decide_mtu(config, inputs, dataplane);
  return dataplane;
}

effective::DecidedMasquerade decide_masquerade(const NetworkConfig& config,
                                               const effective::NetworkInputs& inputs,
                                               effective::Mode mode) {
  effective::DecidedMasquerade masquerade{
      .sources = {{}, as_assumed("enableIpv4Masquerade is on by default", kCharts)},
      .except = {{}, {"nothing is masqueraded", kNat}}};
  auto& [sources, source_basis] = masquerade.sources;
  auto& [except, except_basis] = masquerade.except;
  const auto dns = cni::snat_to_upstream_dns(config.snat_to_upstream_dns, false, inputs, kCharts);
  cni::decide_upstream_dns(dns, inputs, masquerade);
  if (config.ipv4_masquerade) source_basis = as_given(*config.ipv4_masquerade);
  const bool on = !config.ipv4_masquerade || config.ipv4_masquerade->value;
  if (on) {
    sources = cni::ipv4_of(inputs.addressing.pods.value);
    masquerade.in_ebpf = by_ebpf(config, dns.value);
    masquerade.limits_ports = masquerade.in_ebpf;
    source_basis.because += masquerade.in_ebpf ? ", in eBPF with ports 32768 to 65535"
                                               : ", by iptables and with any port";
    except = sources;
    except_basis = {"a pod's address is kept towards pods", kNat};
  }
  if (on && mode == effective::Mode::Routed) {
    cni::except_nodes(inputs.addressing, masquerade);
    except_basis.because =
        "ipv4-native-routing-cidr is the pod range, and in native routing a pod's address is kept "
        "towards nodes (represented by the node range)";
  }
  if (!inputs.families.has(Family::Ipv4))
    source_basis = {"only IPv4 is masqueraded by default", kCharts};
  const auto& ipv6 = config.ipv6_masquerade;
  if (inputs.families.has(Family::Ipv6) && ipv6 && ipv6->value)
    cni::masquerade_ipv6(inputs.addressing, as_given(*ipv6), mode == effective::Mode::Routed,
                         masquerade);
  cni::mark_assumed_ranges(inputs.addressing, masquerade);
  return masquerade;
}

}  // namespace overlane::cilium
