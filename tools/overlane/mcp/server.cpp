#include "tools/overlane/mcp/server.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/overlane/cli/output.h"
#include "tools/overlane/mcp/verb_process.h"

namespace overlane::mcp {
namespace {

using Clock = std::chrono::steady_clock;
using command::ExitCode;

/// Cuts a byte stream into lines. Drops lines that are too long.
class LineReader {
 public:
  explicit LineReader(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  struct Line {
    std::string text;
    bool is_too_long = false;  ///< `text` is empty.
  };

  /// Adds bytes and returns the lines that they complete.
  std::vector<Line> add(std::string_view bytes) {
    std::vector<Line> lines;
    for (std::size_t end = 0; (end = bytes.find('\n')) != bytes.npos;
         bytes.remove_prefix(end + 1)) {
      append(bytes.substr(0, end));
      lines.push_back(take());
    }
    append(bytes);
    return lines;
  }
  /// The line that the end of the stream ends, if any.
  std::optional<Line> finish() {
    if (line_.text.empty() && !line_.is_too_long) return std::nullopt;
    return take();
  }

 private:
  void append(std::string_view bytes) {
    if (line_.is_too_long) return;
    line_.text += bytes;
    if (line_.text.size() <= max_bytes_) return;
    line_ = {.text = {}, .is_too_long = true};
    line_.text.shrink_to_fit();
  }
  Line take() { return std::exchange(line_, {}); }

  std::size_t max_bytes_;
  Line line_;
};

ToolResult failed(std::string text) {
  return {.text = std::move(text), .document = {}, .is_error = true};
}

/// The result of a call that ended. A document without a clean end is passed on: a run that was
/// stopped at --max-events says so in it.
ToolResult result_of(VerbOutput output) {
  if (output.exit_code < 0)
    return failed(
        fmt::format("error: the call was ended by signal {} ({}); it may have needed too "
                    "much memory",
                    output.signal, ::strsignal(output.signal)));
  ToolResult result;
  const auto code = static_cast<ExitCode>(output.exit_code);
  if (!output.document.empty()) {
    auto document = parse_json(output.document);
    if (document && document->is_object()) result.document = *std::move(document);
  }
  const bool is_answer = code == ExitCode::Clean || code == ExitCode::Finding;
  result.is_error = !is_answer && !(code == ExitCode::RunFailed && result.document);
  result.text = std::move(result.is_error || output.text.empty() ? output.messages : output.text);
  if (result.text.empty()) result.text = std::move(output.text);
  if (is_answer && !result.document)
    return failed("internal error: the verb wrote no JSON document\n" + result.text);
  return result;
}

class Server {
 public:
  Server(Session& session, const ServerLimits& limits)
      : session_(session), limits_(limits), lines_(limits.max_message_bytes) {}

  ExitCode serve() {
    while (!client_left_ && !(at_end_ && running_.empty())) {
      wait();
      stop_late_calls();
      report_progress();
      end_calls();
    }
    if (write_error_ == 0 || write_error_ == EPIPE) return ExitCode::Clean;
    return command::end_with(ExitCode::RunFailed, fmt::format("cannot write to standard output: {}",
                                                              std::strerror(write_error_)));
  }

 private:
  struct Running {
    CallNumber number{};
    std::unique_ptr<VerbProcess> process;
    Clock::time_point begin;
    Clock::time_point next_progress;
  };
  struct Waiting {
    CallNumber number{};
    VerbCall call;
  };

