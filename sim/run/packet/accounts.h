#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "results/model/series.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

/// Counts of the packets of each traffic group, by its position: sent, delivered, dropped, and the
/// payload that applications have read. A packet counts for the group of the flow that sent or
/// caused it. Each partition owns one; the run sums them up.
class Accounts {
 public:
  Accounts(std::size_t groups, Picos warm_up) : groups_(groups), warm_up_(warm_up) {}

  struct Group {
    model::PacketCounts packets;  ///< `dropped` and `in_flight` are filled in by close().
    DropCounts drops;
    std::int64_t ip_bytes = 0;         ///< Delivered to sockets so far, forward direction.
    std::int64_t arrived_payload = 0;  ///< Payload delivered to sockets so far, forward direction.
    std::int64_t payload_bytes = 0;    ///< Payload that applications have read so far.
    std::int64_t latency_sum_ns = 0;   ///< Sum of all latencies so far.
    std::int64_t latencies = 0;
    model::Histogram latency_ns;     ///< After the warm-up.
    model::Histogram completion_ns;  ///< Completion times of transfers after the warm-up.
  };

  void sent(std::uint32_t group, std::int64_t packets = 1) {
    groups_[group].packets.sent += packets;
  }
  void delivered(std::uint32_t group, std::int64_t packets) {
    groups_[group].packets.delivered += packets;
  }
  void dropped(std::uint32_t group, Drop reason, std::int64_t packets) {
    groups_[group].drops[reason] += packets;
  }
  /// A packet was delivered to the socket of `receiver`. Only packets to servers count for rates.
  void arrived(std::uint32_t group, EndpointId receiver, std::int64_t ip_bytes,
               std::int64_t payload) {
    if (receiver % 2 == 0) return;
    groups_[group].ip_bytes += ip_bytes;
    groups_[group].arrived_payload += payload;
  }
  void payload(std::uint32_t group, EndpointId receiver, std::int64_t bytes) {
    if (receiver % 2 == 1) groups_[group].payload_bytes += bytes;
  }
  void latency(std::uint32_t group, Picos now, Picos latency) {
    Group& of = groups_[group];
    const std::int64_t nanoseconds = latency.whole_nanoseconds();
    of.latency_sum_ns += nanoseconds;
    ++of.latencies;
    if (now >= warm_up_) of.latency_ns.record(nanoseconds);
  }
  /// latency() of packets that arrived together: all before the end of the warm-up or none.
  void latencies(std::uint32_t group, Picos now, const std::vector<std::int64_t>& nanoseconds) {
    Group& of = groups_[group];
    for (const std::int64_t latency : nanoseconds)
      of.latency_sum_ns += latency;
    of.latencies += static_cast<std::int64_t>(nanoseconds.size());
    if (now >= warm_up_) of.latency_ns.record_all(nanoseconds);
  }
  void completion(std::uint32_t group, Picos now, Picos time) {
    if (now >= warm_up_) groups_[group].completion_ns.record(time.whole_nanoseconds());
  }

  /// The warm-up is over.
  void begin_measuring() {
    for (const Group& group : groups_)
      before_.push_back({group.ip_bytes, group.arrived_payload, group.payload_bytes});
  }

  /// IP bytes delivered after the warm-up.
  std::int64_t measured_ip_bytes(std::size_t index) const {
    return groups_[index].ip_bytes - before(index).ip_bytes;
  }
  /// Payload read after the warm-up, but at most the payload that arrived after it: an application
  /// that empties a buffer filled during the warm-up reads faster than the network delivers.
  std::int64_t measured_payload(std::size_t index) const {
    const Group& group = groups_[index];
    return std::min(group.payload_bytes - before(index).payload_bytes,
                    group.arrived_payload - before(index).arrived_payload);
  }

  const Group& group(std::size_t index) const { return groups_[index]; }
  /// Packets that all groups have sent so far.
  std::int64_t packets_sent() const;

  /// Adds what another partition has counted.
  Accounts& operator+=(const Accounts& other);
  /// Counts the packets still in flight; `in_flight` has the group of each. Returns an error text
  /// if the counts do not add up, otherwise an empty one.
  std::string close(const std::vector<std::uint32_t>& in_flight);

 private:
  /// The counters of a group at the end of the warm-up.
  struct Before {
    std::int64_t ip_bytes = 0;
    std::int64_t arrived_payload = 0;
    std::int64_t payload_bytes = 0;
  };
  Before before(std::size_t index) const { return before_.empty() ? Before{} : before_[index]; }

