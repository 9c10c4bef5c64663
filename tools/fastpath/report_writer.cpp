#include "tools/fastpath/report_writer.h"

#include <utility>

namespace overlane::fastpath {

ReportWriter::ReportWriter(const std::string& file)
    : stream_(file), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ReportWriter::offer(std::string report) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_ = std::move(report);
  }
  changed_.notify_one();
}

void ReportWriter::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  // After a stop, runs once more if a report is pending.
  while (changed_.wait(lock, stop, [this] { return waiting_.has_value(); })) {
    const std::string report = *std::exchange(waiting_, std::nullopt);
    lock.unlock();
    stream_.write(report);
    stream_.flush();
    lock.lock();
  }
}

command::ExitCode ReportWriter::finish(const std::string& last) {
  thread_.request_stop();
  thread_.join();
  stream_.write(last);
  return stream_.finish();
}

}  // namespace overlane::fastpath
