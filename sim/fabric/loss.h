#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "sim/random/stream.h"

namespace overlane::fabric {

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

}  // namespace overlane::fabric