  std::vector<Group> groups_;
  std::vector<Before> before_;  ///< Empty during the warm-up.
  Picos warm_up_;
};

/// Payload that the applications of each traffic group read in each batch (one of kBatches equal
/// parts of a run), and the mean latency of each batch: they show whether the run was in a steady
/// state.
class Batches {
 public:
  /// `accounts` must outlive this object.
  Batches(const Accounts& accounts, std::size_t groups, Picos duration)
      : accounts_(accounts), duration_(duration), groups_(groups) {}

  /// End of the current batch.
  Picos next() const { return end_of(closed_); }

  void close() {
    ++closed_;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const Accounts::Group& now = accounts_.group(i);
      OfGroup& group = groups_[i];
      group.goodput.push_back(now.payload_bytes - group.payload_bytes);
      group.latency.push_back(
          {now.latency_sum_ns - group.all.sum_ns, now.latencies - group.all.count});
      group.payload_bytes = now.payload_bytes;
      group.all = {now.latency_sum_ns, now.latencies};
    }
  }

  /// Adds the counts of another partition in the same batches.
  Batches& operator+=(const Batches& other) {
    for (std::size_t i = 0; i < groups_.size(); ++i)
      for (std::size_t batch = 0; batch < closed_; ++batch) {
        groups_[i].goodput[batch] += other.groups_[i].goodput[batch];
        groups_[i].latency[batch].sum_ns += other.groups_[i].latency[batch].sum_ns;
        groups_[i].latency[batch].count += other.groups_[i].latency[batch].count;
      }
    return *this;
  }

  std::optional<model::SteadyState> steady_state(std::size_t group, Picos warm_up) const {
    return model::find_steady_state(groups_[group].goodput, first_behind(warm_up), duration_);
  }

  /// steady_state() of the mean latency. A batch without answers counts as the batch before;
  /// nullopt if at least half of the batches are empty.
  std::optional<model::SteadyState> latency_steady_state(std::size_t group, Picos warm_up) const {
    const std::span<const Latency> batches = groups_[group].latency;
    const std::size_t first = first_behind(warm_up);
    const auto is_empty = [](const Latency& batch) { return batch.count == 0; };
    const auto empty = std::ranges::count_if(batches.subspan(first), is_empty);
    if (static_cast<std::size_t>(empty) * 2 >= batches.size() - first) return std::nullopt;
    std::vector<std::int64_t> means;
    std::int64_t last = std::ranges::find_if_not(batches, is_empty)->mean_ns();
    for (const Latency& batch : batches)
      means.push_back(last = is_empty(batch) ? last : batch.mean_ns());
    auto state = model::find_steady_state(means, first, duration_);
    if (!state || state->bias_ppm == 0) return state;
    // Batches have different numbers of answers, and each answer counts once.
    const auto from = static_cast<std::size_t>(state->from.count / (duration_.count / kBatches));
    const std::int64_t steady = sum(batches.subspan(from)).mean_ns();
    const std::int64_t measured = sum(batches.subspan(first)).mean_ns();
    state->bias_ppm = (measured - steady) * 1'000'000 / steady;
    return state;
  }

 private:
  struct Latency {
    std::int64_t sum_ns = 0;
    std::int64_t count = 0;

    std::int64_t mean_ns() const { return sum_ns / count; }
  };
  struct OfGroup {
    std::vector<std::int64_t> goodput;  ///< Payload bytes of each batch.
    std::vector<Latency> latency;
    // Counters at the end of the last batch.
    std::int64_t payload_bytes = 0;
    Latency all;
  };

  static Latency sum(std::span<const Latency> batches) {
    Latency sum;
    for (const Latency& batch : batches) {
      sum.sum_ns += batch.sum_ns;
      sum.count += batch.count;
    }
    return sum;
  }

  /// The first batch after the warm-up.
  std::size_t first_behind(Picos warm_up) const {
    std::size_t first = 0;
    while (first < closed_ && begin_of(first) < warm_up)
      ++first;
    return first;
  }
  Picos begin_of(std::size_t batch) const {
    return {static_cast<std::int64_t>(WideInteger{duration_.count} *
                                      static_cast<std::int64_t>(batch) / kBatches)};
  }
  Picos end_of(std::size_t batch) const { return begin_of(batch + 1); }

  static constexpr std::int64_t kBatches = model::kSteadyStateBatches;

  const Accounts& accounts_;
  Picos duration_;
  std::size_t closed_ = 0;
  std::vector<OfGroup> groups_;
};

}  // namespace overlane::run
