#include "results/model/run_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

namespace overlane::model {

std::optional<MeanInterval> mean_interval(const std::vector<std::int64_t>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  const auto add = [](double sum, std::int64_t value) { return sum + static_cast<double>(value); };
  const double mean = std::accumulate(values.begin(), values.end(), 0.0, add) / count;
  double squares = 0;
  for (const std::int64_t value : values) {
    const double off = static_cast<double>(value) - mean;
    squares += off * off;
  }
  const double error = std::sqrt(squares / (count - 1) / count);
  // Double precision suffices; without promotion half as much code is compiled.
  using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const boost::math::students_t_distribution<double, Plain> distribution(count - 1);
  return MeanInterval{mean, boost::math::quantile(distribution, 0.975) * error};
}

std::string_view to_string(VariantStatus status) {
  switch (status) {
    case VariantStatus::Ok:
      return "ok";
    case VariantStatus::NotAdmitted:
      return "not-admitted";
    case VariantStatus::NotDeliverable:
      return "not-deliverable";
    case VariantStatus::Unsupported:
      return "unsupported";
    case VariantStatus::Partial:
      return "partial";
    case VariantStatus::NotRun:
      return "not-run";
  }
  return "partial";
}

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::Complete:
      return "complete";
    case Ending::EventLimit:
      return "event-limit";
    case Ending::Interrupted:
      return "interrupted";
  }
  return "interrupted";
}

std::string_view to_string(FigureSource source) {
  switch (source) {
    case FigureSource::Topology:
      return "topology";
    case FigureSource::CloudProfile:
      return "cloud-profile";
    case FigureSource::Published:
      return "published";
    case FigureSource::Default:
      return "default";
  }
  return "";
}

std::string_view to_string(Executor executor) {
  return executor == Executor::Kernel ? "kernel" : "sim";
}

std::string_view to_string(TrafficKind kind) {
  switch (kind) {
    case TrafficKind::Udp:
      return "udp";
    case TrafficKind::Tcp:
      return "tcp";
    case TrafficKind::RequestResponse:
      return "request-response";
  }
  return "udp";
}

Ending ending_of(const RunReport& report) {
  Ending ending = Ending::Complete;
  for (const VariantResult& variant : report.variants)
    ending = std::max(ending, variant.ending);
  return ending;
}

Interruptions& Interruptions::operator+=(const Interruptions& other) {
  flows += other.flows;
  interrupted += other.interrupted;
  not_resumed += other.not_resumed;
  longest_ns += other.longest_ns;
  return *this;
}

SkipFacts& SkipFacts::operator+=(const SkipFacts& other) {
  spans += other.spans;
  skipped_ns += other.skipped_ns;
  simulated_ns += other.simulated_ns;
  packets += other.packets;
  if (none_because.empty()) none_because = other.none_because;
  if (spans > 0) none_because.clear();
  return *this;
}

EngineFacts& EngineFacts::operator+=(const EngineFacts& other) {
  events += other.events;
  packet_hops += other.packet_hops;
  setup_seconds += other.setup_seconds;
  loop_seconds += other.loop_seconds;
  threads = std::max(threads, other.threads);
  if (one_thread_because.empty()) one_thread_because = other.one_thread_because;
  if (!skipped)
    skipped = other.skipped;
  else if (other.skipped)
    *skipped += *other.skipped;
  return *this;
}

BytePath& BytePath::operator+=(const BytePath& other) {
  checked += other.checked;
  mismatched += other.mismatched;
  return *this;
}

PacketCounts& PacketCounts::operator+=(const PacketCounts& other) {
  sent += other.sent;
  delivered += other.delivered;
  dropped += other.dropped;
  in_flight += other.in_flight;
  return *this;
}

}  // namespace overlane::model
