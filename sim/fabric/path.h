#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/net/flow_hash.h"
#include "dataplane/net/units.h"
#include "dataplane/node/state/fabric_state.h"
#include "sim/random/stream.h"

namespace overlane::fabric {

// The network of the cloud between two nodes: latencies within and across zones, queues in front of
// NICs, random loss, and optionally a leaf-spine fabric of racks. These are settings and small
// models; the queues themselves are in sim/run, and routes and route tables are in
// dataplane/node/state/fabric_state.h.

/// Random loss of packets in the fabric. Ratios are one-way loss ratios (RFC 7680, RFC 6673) in
/// units of 10^-9, 0…kAll.
struct Loss {
  static constexpr std::uint32_t kAll = 1'000'000'000;

  std::uint32_t within_zone = 0;
  std::uint32_t across_zones = 0;
  /// 0: packets are lost independently. Otherwise the mean number of consecutive packets of a flow
  /// that are lost, in thousandths, at least 1,000: a Markov chain with one state that loses
  /// everything and one that loses nothing (Gilbert, "Capacity of a burst-noise channel", 1960,
  /// with h = 0).
  std::uint32_t mean_burst = 0;

  bool any() const { return within_zone != 0 || across_zones != 0; }

  auto operator<=>(const Loss&) const = default;
};

/// The largest loss ratio possible with this Loss::mean_burst (at least 1,000), since at least one
/// packet passes between two bursts.
std::uint32_t most_loss(std::uint32_t mean_burst);

/// Decides which packets are lost. Each sender has its own random numbers and bursts, so the losses
/// of one sender do not depend on the others.
class LossProcess {
 public:
  LossProcess(const Loss& loss, std::uint64_t seed) : loss_(loss), seed_(seed) {}

  bool any() const { return loss_.any(); }
  /// Whether the next packet of a sender is lost; call only if any(). `within`: within one zone.
  /// Senders are numbered from 0; new numbers are added on first use.
  bool loses_next(std::uint32_t sender, bool within);

 private:
  struct Sender {
    RandomStream random;
    bool began = false;
    bool in_burst = false;
  };

  Loss loss_;
  std::uint64_t seed_;
  std::vector<Sender> senders_;
};

/// A leaf-spine fabric (a two-stage folded Clos network). The nodes of a rack share a leaf, a
/// switch with one link to every spine of its zone. Spine i of a zone is connected to spine i of
/// every other zone, without a bottleneck.
struct Racks {
  static constexpr std::uint32_t kMaxSpines = 256;

  std::uint32_t nodes_per_rack = 1;  ///< > 0.
  std::uint32_t spines = 1;          ///< 1…kMaxSpines.
  BitsPerSecond uplink{};  ///< Rate of each link between a leaf and a spine, per direction; > 0.
  std::uint32_t queue_packets = 1000;  ///< Queue of each such link, per direction.

  auto operator<=>(const Racks&) const = default;
};

/// Assignment of nodes to racks and of flows to spines. Immutable.
class RackPlan {
 public:
  /// Fills racks in the order of the instances; no rack spans zones. The leaves' hash keys are
  /// derived from `seed`.
  RackPlan(const Racks& racks, const node::FabricState& fabric, std::uint64_t seed);

  std::uint32_t count() const { return static_cast<std::uint32_t>(keys_.size()); }
  std::uint32_t rack_of(std::uint32_t instance) const { return rack_of_[instance]; }
  bool share_rack(std::uint32_t a, std::uint32_t b) const { return rack_of(a) == rack_of(b); }
  std::uint32_t spines() const { return spines_; }

  /// The spine to which the leaf of `from` sends a flow (as the outermost header shows it):
  /// equal-cost multipath by hash-threshold (RFC 2992), with one key per leaf.
  std::uint8_t spine(std::uint32_t from, const FlowKey& flow) const {
    const std::uint64_t hash = murmur_mix(keys_[rack_of(from)] + flow_hash(flow)) >> 32;
    return static_cast<std::uint8_t>(hash * spines_ >> 32);
  }

 private:
  std::uint32_t spines_;
  std::vector<std::uint32_t> rack_of_;  ///< Rack of each instance.
  std::vector<std::uint64_t> keys_;     ///< Hash key of each rack's leaf.
};

/// Latencies, queues and loss of a VPC.
struct Paths {
  Picos within_zone = microseconds(20);
  Picos across_zones = microseconds(500);
  /// Maximum of a random extra delay per packet; packets between two instances keep their order.
  /// Without jitter, senders of equal rates synchronise at a full queue, and one of them gets the
  /// whole queue (Floyd and Jacobson, "On traffic phase effects", 1992).
  Picos jitter = microseconds(1);
  /// Queue of the link to one instance's NIC, in packets. The link runs at the NIC's rate, so
  /// traffic from several senders to one instance queues here.
  std::uint32_t port_queue_packets = 1000;
  Loss loss;
  /// Empty: only NICs queue packets. Set: the latencies above apply before the leaf; the times of
  /// the links between leaves and spines are added.
  std::optional<Racks> racks;

  auto operator<=>(const Paths&) const = default;
};

}  // namespace overlane::fabric
