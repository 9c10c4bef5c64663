#include "topologies/cni/declarative/declarative.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "topologies/cni/extension/masquerade.h"
#include "topologies/document/fields/fields.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/effective/network_inputs.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::declarative {

namespace {

using Type = ConfigField::Type;
using cni::NetworkDecision;
using document::Kind;
using document::ScalarType;
using document::Value;
using effective::Decided;
using effective::DecidedDataplane;
using effective::NetworkInputs;
using effective::Provenance;
using effective::ServiceRouting;
using rules::Check;
using rules::RuleReport;

/// The expected type for a message ("a boolean"); null if the value has the type.
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

struct Shoot {
  const NetworkProvider& provider;
  const NetworkInputs& inputs;
};

void check_kube_proxy(const Shoot& in, RuleReport& report) {
  const auto& enabled = in.inputs.spec.shoot.kube_proxy_enabled;
  if (enabled && !enabled->value && !in.provider.replaces_kube_proxy)
    report.add(*enabled, fmt::format("the network type {} needs kube-proxy", in.provider.type));
}

constexpr Check<Shoot> kChecks[] = {
    {{.id = "network-provider-without-kube-proxy",
      .section = "§6",
      .enforcer = rules::Enforcer::Reconcile,
      .title = "A network extension that does not route services runs without kube-proxy.",
      .why = "Gardener's contract: with kube-proxy disabled the network extension is responsible "
             "for service routing, and must raise an error if it is unable to.",
      .remedy = "enable kube-proxy, or set replacesKubeProxy in the NetworkProvider file",
      .source = "gardener/gardener docs/extensions/resources/network.md"},
     check_kube_proxy}};

std::string switch_text(std::optional<bool> value) {
  if (!value) return "absent";
  return *value ? "true" : "false";
}

class DeclarativeInstance final : public cni::ExtensionInstance {
 public:
  DeclarativeInstance(const NetworkProvider& provider, const NetworkInputs& inputs)
      : provider_(provider),
        inputs_(inputs),
        problems_(inputs.spec.object),
        config_(provider, inputs.spec.provider_config.root(), problems_) {}

  const Findings& config_findings() const override { return problems_.findings(); }
  void check(RuleReport& report) const override {
    report.run(std::span<const Check<Shoot>>(kChecks), {provider_, inputs_});
  }
  void lint(const effective::EffectiveDataplane&, RuleReport&) const override {}

  Result<NetworkDecision> decide() const override {
    const Family primary = inputs_.families.primary();
    const ProviderRow* row = row_of(primary);
    if (row == nullptr) return fail(no_row());
    NetworkDecision decision{.agent = provider_.agent,
                             .row = row->name,
                             .dataplane = decide_family(*row, primary),
                             .secondary = {},
                             .service_routing = service_routing(),
                             .masquerade = masquerade(),
                             .reasons = {}};
    if (const auto secondary = inputs_.families.secondary()) {
      const ProviderRow* other = row_of(*secondary);
      if (other == nullptr) return fail(no_row());
      decision.secondary = decide_family(*other, *secondary);
    }
    return decision;
  }

 private:
  std::string value_of(const std::string& field, Family family) const {
    if (field == "overlay.enabled") return switch_text(inputs_.overlay.enabled);
    if (field == "overlay.createPodRoutes") return switch_text(inputs_.overlay.pod_routes);
    if (field == "shoot.ipFamily") return family == Family::Ipv4 ? "IPv4" : "IPv6";
    const manifest::ShootSpec& shoot = inputs_.spec.shoot;
    if (field == "shoot.provider") return shoot.provider ? shoot.provider->value : "absent";
    if (field == "shoot.kubeProxy")
      return switch_text(!shoot.kube_proxy_enabled || shoot.kube_proxy_enabled->value);
    const auto given = config_.find(field);
    return given ? given->value : "absent";
  }

  bool holds(const ProviderRow& row, Family family) const {
    return std::ranges::all_of(row.when, [&](const Condition& condition) {
      return value_of(condition.field, family) == condition.value;
    });
  }

