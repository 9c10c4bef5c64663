#include "tools/overlane/verbs/node_states.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "dataplane/node/text/state_diff.h"
#include "results/base/text.h"
#include "tools/overlane/verbs/compiled_shoot.h"

namespace overlane::command {
namespace {

using compile::Compiled;
using runner::Outcome;

Outcome<std::size_t> find_node(const Compiled& states, const std::string& name) {
  if (name.empty()) return std::size_t{0};
  const auto at = std::ranges::find(
      states.nodes, name, [](const node::NodeState& state) { return state.member().name; });
  if (at == states.nodes.end()) {
    return fail(runner::Failure{
        runner::Failure::Kind::Usage,
        {{.rule = "no-such-node",
          .severity = Severity::Error,
          .message = fmt::format("there is no node {}", name),
          .hint = fmt::format("they are called {} to {}", states.nodes.front().member().name,
                              states.nodes.back().member().name)}}});
  }
  return static_cast<std::size_t>(at - states.nodes.begin());
}

Outcome<runner::Subject> load(const NodeStateRequest& request,
                              const std::vector<std::string>& paths,
                              std::optional<std::uint32_t> nodes) {
  const spec::Scenario scenario{.manifests = paths, .shoot = request.shoot};
  return runner::load_subject(
      scenario, {.derive = request.derive, .shoot = request.shoot, .nodes = nodes}, {});
}

/// States, their assumptions, and what is wrong with the documents and the states.
struct Shown {
  Compiled states;
  std::vector<model::Assumption> assumptions;
  Findings findings;
};

Outcome<Shown> show(const runner::Subject& subject, const spec::VariantSpec& variant) {
  auto compiled = compile_as(subject, variant);
  if (!compiled) return fail(compiled.error());
  auto assumptions = assumed(subject, compiled->shoot);
  Findings findings = subject.findings;
  findings.insert(findings.end(), compiled->states.findings.begin(),
                  compiled->states.findings.end());
  return Shown{std::move(compiled->states), std::move(assumptions), std::move(findings)};
}

/// The states after the requested change; nothing if none was requested.
Outcome<std::optional<Shown>> show_changed(const NodeStateRequest& request,
                                           const runner::Subject& subject) {
  if (request.patch) {
    const auto variant = patched_variant(*request.patch);
    if (!variant) return fail(variant.error());
    return show(subject, *variant);
  }
  if (request.against.empty()) return std::optional<Shown>();
  const auto other =
      load(request, request.against, static_cast<std::uint32_t>(subject.topology.nodes().size()));
  if (!other) return fail(other.error());
  return show(*other, {.name = "as-written"});
}

/// The assumptions; after a change only the new ones.
std::string assumptions_text(const Shown& written, const std::optional<Shown>& after) {
  std::string text;
  for (const model::Assumption& assumption : (after ? *after : written).assumptions) {
    const bool is_old =
        std::ranges::find(written.assumptions, assumption) != written.assumptions.end();
    if (after && is_old) continue;
    text += fmt::format("# assumed: {} {}: {}\n", assumption.parameter, assumption.value,
                        assumption.source);
  }
  return text;
}

}  // namespace

Outcome<NodeStateText> node_state_text(const NodeStateRequest& request) {
  const auto subject = load(request, request.paths, request.nodes);
  if (!subject) return fail(subject.error());
  const auto written = show(*subject, {.name = "as-written"});
  if (!written) return fail(written.error());
  const Compiled& states = written->states;
  const auto index = find_node(states, request.node);
  if (!index) return fail(index.error());
  const auto after = show_changed(request, *subject);
  if (!after) return fail(after.error());
  const Compiled* changed = *after ? &(*after)->states : nullptr;
  const node::NodeState& node = states.nodes[*index];
  std::string text = fmt::format("# {}\n", node.member().name);
  text += changed != nullptr ? node::diff(node, changed->nodes[*index]) : to_string(node);
  if (request.fabric) {
    text += "# the VPC\n";
    text +=
        changed != nullptr ? node::diff(states.fabric, changed->fabric) : to_string(states.fabric);
  }
  text += assumptions_text(*written, *after);
  Findings findings = written->findings;
  if (*after)
    std::ranges::copy_if((*after)->findings, std::back_inserter(findings), [&](const auto& one) {
      return std::ranges::find(written->findings, one) == written->findings.end();
    });
  for (const Finding& finding : findings)
    text += fmt::format("# {}\n", one_line(finding.to_string()));
  return NodeStateText{std::move(text), std::move(findings)};
}

}  // namespace overlane::command
