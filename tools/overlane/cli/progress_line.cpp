#include "tools/overlane/cli/progress_line.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "tools/overlane/cli/output.h"

namespace overlane::command {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr auto kInterval = std::chrono::milliseconds(250);

double simulated_seconds(Picos time) {
  return static_cast<double>(time.count) / 1e12;
}

/// "17 s", "3 min 20 s", "2 h 05 min": rounded like an estimate.
std::string left_text(double left) {
  const auto whole = static_cast<std::int64_t>(left + 0.5);
  if (whole <= 1) return "1 s";
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

/// Simulated seconds per second of wall time.
std::string pace_text(double pace) {
  return pace < 100 ? fmt::format("{:.3g} s/s", pace) : fmt::format("{:.0f} s/s", pace);
}

/// Writes a line. Names may be truncated inside a UTF-8 character; the rest is ASCII.
void write_line(std::string text) {
  text.resize(std::min(text.size(), report::terminal_width(STDERR_FILENO) - 1));
  print_aside("\r\x1b[K" + text);
  std::fflush(stderr);
}

void write_until(const std::stop_token& stop, const std::function<std::string()>& text) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  const auto nothing_new = [] { return false; };
  bool written = false;
  woken.wait_for(lock, stop, kPatience, nothing_new);
  while (!stop.stop_requested()) {
    write_line(text());
    written = true;
    woken.wait_for(lock, stop, kInterval, nothing_new);
  }
  if (written) write_line("");
}

}  // namespace

std::string progress_text(const runner::Progress::View& view) {
  if (view.runs == 0) return "";
  const double simulated = simulated_seconds(view.simulated);
  const double all = simulated_seconds(view.duration);
  std::string text = fmt::format("{:.0f} % of {:.3f} s", 100 * simulated / all, all);
  if (view.left) text += fmt::format(", about {} left", left_text(*view.left));
  text += fmt::format("; {} of {} runs", view.done, view.runs);
  if (view.seconds > 0) {
    const double packets = static_cast<double>(view.packets) / view.seconds;
    text += fmt::format("; {}, {} packets/s", pace_text(simulated / view.seconds),
                        report::count_text(static_cast<std::int64_t>(packets)));
  }
  if (!view.busy.empty()) text += fmt::format("; {}", fmt::join(view.busy, ", "));
  return text;
}

std::string forecast_text(const runner::Forecast& forecast) {
  constexpr double kFastest = 4e6;  // Packets per second and thread.
  constexpr double kSlowest = 5e5;
  return fmt::format(
      "about {:.0f} million packets in {} run{}, with {:.2g} GB of memory; this takes "
      "{} to {} on {} thread{}",
      forecast.packets / 1e6, forecast.runs, forecast.runs == 1 ? "" : "s",
      static_cast<double>(forecast.memory.count) / 1e9,
      left_text(forecast.packets / kFastest / forecast.threads),
      left_text(forecast.packets / kSlowest / forecast.threads), forecast.threads,
      forecast.threads == 1 ? "" : "s");
}

ProgressLine::ProgressLine(const runner::Progress& progress, bool shown) {
  if (!shown) return;
  writer_ = std::jthread([&progress](const std::stop_token& stop) {
    write_until(stop, [&progress] { return progress_text(progress.look()); });
  });
}

std::string steps_text(const StepsView& view) {
  if (view.what.empty()) return "";
  if (view.count == 0) return fmt::format("{}, {} so far", view.what, left_text(view.seconds));
  std::string text = fmt::format(
      "{}: {:.0f} % ({} of {}{} {})", view.what,
      100 * static_cast<double>(view.done) / static_cast<double>(view.count),
      report::count_text(static_cast<std::int64_t>(view.done)), view.is_estimate ? "about " : "",
      report::count_text(static_cast<std::int64_t>(view.count)), view.unit);
  if (view.done > 0 && view.done < view.count)
    text += fmt::format(", about {} left",
                        left_text(view.seconds * static_cast<double>(view.count - view.done) /
                                  static_cast<double>(view.done)));
  return text;
}

StepsLine::StepsLine(bool shown) {
  if (!shown) return;
  writer_ = std::jthread([this](const std::stop_token& stop) {
    write_until(stop, [this] { return steps_text(look()); });
  });
}

// The writer must end before the members that it reads are destroyed.
StepsLine::~StepsLine() {
  writer_ = {};
}

void StepsLine::begin(std::string what, std::string unit, bool is_estimate) {
  const std::scoped_lock lock(mutex_);
  view_ = {.what = std::move(what), .unit = std::move(unit), .is_estimate = is_estimate};
  began_ = Clock::now();
}

void StepsLine::advance(std::size_t done, std::size_t count) {
  const std::scoped_lock lock(mutex_);
  view_.done = std::max(view_.done, done);  // Calls of different threads may arrive out of order.
  view_.count = count;
}

StepsView StepsLine::look() const {
  const std::scoped_lock lock(mutex_);
  StepsView view = view_;
  view.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  return view;
}

void StatusLine::show(const std::string& text) const {
  if (shown_) print_aside("\r\x1b[K" + text);
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace overlane::command
