#include "topologies/manifest/infrastructure/infrastructure.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "topologies/manifest/infrastructure/decoders.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Problems;
using document::Value;

struct ProviderDecoder {
  std::string_view provider;
  void (*config)(Fields&, Infrastructure&);
  void (*status)(Fields&, ObservedInfrastructure&);  ///< nullptr: it has no network fields.
  std::string_view other_version = "";               ///< Beside v1alpha1.
};

constexpr std::array kDecoders = {
    ProviderDecoder{"aws", decode_aws, observe_aws},
    ProviderDecoder{"gcp", decode_gcp, observe_gcp},
    ProviderDecoder{"azure", decode_azure, observe_azure},
    ProviderDecoder{"openstack", decode_openstack, observe_openstack},
    ProviderDecoder{"alicloud", decode_alicloud, observe_alicloud},
    ProviderDecoder{"metal", decode_metal, nullptr},
    // stackitcloud/gardener-extension-provider-stackit pkg/apis/stackit/v1alpha1: the fields of
    // OpenStack.
    ProviderDecoder{"stackit", decode_openstack, observe_openstack},
    ProviderDecoder{"hcloud", decode_hcloud, nullptr, "v1alpha2"},
};

constexpr std::string_view kGroupEnd = ".provider.extensions.gardener.cloud";
/// API groups before `provider` became a part of their names.
constexpr std::string_view kOldGroupEnd = ".extensions.gardener.cloud";

std::string_view provider_of(std::string_view api_version) {
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  for (const std::string_view end : {kGroupEnd, kOldGroupEnd})
    if (group.ends_with(end)) return group.substr(0, group.size() - end.size());
  return "";
}

const ProviderDecoder* decoder_of(std::string_view provider, const Value& config) {
  if (provider.empty()) provider = provider_of(config["apiVersion"].text());
  const auto found = std::ranges::find(kDecoders, provider, &ProviderDecoder::provider);
  return found == kDecoders.end() ? nullptr : &*found;
}

void check_type(const ProviderDecoder& decoder, std::string_view kind, Fields& fields) {
  Problems& problems = fields.problems();
  const Value version = fields.any("apiVersion");
  const Value given_kind = fields.any("kind");
  const std::string current = fmt::format("{}{}/v1alpha1", decoder.provider, kGroupEnd);
  const bool is_other =
      !decoder.other_version.empty() &&
      version.text() == fmt::format("{}{}/{}", decoder.provider, kGroupEnd, decoder.other_version);
  if (version && version.text() != current && !is_other) {
    const bool old = version.text() == fmt::format("{}{}/v1alpha1", decoder.provider, kOldGroupEnd);
    if (old)
      problems.warning(version, "deprecated-field",
                       fmt::format("{} is an old one; it is read like today's", version.path()),
                       "write " + current);
    else
      problems.error(version, "wrong-api-version",
                     fmt::format("{} is of another API than the provider {}", version.path(),
                                 decoder.provider),
                     "write " + current);
  }
  if (given_kind && given_kind.text() != kind)
    problems.error(given_kind, "wrong-kind", fmt::format("{} must be {}", given_kind.path(), kind),
                   fmt::format("write kind: {}", kind));
}

}  // namespace

void decode_infrastructure_config(std::string_view provider, const Value& config,
                                  Infrastructure& infrastructure, Problems& problems) {
  infrastructure.configured = bool(config);
  const ProviderDecoder* decoder = decoder_of(provider, config);
  if (decoder == nullptr || !config) return;
  Fields fields(config, problems);
  check_type(*decoder, "InfrastructureConfig", fields);
  decoder->config(fields, infrastructure);
  fields.warn_others();
}

void decode_infrastructure_status(std::string_view provider, const Value& status,
                                  ObservedInfrastructure& observed, Problems& problems) {
  const ProviderDecoder* decoder = decoder_of(provider, status);
  if (decoder == nullptr || decoder->status == nullptr || !status) return;
  Fields fields(status, problems);
  check_type(*decoder, "InfrastructureStatus", fields);
  decoder->status(fields, observed);
}

Field<bool> given_switch(Fields& fields, std::string_view key,
                         std::initializer_list<std::string_view> others) {
  Fields block = fields.fields(key);
  block.ignore(others);
  Field<bool> enabled = given_bool(block, "enabled");
  block.warn_others();
  return enabled;
}

Field<std::string> given_reference(Fields& fields, std::string_view key, std::string_view inner,
                                   std::initializer_list<std::string_view> others) {
  Fields block = fields.fields(key);
  block.ignore(others);
  Field<std::string> reference = given_string(block, inner);
  block.warn_others();
  return reference;
}

Field<bool> given_presence(Fields& fields, std::string_view key) {
  const Value block = fields.mapping(key);
  if (!block) return std::nullopt;
  return Located<bool>{true, block.place(), document::FieldPath(block)};
}

std::vector<ObservedSubnet> observed_subnets(Fields& fields, std::string_view key) {
  std::vector<ObservedSubnet> subnets;
  for (const Value item : fields.list(key)) {
    Fields subnet(item, fields.problems());
    subnets.push_back({.id = std::string((item["id"] ? item["id"] : item["name"]).text()),
                       .purpose = std::string(item["purpose"].text()),
                       .zone = std::string(item["zone"].text()),
                       .cidr = given_cidr(subnet, "cidr")});
  }
  return subnets;
}

}  // namespace overlane::manifest
