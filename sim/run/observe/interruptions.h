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
  /// Pods are gone, or back: an end to which nothing was sent meanwhile is not interrupted longer.
  void see_turned(const Flows::Turned& turned, Picos now);

  bool has_seen_change() const { return has_seen_change_; }
  /// Of one group in a run that ends now.
  model::Interruptions of_group(std::size_t group, Picos end) const;

 private:
  /// The receiving end, as of the flow that the run began with.
  EndId receiver_of(const PacketInFlight& packet) const;
  void end_silence(const PacketInFlight& packet, Picos now);
  void note_length(EndId receiver, Picos length);

  const Flows& flows_;
  bool has_seen_change_ = false;
  std::vector<std::size_t> flows_of_group_;  ///< Number of flows that the run began with.
  struct Silence {
    Picos since;           ///< The first lost packet was sent, or the pod that sends was gone.
    bool has_lost = true;  ///< A packet was lost.
  };
  /// Of ends at which no packet has arrived since.
  std::unordered_map<EndId, Silence> silent_;
  std::map<std::size_t, Picos> longest_;  ///< Ended interruptions, by flow.
};

}  // namespace overlane::run
