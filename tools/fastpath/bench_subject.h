#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/dpdk/bench/bench.h"
#include "dataplane/dpdk/bench/bench_traffic.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/tables/generation.h"
#include "tools/overlane/testbed/compiled_variant.h"

namespace CLI {
class App;
}

namespace overlane::fastpath {

/// What goes through the node that is measured, and where to.
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

}  // namespace overlane::fastpath
