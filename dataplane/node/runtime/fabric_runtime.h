#pragma once

#include <cstdint>

#include "dataplane/net/flow_hash.h"
#include "dataplane/node/runtime/expiring_map.h"
#include "dataplane/node/runtime/reassembly.h"
#include "dataplane/node/runtime/use_count.h"

namespace overlane::node {

/// How long a security group expects answers to a packet it let pass: AWS's default for TCP on
/// Nitro v6 instances (EC2 user guide, "Idle connection tracking timeout"); assumed for all
/// protocols and providers.
inline constexpr Picos kAnswerTimeout = seconds(350);
/// Bounds of the two tables, assumed.
inline constexpr std::size_t kExpectedAnswers = 65'536;
inline constexpr std::size_t kFragmentedPackets = 4'096;

/// The part of a packet that a fragment carries, in bytes of its payload.
struct FragmentRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool last = false;
};

/// Where the next fragment of each packet must begin.
class FragmentOrder {
 public:
  /// Whether this fragment is the first of its packet or goes on where the one before it ended. One
  /// that does not changes nothing.
  bool in_order(const ReassemblyKey& key, const FragmentRange& range, Picos now) {
    if (range.begin != 0) {
      const std::uint32_t* next = next_.find(key, now);
      if (next == nullptr || *next != range.begin) return false;
    }
    if (range.last) {
      next_.erase(key);
    } else {
      next_.set(key, range.end, now, reassembly_timeout(key.destination.family()));
    }
    return true;
  }
  bool operator==(const FragmentOrder&) const = default;

 private:
  ExpiringMap<ReassemblyKey, std::uint32_t, kFragmentedPackets> next_;
};

/// The answers that security groups let in because of what they let in the other way.
class ExpectedAnswers {
 public:
  void expect(const FlowKey& answer, Picos now) {
    uses_.add();
    answers_.set(answer, {}, now, kAnswerTimeout);
  }
  bool expects(const FlowKey& answer, Picos now) const {
    uses_.add();
    return answers_.find(answer, now) != nullptr;
  }
  /// Counts both.
  std::uint64_t uses() const { return uses_.get(); }
  bool operator==(const ExpectedAnswers&) const = default;

 private:
  struct Nothing {
    bool operator==(const Nothing&) const = default;
  };
  ExpiringMap<FlowKey, Nothing, kExpectedAnswers> answers_;
  UseCount uses_;
};

/// What a VPC remembers of the packets it carried: bounded tables with their own expiry. A value.
struct FabricRuntime {
  ExpectedAnswers answers;
  FragmentOrder fragments;

  bool operator==(const FabricRuntime&) const = default;
};

}  // namespace overlane::node
