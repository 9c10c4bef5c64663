#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "topologies/effective/cloud_routes.h"
#include "topologies/rules/rule_tables.h"

// Conditions and texts that lints of several subjects share.
namespace overlane::rules {

// Conditions are false if the network is opaque.

inline bool is(const LintInputs& in, effective::Provider provider) {
  return in.shoot.provider.provider == provider;
}

inline bool is_routed(const LintInputs& in) {
  return !in.dataplane.opaque && in.dataplane.dataplane.mode == effective::Mode::Routed;
}

inline bool has_cloud_routes(const LintInputs& in) {
  return effective::has_cloud_routes(in.dataplane);
}

inline bool is_encapsulated(const LintInputs& in, effective::Encapsulation encapsulation) {
  return !in.dataplane.opaque && in.dataplane.dataplane.encapsulation == encapsulation;
}

/// The sums of the worker pools' minimum and maximum.
struct NodeCount {
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
};

inline NodeCount count_nodes(const manifest::ShootSpec& shoot) {
  NodeCount count;
  for (const manifest::WorkerPool& pool : shoot.workers) {
    count.minimum += pool.minimum;
    count.maximum += pool.maximum;
  }
  return count;
}

/// "the link MTU 1500", marked if it is assumed.
inline std::string link_mtu_in_words(const effective::NetworkInputs& shoot) {
  return fmt::format("the link MTU {}{}", shoot.link_mtu.value,
                     shoot.link_mtu.basis.assumed ? " (assumed)" : "");
}

/// The hint about a range of a live shoot, which cannot change. Empty for a new shoot, so that the
/// rule's remedy applies.
inline std::string hint_of_fixed_range(const LintInputs& in, const char* live) {
  return in.shoot.stage == effective::Stage::Live ? live : "";
}

inline constexpr const char* kOtherRanges =
    "create a new shoot with other ranges: a live one keeps its own";

/// Reports an MTU that does not fit the link MTU; at most a warning if the link MTU is assumed.
inline void add_against_link(const effective::NetworkInputs& shoot,
                             const manifest::Located<std::int64_t>& mtu, const std::string& message,
                             RuleReport& report) {
  if (shoot.link_mtu.basis.assumed)
    report.add_assumed(mtu, message,
                       "write 0, which lets the network extension choose, or set the link MTU: "
                       "--set landscape.link-mtu=N");
  else
    report.add(mtu, message);
}

/// Smallest MTU that pods need, in bytes: every IPv4 host accepts packets of 576 (RFC 791), every
/// IPv6 link carries 1280 (RFC 8200).
inline std::uint32_t least_mtu(const effective::Families& families) {
  return families.has(Family::Ipv6) ? 1280 : 576;
}

/// A hint to replace nodes, according to their pools; `rolling` if a rolling update replaces them.
std::string node_replacement(const manifest::ShootSpec& shoot, std::string_view rolling);

/// A hint: how to get the routes that pods need, or how to run pods without them.
const char* remedy_of(effective::RouteGap gap, effective::Stage stage);

/// Why no controller writes the routes that pods need; null if they are written or not needed.
const effective::Reason* unwritten_routes(const effective::EffectiveDataplane& shoot);

/// The location of a finding about all workers.
inline SourceLocation place_of_workers(const LintInputs& in) {
  const auto& workers = in.shoot.spec.shoot.workers;
  return workers.empty() ? in.shoot.spec.place : workers.front().place;
}

}  // namespace overlane::rules
