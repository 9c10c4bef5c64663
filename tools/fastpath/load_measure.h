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

// Cases and measurements that `bench` and `search` of overlane-fastpath share. A case is a
// dataplane mode of a shoot, an IP family, a direction through the first node, and a frame size.
// `bench` measures the core time per packet; `search` offers loads to the node and finds the
// largest ones with an acceptable loss.

/// Direction of the packets through the measured node.
enum class Direction : std::uint8_t { Encap, Decap, Both };

/// Selects cases of `bench` and `search`: dataplane modes of a shoot, directions through its first
/// node, and frame sizes.
struct BenchSubject {
  runner::Request request;
  std::vector<std::string> modes;  ///< Empty: all modes of the manifest's CNI.
  std::vector<std::string> families{"ipv4"};
  std::vector<std::string> ways;  ///< Names of directions (Direction); empty: all.
  std::vector<std::string> sizes{"64"};
  std::uint32_t flows = 1024;
  std::uint32_t routes = 256;
  std::uint32_t burst = 32;
  std::uint32_t buffers = 16'383;
};

/// Adds PATH and the options of the cases to a verb.
void add_bench_subject(CLI::App& verb, BenchSubject& subject);

/// A selected case.
struct BenchedCase {
  const command::CompiledVariant& variant;
  const dpdk::Generation& generation;
  std::string mode;
  Family family;
  std::string_view way_name;
  Direction way;
  std::uint32_t size_bytes;  ///< 0 for IMIX.

  /// The case as part of a report, without results.
  dpdk::BenchCase as_case(const BenchSubject& subject) const;
};

/// Compiles the variants of the request, on --routes + 1 nodes.
runner::Outcome<std::vector<command::CompiledVariant>> compile_subject(BenchSubject& subject);

/// Calls `measure` for each case. Prints the reason for each variant that has no state. An error
/// contains the name of its case, or says that no variant has one of the modes.
Parsed<void> for_each_case(const BenchSubject& subject,
                           const std::vector<command::CompiledVariant>& variants,
                           const std::function<Parsed<void>(const BenchedCase&)>& measure);

/// The frames of a case as they arrive at port `at`, in one direction.
Parsed<dpdk::BenchTraffic> traffic_of(const BenchSubject& subject, const BenchedCase& one,
                                      bool inbound, const dpdk::Port& at);

/// Sets the link-layer address of each next hop and neighbour in the generation, for these ports.
void know_next_hops(const BenchedCase& one, const dpdk::Port& pods, const dpdk::Port& uplink);

/// Default maximum of a search in packets per second: more than a core forwards.
inline constexpr std::int64_t kUnreachableLoad = 100'000'000;
/// Default minimum of a search in packets per second, as in CSIT.
inline constexpr std::int64_t kMinLoad = 9'001;

/// Default options of a search. A trial takes a tenth of the time of CSIT's, so that a case takes
/// seconds.
inline const command::SearchOptions kLoadDefaults{.goals = {.trial = milliseconds(100)}};

/// Adds the options of a search and --trials to a verb.
void add_load_options(CLI::App& verb, command::SearchOptions& options);

/// Makes a load tester. If `eal` has a second core, the node runs on that core.
Parsed<std::unique_ptr<dpdk::LoadTester>> make_tester(const BenchSubject& subject,
                                                      const dpdk::EalOptions& eal);

/// The goals and the range of a search. Fails if the options are invalid. Each trial must offer at
/// least one packet.
Parsed<dpdk::LoadPlan> load_plan(const command::SearchOptions& options, bool all_figures);

/// Searches the loads of a case on the tester's ports.
Parsed<dpdk::LoadFigures> measure_load(dpdk::LoadTester& tester, const BenchSubject& subject,
                                       const BenchedCase& one, const dpdk::LoadPlan& plan);

/// Explanation for below a table: "With one core …", and the reason for irregular figures.
std::string load_note(bool takes_turns);
/// Lines about irregular figures and about packets that need the full path.
std::string irregular_lines(const std::string& name, const dpdk::LoadFigures& figures);

}  // namespace overlane::fastpath
