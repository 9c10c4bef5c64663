#include "tools/fastpath/search.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "dataplane/dpdk/io/eal.h"
#include "results/model/run_environment.h"
#include "tools/fastpath/command_line.h"
#include "tools/fastpath/load_measure.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/progress_line.h"

namespace overlane::fastpath {
namespace {

using command::ExitCode;

struct SearchVerbOptions {
  BenchSubject subject;
  command::OutputOptions output;
  command::SearchOptions load = kLoadDefaults;
  dpdk::EalOptions eal{.cores = {}, .memory_mib = 512};
};

/// A case and what was found.
struct SearchedCase {
  dpdk::BenchCase one;
  dpdk::LoadFigures figures;
};

std::string table(const std::vector<SearchedCase>& cases) {
  std::string text = dpdk::load_heading();
  std::string notes;
  for (const SearchedCase& searched : cases) {
    text += dpdk::load_lines(searched.one.name(), searched.figures);
    notes += irregular_lines(searched.one.name(), searched.figures);
  }
  return text + "\n" + notes + load_note(cases.front().figures.takes_turns);
}

nlohmann::ordered_json encode(const SearchedCase& searched) {
  const dpdk::BenchCase& one = searched.one;
  nlohmann::ordered_json json{{"name", one.name()},
                              {"mode", one.mode},
                              {"family", one.family == Family::Ipv4 ? "ipv4" : "ipv6"},
                              {"direction", one.direction}};
  // IMIX has no one size.
  json["size_bytes"] = nullptr;
  if (one.size_bytes != 0) json["size_bytes"] = one.size_bytes;
  json.update({{"flows", one.flows}, {"routes", one.routes}, {"burst", one.burst}});
  json.update(dpdk::encode(searched.figures));
  return json;
}

ExitCode report(const SearchVerbOptions& options, const std::vector<SearchedCase>& cases) {
  if (options.output.format == command::Format::Table)
    return command::write_text(options.output, table(cases));
  nlohmann::ordered_json document{{"schema_version", 1}, {"kind", "FastpathLoadReport"}};
  document["cases"] = nlohmann::ordered_json::array();
  for (const SearchedCase& one : cases)
    document["cases"].push_back(encode(one));
  document["environment"] = model::encode(command::this_environment());
  return command::write_json(options.output, document);
}

ExitCode search(SearchVerbOptions options) {
  const auto plan = load_plan(options.load, false);
  if (!plan) return command::end_with(ExitCode::Usage, plan.error());
  if (options.eal.cores.empty()) options.eal.cores = dpdk::own_cores(2);
  const auto variants = compile_subject(options.subject);
  if (!variants) {
    command::print_findings(variants.error().findings, false);
    return ExitCode::NoInput;
  }
  const auto failed = [](const std::string& why) {
    return command::end_with(ExitCode::RunFailed, why);
  };
  const auto eal = dpdk::Eal::start(options.eal);
  if (!eal) return failed(eal.error());
  const auto tester = make_tester(options.subject, options.eal);
  if (!tester) return failed(tester.error());
  std::vector<SearchedCase> cases;
  const command::StatusLine status(command::errors_are_seen());
  const auto done = for_each_case(options.subject, *variants, [&](const BenchedCase& one) {
    status.show("measuring " + one.as_case(options.subject).name());
    auto figures = measure_load(**tester, options.subject, one, *plan);
    if (!figures) return Parsed<void>(fail(figures.error()));
    cases.push_back({one.as_case(options.subject), std::move(*figures)});
    return Parsed<void>{};
  });
  status.erase();
  if (!done) return failed(done.error());
  return report(options, cases);
}

}  // namespace

void add_search(CLI::App& program, command::Action& chosen) {
  auto options = std::make_shared<SearchVerbOptions>();
  CLI::App* verb = program.add_subcommand(
      "search",
      "Finds the largest load that the way through a shoot's first node forwards without loss, or "
      "with little (NDR, PDR)");
  add_bench_subject(*verb, options->subject);
  add_load_options(*verb, options->load);
  add_eal_options(*verb, options->eal,
                  "The logical cores of the tester and of the node; with one they take turns, and "
                  "time is the node's own (default: the first two that there are)");
  command::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] { chosen = [options] { return search(*options); }; });
}

}  // namespace overlane::fastpath
