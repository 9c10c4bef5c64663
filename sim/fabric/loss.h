#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "sim/random/stream.h"

namespace overlane::fabric {

/// Packets that the fabric loses at random. Ratios are one-way loss ratios (RFC 7680, RFC 6673) in
/// units of 10^-9, 0…kAll.
struct Loss {
  static constexpr std::uint32_t kAll = 1'000'000'000;

  std::uint32_t within_zone = 0;
  std::uint32_t across_zones = 0;
  /// 0: each packet is lost or not by itself. Else how many packets of a flow are lost in a row on
  /// average, in thousandths, at least 1,000: a chain with a state in which everything is lost and
  /// one in which nothing is (Gilbert, "Capacity of a burst-noise channel", 1960, with h = 0).
  std::uint32_t mean_burst = 0;

  bool any() const { return within_zone != 0 || across_zones != 0; }

  auto operator<=>(const Loss&) const = default;
};

/// The largest ratio that bursts of so many packets (Loss::mean_burst, at least 1,000) may make:
/// one packet passes between two of them.
std::uint32_t most_loss(std::uint32_t mean_burst);

/// Which packets are lost. Every sender has random numbers and bursts of its own, so what becomes
/// of one's packets does not hang on who else sends.
class LossProcess {
 public:
  LossProcess(const Loss& loss, std::uint64_t seed) : loss_(loss), seed_(seed) {}

  bool any() const { return loss_.any(); }
  /// Whether the next packet of a sender is lost; where any() is. `within` a zone. Senders are
  /// numbered from 0; there may be more and more of them.
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
