#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/fastpath/testing/echo.h"
#include "tools/fastpath/testing/program.h"
#include "tools/fastpath/testing/recorder.h"
#include "tools/fastpath/testing/testbed.h"

namespace overlane::fastpath {

/// The reason why live tests cannot run on this machine; empty if they can.
std::string why_not_live();

/// A folder for a test's files. If the test fails, the folder is kept and its path is printed.
class TestFolder {
 public:
  TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A fast path on taps between a pod and the far side; both links are captured. The members are
/// valid after begin().
class Live : public ::testing::Test {
 protected:
  void SetUp() override;

  /// Starts everything, with an Echo in each pod.
  void begin(const Layout& layout);
  void begin_near(const Layout& layout);
  void begin_far(const Layout& layout);
  /// Starts the fast path on its taps once both wires exist. `input`: the shoot and variant.
  void start_fast_path(const std::string& input);
  /// Starts the fast path by `start`, which runs it in NearSide::middle.
  void start_fast_path(const std::function<Parsed<Program>()>& start);

  /// Sends datagrams with DF until the sender's kernel, which assumes the path MTU `before`, has
  /// learned `mtu`. Then a datagram of that size passes, and a larger one is refused locally.
  static void expect_learns(const kernel::NetworkNamespace& from, const std::string& to,
                            std::uint32_t before, std::uint32_t mtu);
  /// Sends a frame that is addressed to the node itself to the fast path's uplink, and waits until
  /// it is counted.
  void tell_fast_path(std::span<const std::uint8_t> frame);

  /// Stops the fast path and checks: exit code 0 (all buffers are freed), every frame counted once,
  /// every sent packet valid. Returns the last report. `queues`: receive queues per port.
  nlohmann::json finish(std::size_t queues = 1);

  TestFolder folder;
  std::optional<NearSide> near;
  std::optional<FarSide> far;
  std::unique_ptr<Recorder> recorder;
  std::optional<Program> fast_path;
  std::unique_ptr<Echo> near_echo;
  std::unique_ptr<Echo> far_echo;
};

/// Indexes of the wires in Recorder.
inline constexpr std::size_t kPodWire = 0;
inline constexpr std::size_t kUplinkWire = 1;

/// Options of the fast path in all tests.
inline constexpr const char* kDefaultOptions = "--no-hugepages --memory 256 --idle 50";

/// Arguments for the shoot, as a variant of the built-in comparison.
std::string input_of(const Layout& layout);

/// Expects that every frame is counted in exactly one class.
void expect_all_counted(const nlohmann::json& report, std::size_t queues = 1);

/// Repeats a round in a separate thread until it is stopped or fails.
class Flow {
 public:
  /// `round` returns the error, or an empty text.
  explicit Flow(std::function<std::string()> round)
      : thread_([this, round = std::move(round)](const std::stop_token& stop) {
          while (!stop.stop_requested() && wrong_.empty()) {
            wrong_ = round();
            ++rounds_;
          }
        }) {}

  /// Number of completed rounds.
  std::uint64_t rounds() const { return rounds_; }
  /// Waits for the last round; returns the error, or an empty text.
  std::string end() {
    thread_.request_stop();
    thread_.join();
    return wrong_;
  }

 private:
  std::atomic<std::uint64_t> rounds_ = 0;
  std::string wrong_;
  std::jthread thread_;
};

}  // namespace overlane::fastpath
