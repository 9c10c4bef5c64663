#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "topologies/effective/effective_dataplane.h"

namespace overlane::explain {

/// A row of the summary: its cells one after the other, since there are many rows.
class SummaryRow {
 public:
  static constexpr std::size_t kCells = 8;

  explicit SummaryRow(const std::array<std::string, kCells>& cells);
  static SummaryRow header();
  static SummaryRow of(const effective::EffectiveDataplane& network);

  std::string_view operator[](std::size_t cell) const;

 private:
  std::string text_;
  std::array<std::uint32_t, kCells> ends_{};
};

/// A network with each value's reason and location.
std::string print_network(const effective::EffectiveDataplane& network);

// The JSON document of kind Explanation in parts: the head, each network, the tail. A network
// begins with a comma, which the first one must not have.
std::string json_head();
std::string json_part(const effective::EffectiveDataplane& network);
std::string json_tail(bool has_networks, const Findings& findings);

}  // namespace overlane::explain
