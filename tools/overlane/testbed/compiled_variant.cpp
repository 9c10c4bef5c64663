#include "tools/overlane/testbed/compiled_variant.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/runner/plan/variant.h"

namespace overlane::command {
namespace {

CompiledVariant compiled(const runner::Prepared& prepared, const spec::Variant& variant) {
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
  for (const spec::Variant& variant : prepared->scenario.variants)
    variants.push_back(compiled(*prepared, variant));
  return variants;
}

runner::Outcome<CompiledVariant> compile_variant(const runner::Request& request,
                                                 const std::string& name) {
  const auto prepared = runner::prepare(request);
  if (!prepared) return fail(prepared.error());
  const auto& variants = prepared->scenario.variants;
  if (name.empty()) {
    return compiled(*prepared, spec::Variant{.name = "as-written"});
  }
  const auto found = std::ranges::find(variants, name, &spec::Variant::name);
  if (found != variants.end()) return compiled(*prepared, *found);
  std::string names;
  for (const spec::Variant& variant : variants)
    names += (names.empty() ? "" : ", ") + variant.name;
  return fail(runner::Failure{runner::Failure::Kind::Usage,
                              {{.rule = "choose-variant",
                                .severity = Severity::Error,
                                .message = fmt::format("there is no variant {}", name),
                                .hint = "there are " + names}}});
}

}  // namespace overlane::command
