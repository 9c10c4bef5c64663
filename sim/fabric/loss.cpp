#include "sim/fabric/loss.h"

namespace overlane::fabric {
namespace {

constexpr std::uint64_t kThousand = 1'000;

/// Probability, in units of 10^-9, that a burst begins after a packet that passed: p / (1 − p) / m
/// for a loss ratio p and a mean burst of m packets.
std::uint64_t begins(std::uint64_t ratio, std::uint64_t mean_burst) {
  return ratio * Loss::kAll / (Loss::kAll - ratio) * kThousand / mean_burst;
}

/// Probability that a burst ends after a lost packet.
std::uint64_t ends(std::uint64_t mean_burst) {
  return Loss::kAll * kThousand / mean_burst;
}

}  // namespace

std::uint32_t most_loss(std::uint32_t mean_burst) {
  return static_cast<std::uint32_t>(std::uint64_t{Loss::kAll} * mean_burst /
                                    (mean_burst + kThousand));
}

bool LossProcess::loses_next(std::uint32_t sender, bool within) {
  const std::uint32_t ratio = within ? loss_.within_zone : loss_.across_zones;
  if (ratio == 0) return false;
  while (senders_.size() <= sender)
    senders_.push_back({.random = RandomStream(seed_, StreamUse::Loss, senders_.size())});
  auto& [random, began, in_burst] = senders_[sender];
  const std::uint64_t drawn = random.below(Loss::kAll);
  if (loss_.mean_burst == 0 || !began)
    in_burst = drawn < ratio;
  else if (in_burst)
    in_burst = drawn >= ends(loss_.mean_burst);
  else
    in_burst = drawn < begins(ratio, loss_.mean_burst);
  began = true;
  return in_burst;
}

}  // namespace overlane::fabric
