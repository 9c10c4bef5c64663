#pragma once

#include <cstddef>
#include <map>
#include <unordered_map>
#include <vector>

#include "results/model/run_report.h"
#include "sim/run/app/flows.h"
#include "sim/run/packet/path_observer.h"

namespace overlane::run {

/// Finds flows that a run's changes interrupted, as model::Interruptions defines it.
class InterruptionRecorder : public LossObserver {
 public:
  /// Keeps a reference.
  explicit InterruptionRecorder(const Flows& flows);

  void see_lost(const PacketInFlight& packet, Drop reason) override;
  /// A packet, which is not ICMP, has arrived at its receiver.
  void see_arrival(const PacketInFlight& packet, Picos now) {
    if (!silent_.empty()) end_silence(packet, now);
  }

  /// Packets that are lost from now on may be lost by a change.
  void see_change() { has_seen_change_ = true; }
  /// The pods that talk to these ends are gone.
  void see_silenced(const std::vector<EndId>& ends, Picos now) {
    for (const EndId end : ends)
      silent_.try_emplace(end, now);
  }

  bool has_seen_change() const { return has_seen_change_; }
  /// Of one group in a run that ends now.
  model::Interruptions of_group(std::size_t group, Picos end) const;

 private:
  /// The receiving end, as of the flow that the run began with.
  EndId receiver_of(const PacketInFlight& packet) const;
  void end_silence(const PacketInFlight& packet, Picos now);

  const Flows& flows_;
  bool has_seen_change_ = false;
  std::vector<std::size_t> flows_of_group_;  ///< Number of flows that the run began with.
  /// When the first packet was sent that did not arrive at an end at which none has arrived since.
  std::unordered_map<EndId, Picos> silent_;
  std::map<std::size_t, Picos> longest_;  ///< Ended interruptions, by flow.
};

}  // namespace overlane::run
