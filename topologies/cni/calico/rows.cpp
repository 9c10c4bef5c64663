#include "topologies/cni/calico/rows.h"

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "topologies/cni/calico/sources.h"

namespace overlane::calico {
namespace {

using effective::as_assumed;
using effective::Backend;
using effective::Decided;
using effective::Encapsulation;
using effective::Mode;
using effective::NetworkInputs;
using effective::OverlayDecision;
using effective::Provenance;
using effective::RoutesBy;
using effective::Stage;

constexpr std::string_view kRowNames[] = {"T1", "T2", "T3",  "T4", "T5", "T6", "T7",
                                          "T8", "T9", "T10", "D1", "D2", "D3", "D4"};

constexpr Row kRows[] = {
    {RowId::T1, Mode::Overlay, Encapsulation::Ipip, false, Backend::Bird, RoutesBy::Bgp, 20, 20,
     "Calico's own default pool always encapsulates in IPIP"},
    {RowId::T2, Mode::Overlay, Encapsulation::Ipip, false, Backend::Bird, RoutesBy::Bgp, 20, 20,
     "the pool always encapsulates in IPIP, regardless of the backend"},
    {RowId::T3, Mode::Overlay, Encapsulation::Vxlan, false, Backend::Vxlan, RoutesBy::Felix, 50, 50,
     "the pool always encapsulates in VXLAN"},
    {RowId::T4, Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable,
     0, 0, "pods are routed without a tunnel and BIRD does not run"},
    {RowId::T5, Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable,
     0, 0, "pods are routed, but a left-over vxlan.enabled still selects calico-ipam"},
    {RowId::T6, Mode::Routed, Encapsulation::None, false, Backend::Bird, RoutesBy::Bgp, 0, 0,
     "BIRD writes host routes without a tunnel, in addition to the cloud's routes"},
    {RowId::T7, Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable,
     0, 0, "there is no tunnel, and BIRD does not run"},
    {RowId::T8, Mode::Overlay, Encapsulation::Vxlan, false, Backend::Bird, RoutesBy::Felix, 50, 50,
     "without an overlay key, only the default pool becomes VXLAN"},
    {RowId::T9, Mode::Overlay, Encapsulation::Ipip, true, Backend::Bird, RoutesBy::Bgp, 20, 20,
     "IPIP between different subnets only"},
    {RowId::T10, Mode::Routed, Encapsulation::None, false, Backend::Bird, RoutesBy::Bgp, 0, 20,
     "BIRD routes without a tunnel, but Felix keeps IPIP enabled and its MTU"},
    // With IPv6 among the families Felix's IPIP is off; in D2 the IPv4 pool contradicts that.
    {RowId::D1, Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable,
     0, 0, "pods of both families are routed without a tunnel and BIRD does not run"},
    {RowId::D2, Mode::Overlay, Encapsulation::Ipip, false, Backend::Bird, RoutesBy::Bgp, 20, 0,
     "the IPv4 pool has IPIP while Felix's IPIP is off: the two contradict each other"},
    {RowId::D3, Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable,
     0, 0, "with IPv6 and no overlay key the extension sets backend none and no pool encapsulates"},
    {RowId::D4, Mode::Routed, Encapsulation::None, false, Backend::Bird, RoutesBy::Bgp, 0, 0,
     "BIRD writes host routes without a tunnel for both families"},
};

constexpr bool stand_by_their_ids() {
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].id != static_cast<RowId>(i)) return false;
  return std::size(kRows) == std::size(kRowNames);
}
static_assert(stand_by_their_ids());

constexpr const Row& row(RowId id) {
  return kRows[static_cast<std::size_t>(id)];
}

/// The NetworkConfig's fields as the extension reads them.
struct Settings {
  bool vxlan = false;
  Decided<std::string> backend;
  Decided<std::string> mode;
  Decided<std::string> pool;
};

Decided<std::string> setting(const Field<std::string>& field, const char* fallback,
                             const char* because) {
  if (field)
    return {field->value, {fmt::format("{} is {}", field->path, field->value), field->place}};
  return {fallback, as_assumed(because, kCharts)};
}

Settings settings(const NetworkConfig& config, const NetworkInputs& inputs) {
  const FamilyConfig ipv4 = config.ipv4 ? config.ipv4->value : FamilyConfig{};
  Settings read{.vxlan = config.vxlan && config.vxlan->value,
                .backend = setting(config.backend, "bird", "the extension's default is bird"),
                .mode = setting(ipv4.mode, "Always", "the extension's default is Always"),
                .pool = setting(ipv4.pool, "ipip", "the extension's default is ipip")};
  const provider::Profile& provider = inputs.provider;
  const bool bare = !inputs.spec.provider_config.root();
  if (!provider.admission.backend_none_webhook.empty())
    read.backend = {"none", as_assumed(fmt::format("a webhook of provider {} sets backend none on "
                                                   "every calico Network",
                                                   provider.name),
                                       provider.admission.backend_none_webhook)};
  else if (bare && inputs.stage == Stage::Create && !provider.admission.bare_calico_backend.empty())
    read.backend = {std::string(provider.admission.bare_calico_backend),
                    as_assumed(fmt::format("admission of provider {} writes backend {} into a new "
                                           "shoot without providerConfig",
                                           provider.name, provider.admission.bare_calico_backend),
                               provider.admission.mutator)};
  return read;
}