  /// Waits for input, for a pipe of a call, or until a call is due, and reads what there is.
  void wait() {
    std::vector<pollfd> polled = {{at_end_ ? -1 : STDIN_FILENO, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
    for (const Running& call : running_)
      for (const int pipe : call.process->pipes())
        polled.push_back({pipe, POLLIN, 0});
    if (::poll(polled.data(), polled.size(), timeout()) < 0) return;  // A signal.
    auto at = polled.begin() + 2;
    for (const Running& call : running_)
      for (std::size_t pipe = 0; pipe < VerbProcess::kPipes; ++pipe)
        if ((at++)->revents != 0) call.process->read_from(pipe);
    if ((polled[1].revents & (POLLERR | POLLHUP)) != 0) client_left_ = true;
    if (polled[0].revents != 0) read_input();
  }

  Clock::time_point deadline(const Running& call) const { return call.begin + limits_.max_time; }

  /// Milliseconds until the first call has to be stopped or reports progress; -1 without one.
  int timeout() const {
    if (running_.empty()) return -1;
    auto first = Clock::time_point::max();
    for (const Running& call : running_)
      first = std::min({first, deadline(call), call.next_progress});
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }

  void read_input() {
    std::string bytes(std::size_t{64} << 10, '\0');
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count > 0) {
      bytes.resize(static_cast<std::size_t>(count));
      for (const LineReader::Line& line : lines_.add(bytes))
        take(line);
      return;
    }
    at_end_ = true;
    if (const auto line = lines_.finish()) take(*line);
  }

  void take(const LineReader::Line& line) {
    carry_out(line.is_too_long ? Session::take_too_long(limits_.max_message_bytes)
                               : session_.take(line.text));
  }

  void carry_out(Effects effects) {
    for (const std::string& line : effects.lines)
      write(line);
    for (const CallNumber number : effects.cancelled) {
      running_.remove_if([&](const Running& call) { return call.number == number; });
      std::erase_if(waiting_, [&](const Waiting& call) { return call.number == number; });
    }
    for (auto& [number, call] : effects.calls)
      waiting_.push_back({number, std::move(call)});
    start_calls();
  }

  void start_calls() {
    while (!waiting_.empty() && running_.size() < limits_.max_running) {
      const Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      try {
        const auto now = Clock::now();
        running_.push_back({next.number, std::make_unique<VerbProcess>(next.call), now,
                            now + limits_.progress_interval});
      } catch (const std::system_error& error) {
        carry_out(session_.finish(next.number, failed(fmt::format("error: the call cannot start: "
                                                                  "{}",
                                                                  error.what()))));
      }
    }
  }

  /// Stops calls that take too long or print too much.
  void stop_late_calls() {
    const auto now = Clock::now();
    for (auto call = running_.begin(); call != running_.end();) {
      std::string problem;
      if (now >= deadline(*call))
        problem = fmt::format(
            "error: the call was stopped after {} s; ask for fewer nodes, runs or repetitions, or "
            "start the server with a longer --max-time",
            limits_.max_time.count());
      else if (call->process->bytes() > limits_.max_result_bytes)
        problem = fmt::format(
            "error: the result has more than {} bytes; ask for fewer shoots, or one routing domain",
            limits_.max_result_bytes);
      if (problem.empty()) {
        ++call;
        continue;
      }
      const CallNumber number = call->number;
      call = running_.erase(call);
      finish(number, failed(std::move(problem)));
    }
  }

  void report_progress() {
    const auto now = Clock::now();
    for (Running& call : running_) {
      if (now < call.next_progress) continue;
      call.next_progress += limits_.progress_interval;
      const auto seconds = std::chrono::floor<std::chrono::seconds>(now - call.begin);
      for (const std::string& line : session_.report_progress(call.number, seconds.count()).lines)
        write(line);
    }
  }

  /// Answers the calls that ended.
  void end_calls() {
    for (auto call = running_.begin(); call != running_.end();) {
      if (!call->process->is_done()) {
        ++call;
        continue;
      }
      const CallNumber number = call->number;
      VerbOutput output = call->process->finish();
      call = running_.erase(call);
      finish(number, result_of(std::move(output)));
    }
  }

  /// New calls are added behind all running ones, so iterators stay valid.
  void finish(CallNumber number, ToolResult result) {
    carry_out(session_.finish(number, std::move(result)));
  }

  void write(std::string_view line) {
    while (!line.empty() && !client_left_) {
      const ssize_t count = ::write(STDOUT_FILENO, line.data(), line.size());
      if (count >= 0) {
        line.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno == EAGAIN) {
        pollfd output{STDOUT_FILENO, POLLOUT, 0};
        ::poll(&output, 1, -1);
      } else if (errno != EINTR) {
        write_error_ = errno;
        client_left_ = true;
      }
    }
  }

  Session& session_;
  ServerLimits limits_;
  LineReader lines_;
  std::list<Running> running_;
  std::deque<Waiting> waiting_;  ///< Empty while fewer than max_running run.
  bool at_end_ = false;
  bool client_left_ = false;
  int write_error_ = 0;
};

}  // namespace

ExitCode serve(Session& session, const ServerLimits& limits) {
  std::signal(SIGPIPE, SIG_IGN);  // A failed write tells that the client left.
  return Server(session, limits).serve();
}

}  // namespace overlane::mcp
