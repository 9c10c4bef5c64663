#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/node/text/state_diff.h"
#include "results/base/text.h"
#include "results/report/csv.h"
#include "scenarios/runner/load/given_files.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/compiled_shoot.h"
#include "topologies/check/check.h"
#include "topologies/derive/derive.h"
#include "topologies/explain/difference.h"
#include "topologies/explain/explanation.h"

namespace overlane::command {

namespace {

/// The request of `explain --node-state`.
struct NodeStateRequest {
  std::vector<std::string> paths;  ///< Manifests.
  derive::DeriveOptions derive;
  std::string shoot;  ///< "namespace/name"; empty if there is only one.
  std::optional<std::uint32_t> nodes;
  std::string node;  ///< Empty: the first.
  bool fabric = false;
  /// A merge patch (RFC 7386) to the NetworkConfig, as YAML. If set, the result is the difference
  /// that the patch makes.
  std::optional<std::string> patch;
  /// Other manifests of the shoot. If set, the result is the difference to their state.
  std::vector<std::string> against;
};

/// The state of a node and of the VPC as text, or the lines that a change removes and adds;
/// followed by comments with the assumptions and findings.
struct NodeStateText {
  std::string text;
  Findings findings;
};

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

/// Loads the requested shoot of the documents, after `admit` if it is given.
Outcome<runner::Subject> load(const NodeStateRequest& request, const document::Stream& documents,
                              std::optional<std::uint32_t> nodes,
                              const explain::Admission& admit = {}) {
  const spec::Scenario scenario{.shoot = request.shoot};
  const runner::SubjectOptions options{
      .derive = request.derive, .shoot = request.shoot, .nodes = nodes};
  auto shoot = runner::choose_shoot(documents, options);
  if (!shoot) return fail(shoot.error());
  if (admit) shoot->spec = admit(std::move(shoot->spec), shoot->derive.stage);
  return runner::load_subject(scenario, options, *std::move(shoot));
}

/// States, their assumptions, and findings about the documents and the states.
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

/// The states after the requested change. Nothing if no change was requested.
Outcome<std::optional<Shown>> show_changed(const NodeStateRequest& request,
                                           const document::Stream& stored,
                                           const runner::Subject& subject) {
  if (request.patch) {
    const auto variant = patched_variant(*request.patch);
    if (!variant) return fail(variant.error());
    return show(subject, *variant);
  }
  if (request.against.empty()) return std::optional<Shown>();
  const auto edited = runner::read_named_manifests("", request.against);
  if (!edited) return fail(edited.error());
  const auto other =
      load(request, *edited, static_cast<std::uint32_t>(subject.topology.nodes().size()),
           check::admission_of_update(stored, *edited, request.derive));
  if (!other) return fail(other.error());
  return show(*other, {.name = "as-written"});
}

/// The assumptions as text; for a change, only the new ones.
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

Outcome<NodeStateText> node_state_text(const NodeStateRequest& request) {
  const auto documents = runner::read_named_manifests("", request.paths);
  if (!documents) return fail(documents.error());
  const auto subject = load(request, *documents, request.nodes);
  if (!subject) return fail(subject.error());
  const auto written = show(*subject, {.name = "as-written"});
  if (!written) return fail(written.error());
  const Compiled& states = written->states;
  const auto index = find_node(states, request.node);
  if (!index) return fail(index.error());
  const auto after = show_changed(request, *documents, *subject);
  if (!after) return fail(after.error());
  const Compiled* changed = *after ? &(*after)->states : nullptr;
  const node::NodeState& node = states.nodes[*index];
  std::string text = fmt::format("# {}\n", node.member().name);
  if (changed == nullptr) {
    text += to_string(node);
  } else if (const std::string diff = node::diff(node, changed->nodes[*index]); !diff.empty()) {
    text +=
        "# if nodes and pods are made after the change; running ones keep MTUs and devices, see "
        "overlane migrate\n";
    text += diff;
  }
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

struct ExplainOptions {
  InputOptions input;
  OutputOptions output;
  bool summary = false;
  bool node_state = false;
  NodeStateRequest state;
};

explain::Form form_of(const ExplainOptions& options) {
  if (options.output.format != Format::Table) return explain::Form::Json;
  return options.summary ? explain::Form::Summary : explain::Form::Text;
}

/// One row per network, from the parts of the JSON document (explain::json_part).
std::string csv_of(const std::vector<std::string>& parts) {
  report::CsvRows rows;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i)
    rows.add(nlohmann::ordered_json::parse(parts[i].substr(parts[i].find('{'))));
  return rows.to_string();
}

ExitCode write(const std::vector<std::string>& parts, const std::string& file) {
  ResultStream result(file);
  for (const std::string& part : parts)
    result.write(part);
  return result.finish();
}

/// Prints the differences to the manifests of --compare-to.
ExitCode print_difference(const ExplainOptions& options) {
  const InputOptions& input = options.input;
  document::Stream stored = read_all(input.paths, input.threads);
  document::Stream edited = read_all(options.state.against, input.threads);
  const explain::Admission admit = check::admission_of_update(stored, edited, input.derive);
  const explain::Explanation before =
      explain::explain(std::move(stored), input.derive, input.threads);
  const explain::Explanation after =
      explain::explain(std::move(edited), input.derive, input.threads, admit);
  Findings findings = before.findings;
  findings.insert(findings.end(), after.findings.begin(), after.findings.end());
  const bool nothing = before.networks.empty() || after.networks.empty();
  if (nothing || !shares_terminal(options.output))
    print_findings(findings, options.input.quiet, options.input.fail_on);
  if (nothing) return ExitCode::NoInput;
  const auto differences = explain::compare(before, after);
  const auto encoded = [&] { return explain::encode(differences, findings); };
  ExitCode written = write_json_beside(options.output, encoded);
  if (written != ExitCode::Clean) return written;
  written = options.output.format == Format::Json
                ? write_json(options.output, encoded())
                : write_text(options.output,
                             explain::print(differences, findings, output_style(options.output)));
  if (written != ExitCode::Clean) return written;
  return any_at_or_above(findings, options.input.fail_on) ? ExitCode::Finding : ExitCode::Clean;
}

ExitCode print_node_state(const ExplainOptions& options) {
  NodeStateRequest request = options.state;
  request.paths = options.input.paths;
  request.derive = options.input.derive;
  const auto state = node_state_text(request);
  if (!state) return print_failure(state.error(), options.input.quiet, options.input.fail_on);
  if (!shares_terminal(options.output))
    print_findings(state->findings, options.input.quiet, options.input.fail_on);
  const ExitCode written = write_text(options.output, state->text);
  if (written != ExitCode::Clean) return written;
  return any_at_or_above(state->findings, options.input.fail_on) ? ExitCode::Finding
                                                                 : ExitCode::Clean;
}

/// The explanation in the form of the result and, for --json, as JSON. Each is rendered from the
/// documents, because a rendering of a landscape frees them as it proceeds.
struct Explanations {
  explain::Rendering result;
  std::optional<explain::Rendering> json;
};

/// Renders the explanation and shows the progress on a terminal.
Explanations render(const ExplainOptions& options) {
  const InputOptions& input = options.input;
  StepsLine line(!input.quiet && stderr_is_terminal());
  document::Stream stream = read_all(input.paths, input.threads, &line);
  line.begin("explaining", "documents");
  const auto rendered = [&](document::Stream documents, explain::Form form) {
    return explain::render(
        std::move(documents), input.derive, form, input.threads,
        [&](std::uint64_t done, std::uint64_t of) { line.advance(done, of); },
        output_style(options.output));
  };
  std::optional<explain::Rendering> json;
  if (!options.output.json_file.empty()) json = rendered(stream, explain::Form::Json);
  return {rendered(std::move(stream), form_of(options)), std::move(json)};
}

ExitCode explain(const ExplainOptions& options) {
  const InputOptions& input = options.input;
  const auto [explanation, json] = render(options);
  const bool nothing = explanation.networks == 0;
  if (nothing || !shares_terminal(options.output))
    print_findings(explanation.findings, input.quiet, input.fail_on);
  if (nothing && explanation.findings.empty())
    print_error("there is no Shoot or Network in the documents");
  if (json) {
    const ExitCode written = write(json->text, options.output.json_file);
    if (written != ExitCode::Clean) return written;
  }
  // The JSON document contains the findings; a text would be empty.
  if (nothing && options.output.format == Format::Table) return ExitCode::NoInput;
  const ExitCode written = options.output.format == Format::Csv
                               ? write_text(options.output, csv_of(explanation.text))
                               : write(explanation.text, options.output.file);
  if (written != ExitCode::Clean) return written;
  if (nothing) return ExitCode::NoInput;
  return any_at_or_above(explanation.findings, input.fail_on) ? ExitCode::Finding : ExitCode::Clean;
}

void add_node_state_options(CLI::App& verb, ExplainOptions& options) {
  CLI::Option* state =
      verb.add_flag("--node-state", options.node_state,
                    "Print the devices, routes, neighbours, filters and sysctls of a node")
          ->excludes("--json");
  NodeStateRequest& request = options.state;
  verb.add_option("--node", request.node, "The node to show (default: the first)")
      ->type_name("NAME")
      ->needs(state);
  // Options without needs() imply --node-state (with_implied_options).
  verb.add_flag("--fabric-state", request.fabric,
                "Also print the routes, source checks and filters of the VPC; implies "
                "--node-state");
  verb.add_option("--patch", request.patch,
                  "Print what this merge patch to the providerConfig changes in the state; implies "
                  "--node-state")
      ->type_name("YAML");
  verb.add_option("--shoot", request.shoot, "The shoot to use, if the manifests have several")
      ->type_name("NS/NAME")
      ->needs(state);
  add_nodes_option(verb, request.nodes, 1, UINT32_MAX)->needs(state);
}

}  // namespace

void add_explain(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<ExplainOptions>();
  add_input_options(*verb, options->input);
  add_output_options(*verb, options->output, ResultShape::Rows);
  add_json_option(*verb, options->output);
  verb->add_flag("--summary", options->summary, "Print one row per shoot");
  add_node_state_options(*verb, *options);
  verb->add_option("--compare-to", options->state.against,
                   "Print only what these manifests of the shoot change")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->excludes("--patch");
  verb->callback([options, &chosen] {
    if (options->output.format == Format::Csv &&
        (options->node_state || !options->state.against.empty()))
      throw CLI::ValidationError("--output", "csv has one row per shoot");
    chosen = [options] {
      if (options->node_state) return print_node_state(*options);
      return options->state.against.empty() ? explain(*options) : print_difference(*options);
    };
  });
}

}  // namespace overlane::command
