#include "tools/overlane/verbs/compiled_shoot.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "scenarios/runner/plan/variant.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::command {

namespace {

/// Whether an assumption affects the states. False for assumptions about the speed of machines,
/// links and programs, and about maximum numbers of nodes and pods.
bool is_of_states(const model::Assumption& assumption) {
  constexpr std::string_view kOthers[] = {"machine.", "latency.",  "udp.",     "queue.",
                                          "tcp.",     "max_nodes", "max_pods", "routing_domain"};
  return std::ranges::none_of(
      kOthers, [&](std::string_view prefix) { return assumption.parameter.starts_with(prefix); });
}

}  // namespace

using runner::Outcome;

Outcome<CompiledShoot> compile_as(const runner::Subject& subject,
                                  const spec::VariantSpec& variant) {
  auto shoot = runner::variant_dataplane(subject, variant);
  if (!shoot) return runner::unusable(shoot.error());
  auto states = compile::compile(subject.topology, *shoot);
  if (!states) return runner::unusable(states.error());
  return CompiledShoot{*std::move(shoot), *std::move(states)};
}

std::vector<model::Assumption> assumed(const runner::Subject& subject,
                                       const effective::EffectiveDataplane& shoot) {
  std::vector<model::Assumption> list;
  std::ranges::copy_if(subject.assumptions, std::back_inserter(list), is_of_states);
  const auto is_listed = [&](const effective::Reason& reason) {
    return std::ranges::any_of(list, [&](const model::Assumption& assumption) {
      // Both families of a dual-stack shoot usually have the same assumption.
      const std::size_t dot = reason.field.find('.');
      return assumption.parameter == reason.field ||
             (assumption.value == reason.value && dot != reason.field.npos &&
              assumption.parameter.ends_with(reason.field.substr(dot)));
    });
  };
  for (const effective::Reason& reason : shoot.reasons) {
    if (!reason.assumed || is_listed(reason) || !reason.field.starts_with("dataplane")) continue;
    list.push_back({std::string(reason.field), reason.value, "",
                    fmt::format("{} ({})", reason.because, reason.source), "default"});
  }
  return list;
}

Outcome<spec::VariantSpec> patched_variant(const std::string& patch) {
  auto stream = document::parse(patch, "--patch");
  if (stream.documents.size() != 1 || any_at_or_above(stream.findings, Severity::Error)) {
    stream.findings.push_back({.rule = "bad-patch",
                               .severity = Severity::Error,
                               .message = "--patch takes one YAML document",
                               .hint = "for example --patch '{overlay: {enabled: true}}'"});
    return fail(runner::Failure{runner::Failure::Kind::Usage, std::move(stream.findings)});
  }
  return spec::VariantSpec{.name = "patched",
                           .network_config = std::move(stream.documents.front())};
}

namespace {

CompiledVariant compiled(const runner::Prepared& prepared, const spec::VariantSpec& variant) {
  CompiledVariant made{.name = variant.name};
  const auto shoot = runner::variant_dataplane(prepared.subject, variant);
  if (!shoot) {
    made.reason = shoot.error().message;
    return made;
  }
  auto states = compile::compile(prepared.subject.topology, *shoot);
  if (!states) {
    made.reason = states.error().message;
    return made;
  }
  made.pod_mtu = static_cast<std::uint16_t>(shoot->dataplane.pod_mtu);
  made.states = *std::move(states);
  return made;
}

}  // namespace

runner::Outcome<std::vector<CompiledVariant>> compile_variants(const runner::Request& request) {
  const auto prepared = runner::prepare(request);
  if (!prepared) return fail(prepared.error());
  std::vector<CompiledVariant> variants;
  for (const spec::VariantSpec& variant : prepared->scenario.variants)
    variants.push_back(compiled(*prepared, variant));
  return variants;
}

runner::Outcome<CompiledVariant> compile_variant(const runner::Request& request,
                                                 const std::string& name) {
  const auto prepared = runner::prepare(request);
  if (!prepared) return fail(prepared.error());
  const auto& variants = prepared->scenario.variants;
  if (name.empty()) {
    return compiled(*prepared, spec::VariantSpec{.name = "as-written"});
  }
  const auto found = std::ranges::find(variants, name, &spec::VariantSpec::name);
  if (found != variants.end()) return compiled(*prepared, *found);
  std::string names;
  for (const spec::VariantSpec& variant : variants)
    names += (names.empty() ? "" : ", ") + variant.name;
  return fail(runner::Failure{runner::Failure::Kind::Usage,
                              {{.rule = "choose-variant",
                                .severity = Severity::Error,
                                .message = fmt::format("there is no variant {}", name),
                                .hint = "there are " + names}}});
}

namespace {

/// The texts that `text` returns for each family's value, joined.
template <typename T, typename Text>
std::string of_families(const graph::ByFamily<T>& values, Text text) {
  std::string joined;
  for (const Family family : graph::kFamilies) {
    if (const T* value = values.in(family))
      joined += (joined.empty() ? "" : ", ") + std::string(text(*value));
  }
  return joined;
}

}  // namespace

pages::TopologyPicture picture_of(const graph::Topology& topology) {
  const auto prefix = [](const IpPrefix& cidr) { return cidr.to_string(); };
  pages::TopologyPicture picture;
  picture.network =
      fmt::format("VPC {}, MTU {}", of_families(topology.vpc().cidr, prefix), topology.vpc().mtu);
  const auto& subnets = topology.subnets();
  for (std::size_t i = 0; i < topology.zones().size(); ++i) {
    const graph::Subnet& subnet = subnets.size() == 1 ? subnets.front() : subnets.at(i);
    picture.zones.push_back(
        {.name = topology.zones()[i], .subnet = of_families(subnet.cidr, prefix), .nodes = {}});
  }
  for (const graph::Node& node : topology.nodes())
    picture.zones.at(node.zone).nodes.push_back(
        {.name = node.name,
         .address =
             of_families(node.addresses, [](const auto& one) { return one.address.to_string(); }),
         .pod_cidr = of_families(node.addresses,
                                 [](const auto& one) { return one.pod_cidr.to_string(); })});
  return picture;
}

}  // namespace overlane::command
