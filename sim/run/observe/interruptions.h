#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "results/model/run_report.h"
#include "sim/run/app/pod_restarts.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

/// Finds flows that a run's changes interrupted, as model::Interruptions defines it, by what the
/// ends of one partition hear.
class InterruptionRecorder : public LossObserver {
 public:
  /// Referenced arguments must outlive this object.
  InterruptionRecorder(const FlowTable& flows, const core::Scheduler& scheduler, Border& border);

  void see_lost(const Packet& packet, Drop reason) override;
  /// A packet, which is not ICMP, has arrived at its receiver.
  void see_arrival(const Packet& packet) {
    if (is_recording())
      note({receiver_of(packet), packet.sent_at, scheduler_.now(), Fate::Arrived});
  }
  /// Packets to ends of this partition were lost in another.
  void take(const std::vector<PacketFate>& lost) {
    fates_.insert(fates_.end(), lost.begin(), lost.end());
  }
  /// Nothing else has happened so far, in no partition.
  void settle();

  /// Packets that are lost from now on may be lost by a change.
  void see_change() { has_seen_change_ = true; }
  /// Pods are gone, or back: an end to which nothing was sent meanwhile is not interrupted longer.
  void see_affected(const AffectedEndpoints& affected);

  bool has_seen_change() const { return has_seen_change_; }
  /// Adds what ends of another partition have heard.
  void add(const InterruptionRecorder& other);
  /// The interruptions of one group in a run that ends at `end`.
  model::Interruptions of_group(std::size_t group, Picos end) const;

 private:
  using Fate = PacketFate::Fate;
  /// Whether an arrival may end something.
  bool is_recording() const {
    return has_seen_change_ && (border_.is_open() || !silent_.empty() || !fates_.empty());
  }
  /// The receiving end, as of the flow that the run began with.
  EndpointId receiver_of(const Packet& packet) const;
  bool is_beyond(EndpointId end) const { return border_.is_beyond(flows_.end(end).node); }
  void note(const PacketFate& fate);
  void end_silence(const PacketFate& arrived);
  void note_length(EndpointId receiver, Picos length);

  const FlowTable& flows_;
  const core::Scheduler& scheduler_;
  Border& border_;
  bool has_seen_change_ = false;
  std::vector<PacketFate> fates_;            ///< Not settled.
  std::vector<std::size_t> flows_of_group_;  ///< Number of flows that the run began with.
  struct Silence {
    Picos since;           ///< The first lost packet was sent, or the pod that sends was gone.
    bool has_lost = true;  ///< A packet was lost.
  };
  /// Endpoints at which no packet has arrived since.
  std::unordered_map<EndpointId, Silence> silent_;
  std::map<std::size_t, Picos> longest_;  ///< Ended interruptions, by flow.
};

}  // namespace overlane::run
