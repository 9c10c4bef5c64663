#include "dataplane/kernel/traffic/other_program.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"

namespace overlane::kernel {
namespace {

using Words = std::vector<std::string>;

/// Time until a server listens.
constexpr std::chrono::milliseconds kStart{500};
/// Time after the client's end at which a server is killed.
constexpr std::chrono::seconds kGrace{3};
/// Duration that iperf3 does not count.
constexpr std::chrono::seconds kWarmUp{1};
/// Minimum message size of sockperf, the size of its header (MIN_PAYLOAD_SIZE).
constexpr std::uint32_t kMinSockperfBytes = 14;

/// The line that contains an error, or else the last non-empty line.
std::string telling_line(const std::string& printed) {
  constexpr std::size_t kMax = 100;
  std::istringstream lines(printed);
  std::string told;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    told = line.substr(0, kMax);
    if (line.find("rror") != std::string::npos || line.find("ERROR") != std::string::npos) break;
  }
  return told;
}

std::string not_understood(const std::string& program, const std::string& printed) {
  return fmt::format("{} printed \"{}\", which is not understood", program, telling_line(printed));
}

/// Runs a program in the namespace and on the processor of a flow's end.
Parsed<std::string> run_at(const FlowEnd& end, const Words& words) {
  Parsed<std::string> printed = fail(std::string("not run"));
  std::thread([&] {
    const Inside inside(*end.place);
    if (end.cpu >= 0) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(static_cast<unsigned>(end.cpu), &set);
      pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    }
    auto ended = run_program(words, "");
    if (ended)
      printed = std::move(ended->output);
    else
      printed = fail(std::move(ended.error()));
  }).join();
  return printed;
}

/// Name and version of a program: "iperf3 3.12" from "iperf 3.12 (cJSON 1.7.15)", where `before` is
/// "iperf ". Nothing if the program is not installed.
std::optional<std::string> with_version(const std::string& program, std::string_view before) {
  const auto printed = run_program({program, "--version"}, "");
  if (!printed || printed->code == 127) return std::nullopt;
  const std::size_t start = printed->output.find(before);
  if (start == std::string::npos) return program;
  const std::size_t number = start + before.size();
  const std::size_t end = printed->output.find_first_not_of("0123456789.", number);
  return program + " " + printed->output.substr(number, end - number);
}

/// Runs a server and a client together and returns the client's output.
Parsed<std::string> run_both(const FlowEnd& server, Words server_words, const FlowEnd& client,
                             const Words& client_words, std::chrono::seconds time) {
  server_words.insert(server_words.begin(),
                      {"timeout", std::to_string((time + kWarmUp + kGrace).count())});
  // An error of the server also causes an error of the client.
  std::thread serves([&] { static_cast<void>(run_at(server, server_words)); });
  std::this_thread::sleep_for(kStart);
  auto printed = run_at(client, client_words);
  serves.join();
  return printed;
}

}  // namespace

Parsed<std::int64_t> goodput_of_iperf3(const std::string& printed) {
  const auto json = nlohmann::json::parse(printed, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_string())
    return fail("iperf3: " + json["error"].get<std::string>());
  const nlohmann::json::json_pointer rate("/end/sum_received/bits_per_second");
  if (!json.is_object() || !json.contains(rate) || !json[rate].is_number())
    return fail(not_understood("iperf3", printed));
  return std::llround(json[rate].get<double>());
}

Parsed<std::int64_t> round_trip_of_sockperf(const std::string& printed) {
  constexpr std::string_view kMedian = "percentile 50.000 =";
  const std::size_t at = printed.find(kMedian);
  if (at == std::string::npos) return fail(not_understood("sockperf", printed));
  const std::size_t number = printed.find_first_not_of(' ', at + kMedian.size());
  double one_way_us = 0;
  if (number != std::string::npos)
    std::from_chars(printed.data() + number, printed.data() + printed.size(), one_way_us);
  if (one_way_us <= 0) return fail(not_understood("sockperf", printed));
  return std::llround(one_way_us * 2 * 1000);  // sockperf reports half of the round trip.
}

Parsed<OtherFigure> measure_with_other_program(const FlowLoad& load, std::uint32_t streams,
                                               const FlowEnd& client, const FlowEnd& server,
                                               std::uint16_t port, std::chrono::seconds time) {
  const std::string at = server.address.to_string(), number = std::to_string(port);
  const std::string seconds = std::to_string(time.count());
  if (load.kind == FlowKind::Stream) {
    const auto version = with_version("iperf3", "iperf ");
    if (!version) return fail("iperf3 is not installed");
    Words send = {"iperf3",
                  "--client",
                  at,
                  "--port",
                  number,
                  "--time",
                  seconds,
                  "--omit",
                  std::to_string(kWarmUp.count()),
                  "--parallel",
                  std::to_string(streams),
                  "--json"};
    if (!load.congestion_control.empty())
      send.insert(send.end(), {"--congestion", load.congestion_control});
    const auto printed =
        run_both(server, {"iperf3", "--server", "--one-off", "--bind", at, "--port", number},
                 client, send, time);
    if (!printed) return fail(printed.error());
    const auto value = goodput_of_iperf3(*printed);
    if (!value) return fail(value.error());
    return OtherFigure{*version, *value};
  }
  const bool in_kind =
      load.request_bytes == load.response_bytes && load.request_bytes >= kMinSockperfBytes;
  const bool closed = load.per_second == 0 && load.think_time.count() == 0;
  if (load.kind != FlowKind::Requests || streams != 1 || !in_kind || !closed ||
      load.connection_each)
    return fail("neither iperf3 nor sockperf sends such traffic");
  const auto version = with_version("sockperf", "sockperf, version ");
  if (!version) return fail("sockperf is not installed");
  Words serve = {"sockperf", "server", "-i", at, "-p", number};
  Words ask = {"sockperf", "ping-pong", "-i",    at,   "-p",
               number,     "-t",        seconds, "-m", std::to_string(load.request_bytes)};
  if (!load.over_udp)
    for (Words* words : {&serve, &ask})
      words->push_back("--tcp");
  const auto printed = run_both(server, serve, client, ask, time);
  if (!printed) return fail(printed.error());
  const auto value = round_trip_of_sockperf(*printed);
  if (!value) return fail(value.error());
  return OtherFigure{*version, *value};
}

}  // namespace overlane::kernel