  Finding no_row() const {
    return {.rule = "unsupported-combination",
            .message = fmt::format("{}: no row of the NetworkProvider {} matches",
                                   inputs_.spec.object.qualified(), provider_.name),
            .object = inputs_.spec.object,
            .place = inputs_.spec.place,
            .hint = fmt::format("add a row without conditions at the end of {}",
                                provider_.place.file.str())};
  }

  /// The first row whose conditions hold; null if there is none.
  const ProviderRow* row_of(Family family) const {
    const auto row = std::ranges::find_if(
        provider_.rows, [&](const ProviderRow& candidate) { return holds(candidate, family); });
    return row == provider_.rows.end() ? nullptr : &*row;
  }

  DecidedDataplane decide_family(const ProviderRow& row, Family family) const {
    DecidedDataplane dataplane;
    const Provenance basis{row.because, row.place, false};
    visit_dataplane([&](std::string_view, auto& field) { field.basis = basis; }, dataplane);
    dataplane.mode.value = row.mode;
    dataplane.encapsulation.value = row.encapsulation;
    dataplane.cross_subnet.value = row.cross_subnet;
    dataplane.backend.value = row.backend;
    dataplane.routes_by.value = row.routes_by.value_or(
        effective::native_routes(inputs_.provider, inputs_.families, family));
    dataplane.encryption.value = row.encryption;
    dataplane.overhead_bytes.value = row.overhead_bytes;
    decide_mtu(dataplane);
    return dataplane;
  }

  void decide_mtu(DecidedDataplane& dataplane) const {
    const std::uint32_t overhead = dataplane.overhead_bytes.value;
    const std::uint32_t link = inputs_.link_mtu.value;
    dataplane.pod_mtu = {link > overhead ? link - overhead : 0,
                         effective::as_assumed(fmt::format("link MTU {} minus {}", link, overhead),
                                               provider_.place)};
    if (const auto mtu = config_.find(provider_.mtu_field)) {
      std::uint32_t bytes = 0;
      const std::string& text = mtu->value;
      std::from_chars(text.data(), text.data() + text.size(), bytes);
      if (bytes > 0) dataplane.pod_mtu = {bytes, effective::as_given(*mtu)};
    }
    if (dataplane.is_encrypted()) dataplane.wireguard_mtu = dataplane.pod_mtu.value;
    dataplane.tunnel_mtu = overhead > 0 ? dataplane.pod_mtu.value : 0;
  }

  Decided<ServiceRouting> service_routing() const {
    const auto& enabled = inputs_.spec.shoot.kube_proxy_enabled;
    if (enabled && !enabled->value)
      return {ServiceRouting::NetworkExtension, effective::as_given(*enabled)};
    return effective::kube_proxy_routing(inputs_.spec.shoot);
  }

  effective::DecidedMasquerade masquerade() const {
    effective::DecidedMasquerade masquerade;
    const Provenance basis{"set in the NetworkProvider file", provider_.place, false};
    visit_masquerade([&](std::string_view, auto& field) { field.basis = basis; }, masquerade);
    if (provider_.masquerades) {
      masquerade.sources.value = cni::ipv4_of(inputs_.addressing.pods.value);
      masquerade.except.value = masquerade.sources.value;
      if (provider_.keeps_to_nodes) cni::except_nodes(inputs_.addressing, masquerade);
    }
    cni::mark_assumed_ranges(inputs_.addressing, masquerade);
    return masquerade;
  }

  const NetworkProvider& provider_;
  const NetworkInputs& inputs_;
  document::Problems problems_;
  DeclarativeConfig config_;
};

}  // namespace

DeclarativeConfig::DeclarativeConfig(const NetworkProvider& provider, const Value& config,
                                     document::Problems& problems) {
  for (const ConfigField& field : provider.fields)
    if (field.default_value)
      values_[field.path] = {*field.default_value, provider.place, field.path};
  if (!config) return;
  document::Fields fields(config, problems);
  manifest::check_overlay(fields);
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

std::unique_ptr<const cni::ExtensionInstance> Extension::open(const NetworkInputs& inputs) const {
  return std::make_unique<DeclarativeInstance>(provider_, inputs);
}

std::vector<const rules::Rule*> Extension::rules() const {
  std::vector<const rules::Rule*> rules;
  list_rules(std::span<const Check<Shoot>>(kChecks), rules);
  return rules;
}

}  // namespace overlane::declarative
