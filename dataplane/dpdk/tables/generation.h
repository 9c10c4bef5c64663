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

// A Generation is everything that is needed to forward by one NodeState: compiled adjacencies and
// lookup tables. Only its link headers change after it is made. Any other change of the node
// requires a new Generation, which GenerationMaker makes in a separate thread and Publication
// (publication.h) gives to the workers.

/// Longest-prefix match over the IPv4 classes in DPDK's table of 2^24 + 256 · n entries
/// (rte_lpm.h), about 64 MiB.
class Lpm {
 public:
  /// Makes the table. Fails if there is not enough memory or there are more than 2^24 classes.
  static Parsed<Lpm> make(std::span<const adjacency::AddressClass> classes);

  const rte_lpm* table() const { return table_.get(); }

 private:
  struct Free {
    void operator()(rte_lpm* table) const;
  };
  explicit Lpm(rte_lpm* table) : table_(table) {}

  std::unique_ptr<rte_lpm, Free> table_;
};

/// A node state, compiled for forwarding. After it is made, one thread may change the link headers;
/// nothing else changes.
struct Generation {
  adjacency::Compiled compiled;
  Lpm lpm;  ///< IPv4.
  adjacency::Ipv6Finder ipv6;
  adjacency::PrefixFinder all_classes;  ///< Both families.
  std::unique_ptr<adjacency::LinkHeaders> links;

  const node::NodeState& state() const { return *compiled.state; }
};

/// Compiles a state and fills its tables. The link headers are still unknown.
Parsed<std::shared_ptr<const Generation>> generation(std::shared_ptr<const node::NodeState> state);

/// Makes a generation while other threads forward. Its thread avoids DPDK's cores if the machine
/// has any others.
class GenerationMaker {
 public:
  using Made = Parsed<std::shared_ptr<const Generation>>;

  /// Runs `make` in a thread. Fails if no thread can be created.
  static Parsed<std::unique_ptr<GenerationMaker>> start(std::function<Made()> make);
  GenerationMaker(const GenerationMaker&) = delete;
  GenerationMaker& operator=(const GenerationMaker&) = delete;
  /// Waits for the thread.
  ~GenerationMaker();

  /// Returns the result of `make` once it is done, and nothing before. Returns the result only
  /// once.
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
