#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/dpdk/bench/bench.h"
#include "dataplane/dpdk/bench/load_figures.h"

namespace overlane::dpdk {

/// A way through a node that was measured.
struct BenchCase {
  std::string mode;              ///< "routed", "ipip", "vxlan", "geneve".
  Family family = Family::Ipv4;  ///< Of the pods' packets.
  std::string direction;         ///< "encap", "decap", "both".
  std::uint32_t size_bytes = 0;  ///< Inner Ethernet frame without FCS; 0 for IMIX.
  std::uint32_t flows = 0;
  std::uint32_t routes = 0;
  std::uint32_t burst = 0;
  BenchResult result;
  std::optional<LoadFigures> load;  ///< If asked for.

  std::string name() const;  ///< "vxlan/encap/64", "routed-ipv6/encap/imix".
};

/// `cases[]` of a FastpathReport.
nlohmann::ordered_json encode(const BenchCase& one);

/// The same as a table, a line each, and behind it their loads, if there are any.
std::string to_table(const std::vector<BenchCase>& cases);

}  // namespace overlane::dpdk
