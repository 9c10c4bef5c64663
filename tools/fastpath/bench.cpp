#include "tools/fastpath/bench.h"

#include <algorithm>
#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/dpdk/bench/bench_report.h"
#include "dataplane/dpdk/io/eal.h"
#include "results/model/environment_json.h"
#include "tools/fastpath/eal_options.h"
#include "tools/overlane/cli/choice.h"
#include "tools/overlane/cli/environment.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/testbed/run.h"

namespace overlane::fastpath {
namespace {

using command::CompiledVariant;
using command::ExitCode;

enum class Way : std::uint8_t { Encap, Decap, Both };

constexpr std::array<std::pair<std::string_view, Way>, 3> kWays{
    {{"encap", Way::Encap}, {"decap", Way::Decap}, {"both", Way::Both}}};

struct BenchOptions {
  runner::Request request;
  command::OutputOptions output;
  std::vector<std::string> modes;  ///< Empty: all modes of the manifest's CNI.
  std::vector<std::string> ways;   ///< Empty: all.
  std::vector<std::string> sizes{"64"};
  std::uint32_t flows = 1024;
  std::uint32_t routes = 256;
  std::uint32_t burst = 32;
  std::uint64_t packets = 10'000'000;
  std::uint32_t repeat = 5;
  std::uint32_t buffers = 16'383;
  dpdk::EalOptions eal{.memory_mib = 512, .devices = {"net_null0,size=64", "net_null1,size=64"}};
};

/// The encapsulation of the variant's tunnel device, or "routed".
std::string mode_of(const CompiledVariant& variant) {
  for (const node::Device& device : variant.states->nodes[0].devices) {
    if (device.encapsulation() != Encapsulation::None) {
      return std::string(to_string(device.encapsulation()));
    }
  }
  return "routed";
}

/// Frame size in bytes; 0 for "imix".
std::uint32_t size_of(const std::string& text) {
  return text == "imix" ? 0 : static_cast<std::uint32_t>(std::stoul(text));
}

/// The ports, and the measurements on them.
class Bench {
 public:
  static Parsed<Bench> make(const BenchOptions& options) {
    auto pool = dpdk::PacketPool::make(options.buffers, kFrameBytes);
    if (!pool) return fail(pool.error());
    const auto cores = static_cast<std::uint16_t>(options.eal.cores.size());
    const dpdk::Queues queues{.receive = cores, .send = cores};
    auto pods = dpdk::Port::start("net_null0", queues, kMtu, *pool);
    if (!pods) return fail(pods.error());
    auto uplink = dpdk::Port::start("net_null1", queues, kMtu, *pool);
    if (!uplink) return fail(uplink.error());
    return Bench(options, std::move(*pool), std::move(*pods), std::move(*uplink));
  }

  /// Measures every direction and size through the first node of a variant.
  Parsed<std::vector<dpdk::BenchCase>> run(const CompiledVariant& variant) const {
    const auto generation =
        dpdk::generation(std::make_shared<const node::NodeState>(variant.states->nodes[0]));
    if (!generation) return fail(generation.error());
    know_next_hops(**generation);
    std::vector<dpdk::BenchCase> cases;
    for (const std::string& size : options_.sizes) {
      for (const auto& [name, way] : kWays) {
        const auto& ways = options_.ways;
        if (!ways.empty() && std::ranges::find(ways, name) == ways.end()) continue;
        auto one = measured(variant, **generation, way, size_of(size));
        if (!one) return fail(fmt::format("{} {}: {}", mode_of(variant), name, one.error()));
        one->direction = name;
        cases.push_back(std::move(*one));
      }
    }
    return cases;
  }

 private:
  static constexpr std::uint32_t kMtu = 1500;
  /// Enough for a frame of IMIX in any tunnel.
  static constexpr std::uint32_t kFrameBytes = 2048;

  Bench(const BenchOptions& options, dpdk::PacketPool pool, dpdk::Port pods, dpdk::Port uplink)
      : options_(options),
        pool_(std::move(pool)),
        pods_(std::move(pods)),
        uplink_(std::move(uplink)) {}

  /// Sets the link-layer address of each next hop.
  void know_next_hops(const dpdk::Generation& generation) const {
    for (std::size_t i = 0; i < generation.compiled.next_hops.size(); ++i) {
      const adjacency::NextHop& hop = generation.compiled.next_hops[i];
      generation.links->set(i, dpdk::BenchTraffic::mac_of(hop.address),
                            (hop.egress == forward::Egress::Pod ? pods_ : uplink_).mac());
    }
  }

