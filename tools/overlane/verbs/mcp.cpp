#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/mcp/server.h"
#include "tools/overlane/mcp/tool.h"
#include "tools/overlane/schema/json_schema.h"
#include "topologies/document/read/reading_limit.h"

// `overlane mcp`: a Model Context Protocol server on standard input and output, with which programs
// that talk to language models call six read-only verbs as tools. This file holds the table of
// tools: each row names a verb and the options that a call may set. Options that write a file, that
// choose formats, streams or exit codes, or that have no JSON document are in no row.
namespace overlane::command {
namespace {

using mcp::ArgumentForm;
using mcp::ArgumentRow;

constexpr std::array kExplainArguments = {ArgumentRow{"--compare-to"}, ArgumentRow{"--stage"},
                                          ArgumentRow{"--calico-version"}, ArgumentRow{"--set"}};

constexpr std::array kCheckArguments = {ArgumentRow{"--update", ArgumentForm::Pair},
                                        ArgumentRow{"--live"},
                                        ArgumentRow{"--shoot"},
                                        ArgumentRow{"--rule"},
                                        ArgumentRow{"--ignore"},
                                        ArgumentRow{"--stage"},
                                        ArgumentRow{"--calico-version"},
                                        ArgumentRow{"--set"}};

constexpr std::array kTraceArguments = {ArgumentRow{"--from"},
                                        ArgumentRow{"--to"},
                                        ArgumentRow{"--backend"},
                                        ArgumentRow{"--family"},
                                        ArgumentRow{"--protocol"},
                                        ArgumentRow{"--size"},
                                        ArgumentRow{"--df"},
                                        ArgumentRow{"--ttl"},
                                        ArgumentRow{"--sport"},
                                        ArgumentRow{"--dport"},
                                        ArgumentRow{"--reply"},
                                        ArgumentRow{"--without", ArgumentForm::List},
                                        ArgumentRow{"--patch"},
                                        ArgumentRow{"--shoot"},
                                        ArgumentRow{"--nodes"},
                                        ArgumentRow{"--stage"},
                                        ArgumentRow{"--calico-version"},
                                        ArgumentRow{"--set"}};

constexpr std::array kRunArguments = {ArgumentRow{"--shoot"},
                                      ArgumentRow{"--nodes"},
                                      ArgumentRow{"--repetitions"},
                                      ArgumentRow{"--seed"},
                                      ArgumentRow{"--why", ArgumentForm::Word},
                                      ArgumentRow{"--ranges"},
                                      ArgumentRow{"--no-ranges"},
                                      ArgumentRow{"--series", ArgumentForm::Word},
                                      ArgumentRow{"--show-steps"},
                                      ArgumentRow{"--fast"},
                                      ArgumentRow{"--max-events"},
                                      ArgumentRow{"--stage"},
                                      ArgumentRow{"--calico-version"},
                                      ArgumentRow{"--set"}};

constexpr std::array kMigrateArguments = {
    ArgumentRow{"--to"},         ArgumentRow{"--shoot"},   ArgumentRow{"--nodes"},
    ArgumentRow{"--strategy"},   ArgumentRow{"--disturb"}, ArgumentRow{"--runs"},
    ArgumentRow{"--max-outage"}, ArgumentRow{"--accept"},  ArgumentRow{"--show-steps"},
    ArgumentRow{"--seed"},       ArgumentRow{"--stage"},   ArgumentRow{"--calico-version"},
    ArgumentRow{"--set"}};

constexpr std::array kOverlapArguments = {
    ArgumentRow{"--landscape"}, ArgumentRow{"--with"},           ArgumentRow{"--assume"},
    ArgumentRow{"--domains"},   ArgumentRow{"--domain"},         ArgumentRow{"--notes"},
    ArgumentRow{"--summary"},   ArgumentRow{"--details"},        ArgumentRow{"--pairs"},
    ArgumentRow{"--plan"},      ArgumentRow{"--propose"},        ArgumentRow{"--nodes"},
    ArgumentRow{"--max-pods"},  ArgumentRow{"--pools"},          ArgumentRow{"--baseline"},
    ArgumentRow{"--stage"},     ArgumentRow{"--calico-version"}, ArgumentRow{"--set"}};

/// The schema of what `overlane run -o json` prints.
nlohmann::ordered_json run_report_schema() {
  const auto kinds = schema_kinds();
  return std::ranges::find(kinds, "run-report", &SchemaKind::name)->schema();
}

const std::array kTools = {
    mcp::ToolRow{.verb = verb_facts("explain"),
                 .title = "Effective dataplane of a shoot",
                 .purpose = "Answers: is it overlay or routed, which encapsulation, what is the "
                            "pod MTU, who writes the routes, and why? With compare_to: what does a "
                            "changed manifest change?",
                 .arguments = kExplainArguments},
    mcp::ToolRow{.verb = verb_facts("check"),
                 .title = "Mistakes in manifests",
                 .purpose = "Answers: would Gardener accept this, is this update allowed, and what "
                            "is suspicious? Each finding has a rule, a place and a hint",
                 .arguments = kCheckArguments},
    mcp::ToolRow{.verb = verb_facts("trace"),
                 .title = "Path of one packet",
                 .purpose = "Answers: does this packet arrive, which device, route or filter "
                            "decides at each hop, where and why is it dropped, and what if an "
                            "entry were missing?",
                 .arguments = kTraceArguments},
    mcp::ToolRow{.verb = verb_facts("run"),
                 .title = "Throughput, latency and CPU of the dataplane modes",
                 .purpose = "Answers: what does an overlay cost here, and what limits the traffic? "
                            "The text is the summary; the document has all figures",
                 .arguments = kRunArguments,
                 .fixed_option = "--summary",
                 .output_schema = run_report_schema},
    mcp::ToolRow{.verb = verb_facts("migrate"),
                 .title = "Switch between overlay and routed",
                 .purpose = "Answers: is the switch safe, which pairs of nodes lose connectivity, "
                            "for how long, which strategy is best, and what remains afterwards?",
                 .arguments = kMigrateArguments},
    mcp::ToolRow{.verb = verb_facts("overlap"),
                 .title = "Address overlaps across shoots",
                 .purpose = "Answers: which ranges overlap, which overlaps matter now or later, "
                            "would a new shoot conflict, and which ranges are free?",
                 .arguments = kOverlapArguments}};

struct McpOptions {
  std::string root = ".";
  Picos max_time = seconds(600);
};

ExitCode serve_mcp(const McpOptions& options) {
  std::error_code error;
  std::filesystem::current_path(options.root, error);
  if (error)
    return end_with(ExitCode::NoInput, fmt::format("{}: the folder cannot be used: {}",
                                                   options.root, error.message()));
  document::limit_reading_to_current_folder(
      "give a path below it; the option --root of overlane mcp chooses the folder");
  if (::isatty(STDIN_FILENO) == 1)
    print_aside(
        "overlane mcp waits for messages of the Model Context Protocol, one per line, on "
        "standard input.\nEnd it with Ctrl-D.\n");
  const std::vector<mcp::Tool> tools(kTools.begin(), kTools.end());
  const mcp::Resources resources;
  mcp::Session session(tools, resources, this_environment().overlane_version);
  return mcp::serve(
      session,
      {.max_time = std::chrono::seconds(options.max_time.whole_nanoseconds() / 1'000'000'000)});
}

}  // namespace

void add_mcp(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<McpOptions>();
  verb->add_option("--root", options->root,
                   "Read only files below this folder (default: the current one)")
      ->type_name("FOLDER");
  add_time_option(*verb, "--max-time", options->max_time,
                  "Stop a call after this time (default: 600s)",
                  {.min = seconds(1), .max = seconds(86'400), .unit = "s"});
  verb->callback([options, &chosen] { chosen = [options] { return serve_mcp(*options); }; });
}

}  // namespace overlane::command
