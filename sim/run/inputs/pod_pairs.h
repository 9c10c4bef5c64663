#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <boost/iterator/iterator_facade.hpp>

#include "dataplane/net/address.h"

namespace overlane::run {

/// A pod that sends or receives; on its node's own network (hostNetwork) where its group says so:
/// then the address is one of the node's.
struct PodEnd {
  std::uint32_t node = 0;
  IpAddress address;

  auto operator<=>(const PodEnd&) const = default;
};

struct PodPair {
  PodEnd source;  ///< Sender, or client.
  PodEnd destination;

  auto operator<=>(const PodPair&) const = default;
};

/// Pairs of pods in an order. Each pod is kept once: pairs are often many more than pods.
class PodPairs {
 public:
  PodPairs() = default;
  PodPairs(const std::vector<PodPair>& pairs);  // NOLINT: the same pairs
  PodPairs(std::initializer_list<PodPair> pairs) : PodPairs(std::vector<PodPair>(pairs)) {}

  std::size_t size() const { return pairs_.size(); }
  bool empty() const { return pairs_.empty(); }
  PodPair operator[](std::size_t position) const {
    const auto& [source, destination] = pairs_[position];
    return {pods_[source], pods_[destination]};
  }
  PodPair front() const { return (*this)[0]; }

  /// Gives pairs by value.
  class Iterator : public boost::iterator_facade<Iterator, PodPair,
                                                 boost::random_access_traversal_tag, PodPair> {
   public:
    Iterator() = default;
    Iterator(const PodPairs& pairs, std::size_t at) : pairs_(&pairs), at_(at) {}

   private:
    friend class boost::iterator_core_access;
    PodPair dereference() const { return (*pairs_)[at_]; }
    bool equal(const Iterator& other) const { return at_ == other.at_; }
    void increment() { ++at_; }
    void decrement() { --at_; }
    void advance(std::ptrdiff_t by) { at_ += static_cast<std::size_t>(by); }
    std::ptrdiff_t distance_to(const Iterator& other) const {
      return static_cast<std::ptrdiff_t>(other.at_ - at_);
    }

    const PodPairs* pairs_ = nullptr;
    std::size_t at_ = 0;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  bool operator==(const PodPairs&) const = default;

 private:
  std::vector<PodEnd> pods_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;  ///< Of pods_.
};

}  // namespace overlane::run
