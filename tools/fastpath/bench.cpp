#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
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

struct BenchOptions {
  BenchSubject subject;
  command::OutputOptions output;
  std::uint64_t packets = 10'000'000;
  std::uint32_t repeat = 5;
  bool search = false;
  command::SearchOptions load = kLoadDefaults;
  dpdk::EalOptions eal{.memory_mib = 512, .devices = {"net_null0,size=64", "net_null1,size=64"}};
};

/// The ports, and the measurements that use them.
class Bench {
 public:
  static Parsed<Bench> make(const BenchOptions& options) {
    auto pool = dpdk::PacketPool::make(options.subject.buffers, kFrameBytes);
    if (!pool) return fail(pool.error());
    const auto cores = static_cast<std::uint16_t>(options.eal.cores.size());
    const dpdk::Queues queues{.receive = cores, .send = cores};
    auto pods = dpdk::Port::start("net_null0", queues, kMtu, *pool);
    if (!pods) return fail(pods.error());
    auto uplink = dpdk::Port::start("net_null1", queues, kMtu, *pool);
    if (!uplink) return fail(uplink.error());
    return Bench(options, std::move(*pool), std::move(*pods), std::move(*uplink));
  }

  /// Measures a case: the median of the repetitions after a discarded first run.
  Parsed<dpdk::BenchResult> run(const BenchedCase& one) const {
    know_next_hops(one, pods_, uplink_);
    const auto out = traffic_of(options_.subject, one, false, pods_);
    if (!out) return fail(out.error());
    const auto in = traffic_of(options_.subject, one, true, uplink_);
    if (!in) return fail(in.error());
    std::vector<dpdk::BenchPath> paths;
    if (one.way != Direction::Decap)
      paths.push_back({forward::Ingress::Pod, &*out, &pods_, &uplink_});
    if (one.way != Direction::Encap)
      paths.push_back({forward::Ingress::Uplink, &*in, &uplink_, &pods_});
    const auto once = [&](std::uint64_t packets) {
      return dpdk::measure(one.generation, paths, options_.subject.burst, packets,
                           std::span(options_.eal.cores).subspan(1));
    };
    const auto warm = once(options_.packets / 10);
    if (!warm) return fail(warm.error());
    std::vector<dpdk::BenchResult> results;
    for (std::uint32_t i = 0; i < options_.repeat; ++i) {
      auto result = once(options_.packets);
      if (!result) return fail(result.error());
      if (!result->is_complete()) {
        return fail(fmt::format("{} packets offered, {} forwarded; {} not taken by a port",
                                result->offered(), result->forwarded(), result->refused()));
      }
      results.push_back(std::move(*result));
    }
    std::ranges::sort(results, {}, &dpdk::BenchResult::nanoseconds);
    return results[results.size() / 2];
  }

 private:
  static constexpr std::uint32_t kMtu = 1500;
  /// Room for an IMIX frame in any tunnel, in bytes.
  static constexpr std::uint32_t kFrameBytes = 2048;

  Bench(const BenchOptions& options, dpdk::PacketPool pool, dpdk::Port pods, dpdk::Port uplink)
      : options_(options),
        pool_(std::move(pool)),
        pods_(std::move(pods)),
        uplink_(std::move(uplink)) {}

  const BenchOptions& options_;
  dpdk::PacketPool pool_;
  dpdk::Port pods_;
  dpdk::Port uplink_;
};

/// The notes below the table of loads.
std::string load_notes(const std::vector<dpdk::BenchCase>& cases) {
  std::string text;
  for (const dpdk::BenchCase& one : cases)
    if (one.load) text += irregular_lines(one.name(), *one.load);
  if (cases.front().load) text += load_note(cases.front().load->takes_turns);
  return text.empty() ? text : "\n" + text;
}

template <typename Case>
ExitCode write_cases(const command::OutputOptions& output, std::string_view kind,
                     const std::vector<Case>& cases) {
  nlohmann::ordered_json document{{"schema_version", 1}, {"kind", kind}};
  document["cases"] = nlohmann::ordered_json::array();
  for (const Case& one : cases)
    document["cases"].push_back(encode(one));
  document["environment"] = model::encode(command::this_environment());
  return command::write_json(output, document);
}

ExitCode report(const BenchOptions& options, const std::vector<dpdk::BenchCase>& cases) {
  if (options.output.format == command::Format::Table)
    return command::write_text(options.output, dpdk::to_table(cases) + load_notes(cases));
  return write_cases(options.output, "FastpathReport", cases);
}

ExitCode bench(BenchOptions options) {
  const auto plan = load_plan(options.load, true);
  if (!plan) return command::end_with(ExitCode::Usage, plan.error());
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
  const auto bench = Bench::make(options);
  if (!bench) return failed(bench.error());
  std::unique_ptr<dpdk::LoadTester> tester;
  if (options.search) {
    auto made = make_tester(options.subject, options.eal);
    if (!made) return failed(made.error());
    tester = std::move(*made);
  }
  std::vector<dpdk::BenchCase> cases;
  const command::StatusLine status(command::stderr_is_terminal());
  const auto done = for_each_case(options.subject, *variants, [&](const BenchedCase& one) {
    status.show("measuring " + one.as_case(options.subject).name());
    const auto result = bench->run(one);
    if (!result) return Parsed<void>(fail(result.error()));
    cases.push_back(one.as_case(options.subject));
    cases.back().result = *result;
    if (!tester) return Parsed<void>{};
    auto load = measure_load(*tester, options.subject, one, *plan);
    if (!load) return Parsed<void>(fail(load.error()));
    cases.back().load = std::move(*load);
    return Parsed<void>{};
  });
  status.erase();
  if (!done) return failed(done.error());
  return report(options, cases);
}

}  // namespace

void add_bench(CLI::App& program, command::Action& chosen) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb = program.add_subcommand(
      "bench", "Measures the way through a shoot's first node between two ports that lead nowhere");
  add_bench_subject(*verb, options->subject);
  verb->add_option("--packets", options->packets, "Packets of a repetition")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1} << 40));
  verb->add_option("--repeat", options->repeat, "Repetitions, of which the median counts")
      ->check(CLI::Range(1, 1000));
  verb->add_flag("--search", options->search,
                 "Also search the figures that CSIT reports: MRR, NDR, PDR, and latency at 0, 10, "
                 "50 and 90 % of PDR");
  add_load_options(*verb, options->load);
  add_eal_options(*verb, options->eal,
                  "The logical cores that do it, each on a queue of its own; with --search the "
                  "first one is the tester's and the second one the node's");
  command::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] { chosen = [options] { return bench(*options); }; });
}

namespace {

using command::ExitCode;

struct SearchVerbOptions {
  BenchSubject subject;
  command::OutputOptions output;
  command::SearchOptions load = kLoadDefaults;
  dpdk::EalOptions eal{.cores = {}, .memory_mib = 512};
};

/// A case and its result.
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
  nlohmann::ordered_json json = dpdk::encode_traffic(searched.one);
  json["burst"] = searched.one.burst;
  json.update(dpdk::encode(searched.figures));
  return json;
}

ExitCode report(const SearchVerbOptions& options, const std::vector<SearchedCase>& cases) {
  if (options.output.format == command::Format::Table)
    return command::write_text(options.output, table(cases));
  return write_cases(options.output, "FastpathLoadReport", cases);
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
  const command::StatusLine status(command::stderr_is_terminal());
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
