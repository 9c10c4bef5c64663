#include "results/model/run_report.h"

#include <algorithm>

namespace overlane::model {

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
  for (const Variant& variant : report.variants)
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

EngineFacts& EngineFacts::operator+=(const EngineFacts& other) {
  events += other.events;
  packet_hops += other.packet_hops;
  setup_seconds += other.setup_seconds;
  loop_seconds += other.loop_seconds;
  threads = std::max(threads, other.threads);
  if (one_thread_because.empty()) one_thread_because = other.one_thread_because;
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
