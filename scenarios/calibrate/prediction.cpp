#include "scenarios/calibrate/prediction.h"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace overlane::calibrate {
namespace {

using model::TrafficKind;

/// Enough time for congestion windows to fill, and then for hundreds of transactions.
constexpr Picos kWarmUp = milliseconds(4);
constexpr Picos kDuration = milliseconds(14);
/// Which flows share a core depends on their ports: the mean of this many runs is used.
constexpr std::uint64_t kRunsOfManyFlows = 4;
constexpr Picos kStartSpread = microseconds(100);
/// Jitter is the latency divided by this: enough to desynchronise equal flows, too little to
/// matter.
constexpr std::int64_t kJitterShare = 20;
/// More than any sender reaches: its own costs, the NIC or the socket's buffer limit it.
constexpr BitsPerSecond kAsFastAsItCan{1'000'000'000'000};

}  // namespace

run::TrafficGroup traffic_of(const Trial& trial) {
  const MeasurementRow& row = *trial.row;
  return {.name = "row",
          .kind = row.kind,
          .pairs = {trial.hosts.pods},
          .flows_per_pair = row.flows,
          .rate = row.rate.value_or(kAsFastAsItCan),
          .payload_bytes = std::max(row.payload_bytes, 1u),
          .dont_fragment = false,
          .connections = row.connection_per_request ? run::Connections::PerRequest
                                                    : run::Connections::KeepAlive,
          .request_bytes = row.request_bytes,
          .response_bytes = row.response_bytes,
          .over_udp = row.over_udp};
}

namespace {

/// Each flow has one request at a time, so the rate is flows / latency.
double transactions_per_second(const MeasurementRow& row, const run::Measurement& measured) {
  const auto mean = static_cast<double>(measured.traffic.front().latency_ns.mean());
  return mean == 0 ? 0 : row.flows * 1e9 / mean;
}

double figure_of(Quantity quantity, const Trial& trial, const run::Measurement& measured) {
  const auto load = [&](std::size_t node) {
    return static_cast<double>(measured.node_busy_ppm[node]) / 1e6;
  };
  const auto per_transaction = [&](std::size_t node) {
    const double rate = transactions_per_second(*trial.row, measured);
    const double busy = load(node) * trial.hosts.network.machines[node].cores;
    return rate == 0 ? 0 : busy * 1e9 / rate;
  };
  switch (quantity) {
    case Quantity::Throughput:
      return static_cast<double>(measured.traffic.front().goodput_bps);
    case Quantity::Transactions:
      return transactions_per_second(*trial.row, measured);
    case Quantity::ClientCpu:
      return per_transaction(0);
    case Quantity::ServerCpu:
      return per_transaction(1);
    case Quantity::ClientLoad:
      return load(0);
    case Quantity::ServerLoad:
      return load(1);
  }
  return 0;
}

Parsed<Prediction> answer(const Question& question) {
  const Trial& trial = *question.trial;
  run::Network network = trial.hosts.network;
  network.costs = costs_under(*question.model, trial.row->kernel);
  network.paths.within_zone = question.model->latency;
  network.paths.jitter = question.model->latency / kJitterShare;
  const std::vector<Figure>& figures = trial.row->figures;
  const std::uint64_t runs = trial.row->flows == 1 ? 1 : kRunsOfManyFlows;
  Prediction prediction(figures.size());
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const auto measured = run::run(
        network, {traffic_of(trial)},
        {.duration = kDuration, .warm_up = kWarmUp, .seed = seed, .start_spread = kStartSpread});
    if (!measured) return fail(measured.error());
    if (measured->byte_path.mismatched > 0) {
      return fail("the byte path disagrees: " + measured->first_mismatch);
    }
    for (std::size_t f = 0; f < figures.size(); ++f)
      prediction[f] += figure_of(figures[f].quantity, trial, *measured) / static_cast<double>(runs);
  }
  return prediction;
}

}  // namespace

Parsed<std::vector<Trial>> make_trials(const MeasurementTable& table,
                                       bool (*wanted)(const MeasurementRow&)) {
  std::vector<Trial> trials;
  for (const MeasurementRow& row : table.rows) {
    if (!wanted(row)) continue;
    auto hosts = make_two_hosts(table, row);
    if (!hosts) return fail(fmt::format("{}: {}", row.place.to_string(), hosts.error()));
    trials.push_back({&row, *std::move(hosts)});
  }
  return trials;
}

Parsed<std::vector<Prediction>> predict(std::span<const Question> questions, std::uint32_t threads,
                                        const runner::TasksDone& progress) {
  std::vector<std::optional<Parsed<Prediction>>> answers(questions.size());
  runner::in_parallel(
      questions.size(), runner::thread_count(threads),
      [&](std::size_t i) { answers[i] = answer(questions[i]); }, progress);
  std::vector<Prediction> predictions;
  for (auto& answer : answers) {
    if (!*answer) return fail(std::move(answer->error()));
    predictions.push_back(**std::move(answer));
  }
  return predictions;
}

}  // namespace overlane::calibrate
