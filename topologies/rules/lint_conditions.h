#pragma once

#include <string>

#include <fmt/format.h>

#include "topologies/rules/rule_tables.h"

namespace overlane::rules {

// What many lints ask first. Of an opaque network nothing is known to be so.

inline bool is(const LintInputs& in, effective::Provider provider) {
  return in.shoot.provider.provider == provider;
}

inline bool is_routed(const LintInputs& in) {
  return !in.dataplane.opaque && in.dataplane.dataplane.mode == effective::Mode::Routed;
}

/// Whether a controller writes routes to the nodes' pod CIDRs, in either family.
inline bool has_cloud_routes(const LintInputs& in) {
  const effective::EffectiveDataplane& shoot = in.dataplane;
  const auto written = [](const effective::Dataplane& dataplane) {
    return dataplane.cloud_routes == effective::CloudRoutes::Written;
  };
  return !shoot.opaque && (written(shoot.dataplane) ||
                           (shoot.secondary_dataplane && written(*shoot.secondary_dataplane)));
}

inline bool is_encapsulated(const LintInputs& in, effective::Encapsulation encapsulation) {
  return !in.dataplane.opaque && in.dataplane.dataplane.encapsulation == encapsulation;
}

/// How many nodes the workers may grow to, and how many there are at least.
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

/// "the link MTU 1500", with a remark where no document says so.
inline std::string link_mtu_in_words(const effective::NetworkInputs& shoot) {
  return fmt::format("the link MTU {}{}", shoot.link_mtu.value,
                     shoot.link_mtu.basis.assumed ? " (assumed)" : "");
}

/// A finding about an MTU that disagrees with the link's.
inline void add_against_link(const effective::NetworkInputs& shoot,
                             const manifest::Located<std::int64_t>& mtu, const std::string& message,
                             RuleReport& report) {
  if (shoot.link_mtu.basis.assumed)
    report.add_assumed(mtu, message,
                       "write 0, which lets the network extension choose, or say what the links "
                       "carry: --set landscape.link-mtu=N");
  else
    report.add(mtu, message);
}

/// The least packet that pods must be able to send, bytes: what every IPv4 host takes (RFC 791), or
/// every IPv6 link carries (RFC 8200).
inline std::uint32_t least_mtu(const effective::Families& families) {
  return families.has(Family::Ipv6) ? 1280 : 576;
}

/// Where a finding about all workers stands.
inline SourceLocation place_of_workers(const LintInputs& in) {
  const auto& workers = in.shoot.spec.shoot.workers;
  return workers.empty() ? in.shoot.spec.place : workers.front().place;
}

}  // namespace overlane::rules
