#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

// The table of verbs, which is the source of help, completion and reference, and the exit codes. A
// new verb is one row and one function, which defines the options of the verb; its action returns
// the exit code of the process.
namespace overlane::command {

/// Exit codes of the process.
enum class ExitCode : int {
  Clean = 0,
  Finding = 1,
  Usage = 2,
  NoInput = 3,
  RunFailed = 4,
  Internal = 5,
  Interrupted = 130,
};

struct ExitCodeFacts {
  ExitCode code;
  std::string_view meaning;
};

inline constexpr std::array kExitCodes = {
    ExitCodeFacts{ExitCode::Clean, "clean"},
    ExitCodeFacts{
        ExitCode::Finding,
        "a finding at or above --fail-on, a packet that was not delivered, a switch whose "
        "verdict is not go, or a regression"},
    ExitCodeFacts{ExitCode::Usage, "the command line is wrong"},
    ExitCodeFacts{ExitCode::NoInput, "no input was usable"},
    ExitCodeFacts{ExitCode::RunFailed, "the run failed, or its result could not be written"},
    ExitCodeFacts{ExitCode::Internal, "internal error"},
    ExitCodeFacts{ExitCode::Interrupted, "interrupted"},
};

/// The action of the chosen verb.
using Action = std::function<ExitCode()>;

/// The question that a verb answers, which is its heading in help and reference.
enum class VerbGroup : std::uint8_t { Look, Predict, Measure, Watch, Other };
std::string_view to_string(VerbGroup group);

/// Defines the options of a verb, which begins without any, and sets `chosen` if the command line
/// names the verb. The verb has a parent, the program.
using AddVerb = void (*)(CLI::App* verb, Action& chosen);

void add_explain(CLI::App* verb, Action& chosen);
void add_check(CLI::App* verb, Action& chosen);
void add_trace(CLI::App* verb, Action& chosen);
void add_overlap(CLI::App* verb, Action& chosen);
void add_decode(CLI::App* verb, Action& chosen);
void add_run(CLI::App* verb, Action& chosen);
void add_migrate(CLI::App* verb, Action& chosen);
void add_search(CLI::App* verb, Action& chosen);
void add_sweep(CLI::App* verb, Action& chosen);
void add_testbed(CLI::App* verb, Action& chosen);
void add_calibrate(CLI::App* verb, Action& chosen);
void add_bench(CLI::App* verb, Action& chosen);
void add_compare(CLI::App* verb, Action& chosen);
void add_trend(CLI::App* verb, Action& chosen);
void add_bisect(CLI::App* verb, Action& chosen);
void add_report(CLI::App* verb, Action& chosen);
void add_store(CLI::App* verb, Action& chosen);
void add_merge(CLI::App* verb, Action& chosen);
void add_mcp(CLI::App* verb, Action& chosen);
void add_schema(CLI::App* verb, Action& chosen);
void add_completion(CLI::App* verb, Action& chosen);
void add_reference(CLI::App* verb, Action& chosen);
void add_version(CLI::App* verb, Action& chosen);

struct VerbFacts {
  std::string_view name;
  VerbGroup group;
  AddVerb add;
  std::string_view about;          ///< One line, without a full stop.
  std::string_view example;        ///< A command. Those with a question need no file.
  std::string_view question = {};  ///< What the example answers, if the welcome text shows it.
};

/// All verbs, in the order of help, completion and reference.
inline constexpr std::array kVerbs = {
    VerbFacts{
        "explain", VerbGroup::Look, &add_explain,
        "Show the effective dataplane of each Shoot and Network, with the reason for every value",
        "overlane explain shoot-aws", "What does a Shoot configure, and why?"},
    VerbFacts{"check", VerbGroup::Look, &add_check,
              "Check manifests against the rules of Gardener and its extensions, and against lints",
              "overlane check shoot-aws", "Is it valid, and is it sound?"},
    VerbFacts{"trace", VerbGroup::Look, &add_trace,
              "Trace one packet hop by hop: decisions, their reasons, and the drop reason",
              "overlane trace shoot-aws", "Does a packet arrive, and by which path?"},
    VerbFacts{"overlap", VerbGroup::Look, &add_overlap,
              "Find overlapping CIDRs across shoots and their impact",
              "overlane overlap shoot-aws shoot-gcp", "Do ranges of shoots overlap?"},
    VerbFacts{"decode", VerbGroup::Look, &add_decode,
              "Decode a capture packet by packet: headers, tunnels and errors",
              "overlane decode capture.pcap"},
    VerbFacts{"run", VerbGroup::Predict, &add_run,
              "Simulate a Scenario or, given manifests, compare the dataplane modes that the CNI "
              "supports",
              "overlane run shoot-aws --summary", "Is it faster without an overlay?"},
    VerbFacts{"migrate", VerbGroup::Predict, &add_migrate,
              "Simulate a switch of the pod network: which connections stop, and for how long",
              "overlane migrate shoot-aws --to ipip", "What stops during a switch?"},
    VerbFacts{
        "search", VerbGroup::Predict, &add_search,
        "Find the largest load of UDP datagrams at which a variant loses none, or few (NDR, PDR)",
        "overlane search shoot-aws"},
    VerbFacts{"sweep", VerbGroup::Predict, &add_sweep,
              "Run the cases of a suite once, on all cores, or a shard of them; no times",
              "overlane sweep quick"},
    VerbFacts{"testbed", VerbGroup::Measure, &add_testbed,
              "Run node states on the Linux kernel, in namespaces or in user-mode Linux",
              "sudo overlane testbed run shoot-aws", "Does this kernel agree?"},
    VerbFacts{"calibrate", VerbGroup::Measure, &add_calibrate,
              "Fit the costs of a host class to a table of published measurements",
              "overlane calibrate --table kvm"},
    VerbFacts{
        "bench", VerbGroup::Watch, &add_bench,
        "Run a suite of benchmarks, store the measurements, and compare them with another build",
        "overlane bench quick", "How fast is this build?"},
    VerbFacts{"compare", VerbGroup::Watch, &add_compare,
              "Judge a run of a suite by an earlier one; a regression is exit code 1",
              "overlane compare latest~1 latest"},
    VerbFacts{
        "trend", VerbGroup::Watch, &add_trend,
        "Find the commits that changed the metrics of a suite; exit code 1 if one is worse now",
        "overlane trend"},
    VerbFacts{"bisect", VerbGroup::Watch, &add_bisect,
              "Find the commit that changed a metric, by measuring builds of commits between two",
              "overlane bisect GOOD BAD --suite quick --case aws"},
    VerbFacts{"report", VerbGroup::Watch, &add_report,
              "Write one HTML page about a suite: what changed, since when, and where to look",
              "overlane report --out report.html"},
    VerbFacts{"store", VerbGroup::Watch, &add_store, "List, export and import runs of suites",
              "overlane store list"},
    VerbFacts{"merge", VerbGroup::Watch, &add_merge,
              "Join stores into one; all shards of a sweep become one run",
              "overlane merge a.sqlite b.sqlite --store all.sqlite"},
    VerbFacts{"mcp", VerbGroup::Other, &add_mcp,
              "Answer programs that speak the Model Context Protocol, on standard input and "
              "output: six read-only verbs as tools",
              "overlane mcp"},
    VerbFacts{"schema", VerbGroup::Other, &add_schema, "Print the JSON Schema of a kind of file",
              "overlane schema scenario"},
    VerbFacts{"completion", VerbGroup::Other, &add_completion, "Print a shell completion script",
              "overlane completion bash"},
    VerbFacts{"reference", VerbGroup::Other, &add_reference,
              "Print every verb and option as Markdown", "overlane reference"},
    VerbFacts{"version", VerbGroup::Other, &add_version, "Print the version and build options",
              "overlane version"},
};

/// The facts of a verb that another program has, too.
consteval VerbFacts verb_facts(std::string_view name) {
  for (const VerbFacts& facts : kVerbs)
    if (facts.name == name) return facts;
  throw "there is no such verb";
}

/// Adds a verb to a program.
void add_verb(CLI::App& program, const VerbFacts& facts, Action& chosen);

/// The example of a verb, or of a verb and a subordinate one ("testbed run"); empty if it has none.
std::string_view example_of(std::string_view verb);

/// What the program prints if no verb is given: an example for each question, within 24 lines of 80
/// columns.
std::string welcome_text();

}  // namespace overlane::command
