#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/dpdk/bench/bench.h"
#include "dataplane/dpdk/bench/bench_traffic.h"
#include "dataplane/dpdk/bench/load_tester.h"
#include "dataplane/dpdk/io/eal.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/tables/generation.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/verbs/compiled_shoot.h"

namespace CLI {
class App;
}

namespace overlane::fastpath {

/// Direction of the packets through the measured node.
enum class Way : std::uint8_t { Encap, Decap, Both };

/// The cases of `bench` and `search`: dataplane modes of a shoot, ways through its first node, and
/// sizes of frames.
struct BenchSubject {
  runner::Request request;
  std::vector<std::string> modes;  ///< Empty: all modes of the manifest's CNI.
  std::vector<std::string> families{"ipv4"};
  std::vector<std::string> ways;  ///< Empty: all.
  std::vector<std::string> sizes{"64"};
  std::uint32_t flows = 1024;
  std::uint32_t routes = 256;
  std::uint32_t burst = 32;
  std::uint32_t buffers = 16'383;
};

/// Adds PATH and the options of the cases to a verb.
void add_bench_subject(CLI::App& verb, BenchSubject& subject);

/// One of the cases.
struct BenchedCase {
  const command::CompiledVariant& variant;
  const dpdk::Generation& generation;
  std::string mode;
  Family family;
  std::string_view way_name;
  Way way;
  std::uint32_t size_bytes;  ///< 0 for IMIX.

  /// The case with what it is, and no results.
  dpdk::BenchCase as_case(const BenchSubject& subject) const;
};

/// The variants that the request makes, with --routes and one more node each.
runner::Outcome<std::vector<command::CompiledVariant>> compile_subject(BenchSubject& subject);

/// Does something with each case. Prints why variants have no states. An error names its case, or
/// says that no variant has one of the modes.
Parsed<void> for_each_case(const BenchSubject& subject,
                           const std::vector<command::CompiledVariant>& variants,
                           const std::function<Parsed<void>(const BenchedCase&)>& measure);

/// The frames of a case as they come to the port, in one direction.
Parsed<dpdk::BenchTraffic> traffic_of(const BenchSubject& subject, const BenchedCase& one,
                                      bool inbound, const dpdk::Port& at);

/// Sets the link-layer address of each next hop and neighbour, as seen by the ports.
void know_next_hops(const BenchedCase& one, const dpdk::Port& pods, const dpdk::Port& uplink);

/// Loads up to this one are searched by default: more than a core forwards.
inline constexpr std::int64_t kUnreachableLoad = 100'000'000;
/// And from this one on: CSIT's least, 9,001 packets per second.
inline constexpr std::int64_t kMinLoad = 9'001;

/// Trials are a tenth of CSIT's, so that a case takes seconds.
inline const command::SearchOptions kLoadDefaults{.goals = {.trial = milliseconds(100)}};

/// Adds the options of a search and --trials to a verb.
void add_load_options(CLI::App& verb, command::SearchOptions& options);

/// The tester's ports: with the second of the cores for the node, if there is one.
Parsed<std::unique_ptr<dpdk::LoadTester>> make_tester(const BenchSubject& subject,
                                                      const dpdk::EalOptions& eal);

/// The goals and the range of the options, where they are valid. A load must have a packet to offer
/// in each trial.
Parsed<dpdk::LoadPlan> load_plan(const command::SearchOptions& options, bool all_figures);

/// The search of a case on the tester's ports.
Parsed<dpdk::LoadFigures> measure_load(dpdk::LoadTester& tester, const BenchSubject& subject,
                                       const BenchedCase& one, const dpdk::LoadPlan& plan);

/// "With one core …": what the figures are, for below a table; and why some are irregular.
std::string load_note(bool takes_turns);
/// Also how many packets need the full path.
std::string irregular_lines(const std::string& name, const dpdk::LoadFigures& figures);

}  // namespace overlane::fastpath
