#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pthread.h>
#include <span>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/adjacency/compile.h"
#include "dataplane/adjacency/ipv6_finder.h"
#include "results/finding/finding.h"

struct rte_lpm;

namespace overlane::dpdk {

// A Generation is everything that forwards by one NodeState: compiled adjacencies and lookup
// tables. It is immutable but for its link headers; a change of the node is a new Generation,
// made on a thread of its own (GenerationMaker) and published to workers (publication.h).

/// Longest-prefix match over the IPv4 classes in DPDK's table of 2^24 + 256 · n entries
/// (rte_lpm.h), about 64 MiB.
class Lpm {
 public:
  /// Fails when there is no memory for it, or there are more than 2^24 classes.
  static Parsed<Lpm> make(std::span<const adjacency::AddressClass> classes);

  const rte_lpm* table() const { return table_.get(); }

 private:
  struct Free {
    void operator()(rte_lpm* table) const;
  };
  explicit Lpm(rte_lpm* table) : table_(table) {}

  std::unique_ptr<rte_lpm, Free> table_;
};

/// A state with everything that forwards by it. Only its link headers change once it is made, by
/// one thread; any other change of the node is another generation.
struct Generation {
  adjacency::Compiled compiled;
  Lpm lpm;  ///< IPv4.
  adjacency::Ipv6Finder ipv6;
  adjacency::PrefixFinder all_classes;  ///< Both families.
  std::unique_ptr<adjacency::LinkHeaders> links;

  const node::NodeState& state() const { return *compiled.state; }
};

/// Compiles a state and fills its tables. No link header is known yet.
Parsed<std::shared_ptr<const Generation>> generation(std::shared_ptr<const node::NodeState> state);

/// Makes a generation while others forward: on a thread that stays off DPDK's cores where the
/// machine has any other.
class GenerationMaker {
 public:
  using Made = Parsed<std::shared_ptr<const Generation>>;

  /// Runs `make` on a thread. Fails when there is none to be had.
  static Parsed<std::unique_ptr<GenerationMaker>> start(std::function<Made()> make);
  GenerationMaker(const GenerationMaker&) = delete;
  GenerationMaker& operator=(const GenerationMaker&) = delete;
  /// Waits for the thread.
  ~GenerationMaker();

  /// What came of it, once it is done. Only then, and once.
  std::optional<Made> take();

 private:
  explicit GenerationMaker(std::function<Made()> make) : make_(std::move(make)) {}
  static void* run(void* self);

  std::function<Made()> make_;
  std::optional<Made> made_;
  std::atomic<bool> done_ = false;
  std::optional<pthread_t> thread_;
};

}  // namespace overlane::dpdk
