#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace overlane::report {

/// A file in the Trace Event Format (JSON object format), which ui.perfetto.dev and
/// chrome://tracing open: processes with tracks, on which slices and instants lie, and counters of
/// processes. Every event has ph, ts, pid and tid; times are in microseconds. The same calls give
/// the same bytes.
class TraceEvents {
 public:
  /// Begins a process, whose tracks and counters the following calls add. Processes are shown in
  /// this order.
  void process(const std::string& name);
  /// A state of a track from `begin_us` to `end_us`.
  void slice(const std::string& track, const std::string& name, double begin_us, double end_us);
  void instant(const std::string& track, const std::string& name, double at_us);
  /// The values of a counter from `at_us` on, by series.
  void counter(const std::string& name, double at_us,
               const std::vector<std::pair<std::string, double>>& values);

  std::string to_string() const;

 private:
  nlohmann::ordered_json event(const char* phase, const std::string& name, double at_us,
                               int track) const;
  void metadata(const char* name, int track, nlohmann::ordered_json arguments);
  /// The number of a track of the present process, which is named when it is new.
  int track_of(const std::string& name);

  int process_ = 0;
  std::map<std::string, int> tracks_;  ///< By name, in this process.
  nlohmann::ordered_json events_ = nlohmann::ordered_json::array();
};

}  // namespace overlane::report
