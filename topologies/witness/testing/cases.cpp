#include "topologies/witness/testing/cases.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

namespace overlane::witness::testing {

OverlapCase pods(const effective::EffectiveDataplane& a, const effective::EffectiveDataplane& b,
                 NetworkJoin network_relation, const char* text, bool carries_pod_routes) {
  return {.a = &a,
          .b = &b,
          .network_relation = network_relation,
          .a_side = Target::Pod,
          .b_side = Target::Pod,
          .intersection = range(text),
          .carries_pod_routes = carries_pod_routes};
}

Witness find(const OverlapCase& overlap) {
  auto found = find_witness(overlap);
  EXPECT_TRUE(found) << (found ? "" : found.error().to_string());
  return found ? *std::move(found) : Witness{};
}

void expect_reason(const Witness& witness) {
  const auto told = [&](const path::Hop& hop) {
    return !hop.state_entry.empty() && witness.because.find(hop.state_entry) != std::string::npos;
  };
  EXPECT_TRUE(std::ranges::any_of(witness.hops, told)) << witness.because;
}

}  // namespace overlane::witness::testing
