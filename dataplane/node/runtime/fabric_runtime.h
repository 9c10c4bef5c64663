#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "dataplane/net/flow_hash.h"
#include "dataplane/net/units.h"
#include "dataplane/node/runtime/reassembly.h"
#include "dataplane/node/state/generation.h"

namespace overlane::node {

// Memory of a VPC about traffic: the answers that security groups expect, and the order of
// fragments. Clouds document little of this; assumed values are marked. ExpiringMap is the bounded
// map that both tables use.

/// A map of at most `Limit` values, each with an expiry. A full map evicts the value that expires
/// next.
template <typename Key, typename Value, std::size_t Limit>
class ExpiringMap {
 public:
  /// Returns the value of `key`; null if there is none or it has expired.
  const Value* find(const Key& key, Picos now) const {
    const auto at = entries_.find(key);
    return at == entries_.end() || at->second.expires <= now ? nullptr : &at->second.value;
  }

  void set(const Key& key, Value value, Picos now, Picos life) {
    erase(key);
    while (!by_expiry_.empty() && (by_expiry_.begin()->first <= now || entries_.size() >= Limit)) {
      erase(Key(by_expiry_.begin()->second));
    }
    entries_.emplace(key, Entry{std::move(value), now + life});
    by_expiry_.emplace(now + life, key);
  }

  void erase(const Key& key) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) return;
    by_expiry_.erase({at->second.expires, key});
    entries_.erase(at);
  }

  std::size_t size() const { return entries_.size(); }
  bool operator==(const ExpiringMap&) const = default;

 private:
  struct Entry {
    Value value;
    Picos expires;
    bool operator==(const Entry&) const = default;
  };
  std::map<Key, Entry> entries_;
  std::set<std::pair<Picos, Key>> by_expiry_;  ///< One for each of `entries_`.
};

/// How long a security group expects answers to an admitted packet: AWS's default for TCP on Nitro
/// v6 instances (EC2 user guide, "Idle connection tracking timeout"); assumed for all protocols and
/// providers.
inline constexpr Picos kAnswerTimeout = seconds(350);
/// Maximum number of entries of the two tables; assumed.
inline constexpr std::size_t kExpectedAnswers = 65'536;
inline constexpr std::size_t kFragmentedPackets = 4'096;

/// The part of a packet that a fragment carries, in payload bytes: [begin, end).
struct FragmentRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool last = false;
};

/// Offset at which the next fragment of each packet must begin.
class FragmentOrder {
 public:
  /// Returns whether this fragment is the first of its packet or begins at the end of the one
  /// before it. Any other fragment has no effect.
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

/// The flows that security groups admit as answers to packets that they admitted.
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
  /// Returns the number of calls of expect() and expects().
  std::uint64_t uses() const { return uses_.get(); }
  bool operator==(const ExpectedAnswers&) const = default;

 private:
  struct Nothing {
    bool operator==(const Nothing&) const = default;
  };
  ExpiringMap<FlowKey, Nothing, kExpectedAnswers> answers_;
  UseCount uses_;
};

/// Memory of a VPC about the packets that it has carried: bounded tables with their own expiry. A
/// value.
struct FabricRuntime {
  ExpectedAnswers answers;
  FragmentOrder fragments;

  bool operator==(const FabricRuntime&) const = default;
};

}  // namespace overlane::node