/// Without an overlay key the extension keeps the user's values and its own defaults.
Choice choose_without_key(const Settings& s, const Provenance& overlay) {
  if (s.backend.value == "none") return {&row(s.vxlan ? RowId::T5 : RowId::T7), s.backend.basis};
  if (s.backend.value != "bird") return {};
  // vxlan.enabled makes the pool VXLAN and its mode Always, regardless of ipv4.mode.
  if (s.vxlan) return {&row(RowId::T8), overlay};
  if (s.mode.value == "Never" || s.mode.value == "Off") return {&row(RowId::T10), s.mode.basis};
  if (s.pool.value == "vxlan") return {&row(RowId::T8), s.pool.basis};
  if (s.mode.value == "CrossSubnet") return {&row(RowId::T9), s.mode.basis};
  return {&row(RowId::T1), overlay};
}

/// With IPv6 among the families the extension writes mode Never and backend none unless the overlay
/// is on; vxlan.enabled would force calico-ipam, which the extension does not support with IPv6.
Choice choose_with_ipv6(const Settings& s, const OverlayDecision& overlay) {
  if (s.vxlan) return {};
  if (!overlay.enabled) return {&row(RowId::D3), overlay.basis};
  if (*overlay.enabled) return {&row(RowId::D2), overlay.basis};
  return {&row(overlay.pod_routes ? RowId::D4 : RowId::D1), overlay.basis};
}

Choice choose(const Settings& s, const OverlayDecision& overlay) {
  if (!overlay.enabled) return choose_without_key(s, overlay.basis);
  if (*overlay.enabled) return {&row(s.vxlan ? RowId::T3 : RowId::T2), overlay.basis};
  if (s.vxlan && overlay.pod_routes) return {};
  if (s.vxlan) return {&row(RowId::T5), overlay.basis};
  return {&row(overlay.pod_routes ? RowId::T6 : RowId::T4), overlay.basis};
}

/// A combination without a row, and how to avoid it.
struct Unknown {
  std::string combination;
  std::string hint;
};

Unknown with_vxlan(const NetworkInputs& inputs) {
  if (inputs.families.has(Family::Ipv6))
    return {"vxlan.enabled with IPv6", "remove the vxlan block"};
  const auto& block = inputs.overlay.given;
  if (block && block->value.create_pod_routes)
    return {"vxlan.enabled with createPodRoutes and without an overlay",
            "remove the vxlan block, or set overlay.createPodRoutes: false"};
  return {fmt::format("vxlan.enabled without an overlay, with the createPodRoutes: true that "
                      "admission of provider {} adds,",
                      inputs.provider.name),
          "remove the left-over vxlan block, or set overlay.enabled: true"};
}

template <typename T>
Finding no_row_at(const Field<T>& field, const NetworkInputs& inputs, const Unknown& unknown) {
  return {.rule = "unsupported-combination",
          .message = fmt::format("{}: {} is a combination whose dataplane is not known",
                                 inputs.spec.object.qualified(), unknown.combination),
          .object = inputs.spec.object,
          .path = field ? field->path : "",
          .place = field ? field->place : inputs.spec.place,
          .hint = unknown.hint};
}

Finding in_no_row(const NetworkConfig& config, const NetworkInputs& inputs, const Settings& s) {
  if (s.vxlan && (inputs.overlay.enabled || inputs.families.has(Family::Ipv6)))
    return no_row_at(config.vxlan, inputs, with_vxlan(inputs));
  return no_row_at(config.backend, inputs,
                   {fmt::format("backend {} with pool {} and without an overlay key",
                                s.backend.value, s.pool.value),
                    "set overlay.enabled and vxlan.enabled instead of backend"});
}

}  // namespace

std::string_view to_string(RowId id) {
  return kRowNames[static_cast<std::size_t>(id)];
}

Result<Choice> choose_row(const NetworkConfig& config, const NetworkInputs& inputs) {
  const Settings read = settings(config, inputs);
  Choice choice = inputs.families.has(Family::Ipv6) ? choose_with_ipv6(read, inputs.overlay)
                                                    : choose(read, inputs.overlay);
  if (choice.row == nullptr) return fail(in_no_row(config, inputs, read));
  return choice;
}

}  // namespace overlane::calico
