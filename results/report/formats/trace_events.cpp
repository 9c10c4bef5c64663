#include "results/report/formats/trace_events.h"

namespace overlane::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kNoTrack = 0;  // Counters and metadata of a whole process.

}  // namespace

Json TraceEvents::event(const char* phase, const std::string& name, double at_us, int track) const {
  return {{"name", name}, {"ph", phase}, {"ts", at_us}, {"pid", process_}, {"tid", track}};
}

void TraceEvents::metadata(const char* name, int track, Json arguments) {
  Json one = event("M", name, 0, track);
  one["args"] = std::move(arguments);
  events_.push_back(std::move(one));
}

int TraceEvents::track_of(const std::string& name) {
  const auto [at, is_new] = tracks_.try_emplace(name, static_cast<int>(tracks_.size()) + 1);
  if (is_new) {
    metadata("thread_name", at->second, {{"name", name}});
    metadata("thread_sort_index", at->second, {{"sort_index", at->second}});
  }
  return at->second;
}

void TraceEvents::process(const std::string& name) {
  ++process_;
  tracks_.clear();
  metadata("process_name", kNoTrack, {{"name", name}});
  metadata("process_sort_index", kNoTrack, {{"sort_index", process_}});
}

void TraceEvents::slice(const std::string& track, const std::string& name, double begin_us,
                        double end_us) {
  const int number = track_of(track);
  Json one = event("X", name, begin_us, number);
  one["dur"] = end_us - begin_us;
  events_.push_back(std::move(one));
}

void TraceEvents::instant(const std::string& track, const std::string& name, double at_us) {
  const int number = track_of(track);
  Json one = event("i", name, at_us, number);
  one["s"] = "t";  // Drawn on its track only.
  events_.push_back(std::move(one));
}

void TraceEvents::counter(const std::string& name, double at_us,
                          const std::vector<std::pair<std::string, double>>& values) {
  Json one = event("C", name, at_us, kNoTrack);
  one["args"] = Json::object();
  for (const auto& [series, value] : values)
    one["args"][series] = value;
  events_.push_back(std::move(one));
}

std::string TraceEvents::to_string() const {
  // One event per line. Names may contain invalid UTF-8, which JSON does not allow.
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  for (const Json& one : events_)
    text += (&one == &events_.front() ? "\n" : ",\n") +
            one.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text + "\n]}\n";
}

}  // namespace overlane::report
