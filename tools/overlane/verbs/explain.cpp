#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/overlane/cli/inputs.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/node_states.h"
#include "topologies/explain/difference.h"
#include "topologies/explain/rendering.h"

namespace overlane::command {
namespace {

struct ExplainOptions {
  InputOptions input;
  OutputOptions output;
  bool summary = false;
  bool node_state = false;
  NodeStateRequest state;
};

explain::Explanation explain_all(const std::vector<std::string>& paths,
                                 const InputOptions& options) {
  return explain::explain(read_all(paths, options.threads), options.derive, options.threads);
}

explain::Form form_of(const ExplainOptions& options) {
  if (options.output.format == Format::Json) return explain::Form::Json;
  return options.summary ? explain::Form::Summary : explain::Form::Text;
}

ExitCode write(const std::vector<std::string>& parts, const ExplainOptions& options) {
  ResultStream result(options.output.file);
  for (const std::string& part : parts)
    result.write(part);
  return result.finish();
}

/// Prints the differences to the manifests of --compare-to.
ExitCode print_difference(const ExplainOptions& options) {
  const explain::Explanation before = explain_all(options.input.paths, options.input);
  const explain::Explanation after = explain_all(options.state.against, options.input);
  Findings findings = before.findings;
  findings.insert(findings.end(), after.findings.begin(), after.findings.end());
  const bool nothing = before.networks.empty() || after.networks.empty();
  if (nothing || !shares_terminal(options.output))
    print_findings(findings, options.input.quiet, options.input.fail_on);
  if (nothing) return ExitCode::NoInput;
  const auto differences = explain::compare(before, after);
  const ExitCode written = options.output.format == Format::Json
                               ? write_json(options.output, explain::encode(differences, findings))
                               : write_text(options.output, explain::print(differences, findings));
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

/// Shows the progress on a terminal.
explain::Rendering render(const ExplainOptions& options) {
  const InputOptions& input = options.input;
  StepsLine line(!input.quiet && errors_are_seen());
  document::Stream stream = read_all(input.paths, input.threads, &line);
  line.begin("explaining", "documents");
  return explain::render(std::move(stream), input.derive, form_of(options), input.threads,
                         [&line](std::uint64_t done, std::uint64_t of) { line.advance(done, of); });
}

ExitCode explain(const ExplainOptions& options) {
  const InputOptions& input = options.input;
  const explain::Rendering explanation = render(options);
  const bool nothing = explanation.networks == 0;
  if (nothing || !shares_terminal(options.output))
    print_findings(explanation.findings, input.quiet, input.fail_on);
  // The JSON document contains the findings; a text would have nothing else.
  if (nothing && options.output.format == Format::Table) return ExitCode::NoInput;
  const ExitCode written = write(explanation.text, options);
  if (written != ExitCode::Clean) return written;
  if (nothing) return ExitCode::NoInput;
  return any_at_or_above(explanation.findings, input.fail_on) ? ExitCode::Finding : ExitCode::Clean;
}

void add_node_state_options(CLI::App& verb, ExplainOptions& options) {
  CLI::Option* state =
      verb.add_flag("--node-state", options.node_state,
                    "Print the devices, routes, neighbours, filters and sysctls of a node");
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

void add_explain(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* verb = program.add_subcommand(
      "explain",
      "Show the effective dataplane of each Shoot and Network, with the reason for every value");
  add_input_options(*verb, options->input);
  add_output_options(*verb, options->output);
  verb->add_flag("--summary", options->summary, "Print one row per shoot");
  add_node_state_options(*verb, *options);
  verb->add_option("--compare-to", options->state.against,
                   "Print only what these manifests of the shoot change")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->excludes("--patch");
  verb->callback([options, &chosen] {
    chosen = [options] {
      if (options->node_state) return print_node_state(*options);
      return options->state.against.empty() ? explain(*options) : print_difference(*options);
    };
  });
}

}  // namespace overlane::command