  /// The median of the repetitions; a first run is discarded.
  Parsed<dpdk::BenchCase> measured(const CompiledVariant& variant,
                                   const dpdk::Generation& generation, Way way,
                                   std::uint32_t size) const {
    const auto traffic = [&](bool inbound, const dpdk::Port& at) {
      return dpdk::BenchTraffic::make(variant.states->nodes, inbound, options_.flows,
                                      options_.routes, size, at.mac());
    };
    const auto out = traffic(false, pods_);
    if (!out) return fail(out.error());
    const auto in = traffic(true, uplink_);
    if (!in) return fail(in.error());
    std::vector<dpdk::BenchPath> paths;
    if (way != Way::Decap) paths.push_back({forward::Ingress::Pod, &*out, &pods_, &uplink_});
    if (way != Way::Encap) paths.push_back({forward::Ingress::Uplink, &*in, &uplink_, &pods_});
    const auto once = [&](std::uint64_t packets) {
      return dpdk::measure(generation, paths, options_.burst, packets,
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
    return dpdk::BenchCase{.mode = mode_of(variant),
                           .size_bytes = size,
                           .flows = options_.flows,
                           .routes = options_.routes,
                           .burst = options_.burst,
                           .result = results[results.size() / 2]};
  }

  const BenchOptions& options_;
  dpdk::PacketPool pool_;
  dpdk::Port pods_;
  dpdk::Port uplink_;
};

ExitCode report(const BenchOptions& options, const std::vector<dpdk::BenchCase>& cases) {
  if (options.output.format == command::Format::Table) {
    return command::write_text(options.output, dpdk::to_table(cases));
  }
  nlohmann::ordered_json document{{"schema_version", 1}, {"kind", "FastpathReport"}};
  document["cases"] = nlohmann::ordered_json::array();
  for (const dpdk::BenchCase& one : cases)
    document["cases"].push_back(encode(one));
  document["environment"] = model::encode(command::this_environment());
  return command::write_json(options.output, document);
}

ExitCode bench(BenchOptions options) {
  options.request.subject.nodes = options.routes + 1;
  const auto variants = command::compile_variants(options.request);
  if (!variants) {
    command::print_findings(variants.error().findings, false);
    return ExitCode::NoInput;
  }
  const auto failed = [](const std::string& why) {
    command::print_error(why);
    return ExitCode::RunFailed;
  };
  const auto eal = dpdk::Eal::start(options.eal);
  if (!eal) return failed(eal.error());
  const auto bench = Bench::make(options);
  if (!bench) return failed(bench.error());
  std::vector<dpdk::BenchCase> cases;
  for (const CompiledVariant& variant : *variants) {
    if (!variant.states) {
      command::print_error(fmt::format("{}: {}", variant.name, variant.reason));
      continue;
    }
    const auto& modes = options.modes;
    if (!modes.empty() && std::ranges::find(modes, mode_of(variant)) == modes.end()) continue;
    auto measured = bench->run(variant);
    if (!measured) return failed(measured.error());
    cases.insert(cases.end(), measured->begin(), measured->end());
  }
  if (cases.empty()) {
    return failed(
        fmt::format("none of the shoot's dataplanes is {}", fmt::join(options.modes, ", ")));
  }
  return report(options, cases);
}

}  // namespace

void add_bench(CLI::App& program, command::Action& chosen) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb = program.add_subcommand(
      "bench", "Measures the way through a shoot's first node between two ports that lead nowhere");
  verb->add_option("PATH", options->request.paths, "The manifest of one Shoot, or a Scenario")
      ->type_name("")
      ->required();
  verb->add_option("--mode", options->modes, "routed, ipip, vxlan or geneve; else all of the CNI's")
      ->delimiter(',')
      ->check(CLI::IsMember({"routed", "ipip", "vxlan", "geneve"}));
  verb->add_option("--direction", options->ways, "encap, decap or both; else all three")
      ->delimiter(',')
      ->check(CLI::IsMember({"encap", "decap", "both"}));
  const auto is_size = [](const std::string& text) -> std::string {
    if (text == "imix") return "";
    const bool digits = !text.empty() && text.size() < 5 && std::ranges::all_of(text, ::isdigit);
    const bool in_range = digits && size_of(text) >= 46 && size_of(text) <= 1450;
    return in_range ? "" : fmt::format("\"{}\" is neither imix nor 46 to 1450", text);
  };
  verb->add_option("--size", options->sizes,
                   "Bytes of the inner Ethernet frame without FCS, or imix")
      ->delimiter(',')
      ->check(is_size);
  verb->add_option("--flows", options->flows, "Flows")->check(CLI::Range(1, 1 << 20));
  verb->add_option("--routes", options->routes, "Nodes that the pods are on")
      ->check(CLI::Range(1, 5000));
  verb->add_option("--burst", options->burst, "Packets received at once")->check(CLI::Range(1, 64));
  verb->add_option("--packets", options->packets, "Packets of a repetition")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1} << 40));
  verb->add_option("--repeat", options->repeat, "Repetitions, of which the median counts")
      ->check(CLI::Range(1, 1000));
  verb->add_option("--buffers", options->buffers, "Packet buffers that the ports cycle through")
      ->check(CLI::Range(1024, 1 << 22));
  add_eal_options(*verb, options->eal, "The logical cores that do it, each on a queue of its own");
  command::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] { chosen = [options] { return bench(*options); }; });
}

}  // namespace overlane::fastpath
