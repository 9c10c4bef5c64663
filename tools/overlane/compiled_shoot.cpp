#include "tools/overlane/compiled_shoot.h"

#include "scenarios/runner/variant.h"
#include "topologies/document/parse.h"

namespace overlane::command {

using runner::Outcome;

Outcome<CompiledShoot> compile_as(const runner::Subject& subject, const spec::Variant& variant) {
  auto shoot = runner::variant_dataplane(subject, variant);
  if (!shoot) return runner::unusable(shoot.error());
  auto states = compile::compile(subject.topology, *shoot);
  if (!states) return runner::unusable(states.error());
  return CompiledShoot{*std::move(shoot), *std::move(states)};
}

Outcome<spec::Variant> patched_variant(const std::string& patch) {
  auto stream = document::parse(patch, "--diff");
  if (stream.documents.size() != 1 || any_at_or_above(stream.findings, Severity::Error)) {
    stream.findings.push_back({.rule = "bad-patch",
                               .severity = Severity::Error,
                               .message = "--diff takes one YAML document",
                               .hint = "for example --diff '{overlay: {enabled: true}}'"});
    return fail(runner::Failure{runner::Failure::Kind::Usage, std::move(stream.findings)});
  }
  return spec::Variant{.name = "patched", .network_config = std::move(stream.documents.front())};
}

}  // namespace overlane::command
