#include "scenarios/calibrate/uncertainty.h"

#include <array>
#include <cassert>
#include <cmath>
#include <utility>

namespace overlane::calibrate {

namespace {

constexpr std::array<double, kQuantities> kModelErrors = {0.05, 0.03, 0.07, 0.07, 0.20, 0.20};

/// The normal distribution holds 80 % within this many standard deviations.
constexpr double kEightyPercent = 1.2816;

Interval around(double predicted, double variance) {
  const double factor = std::exp(kEightyPercent * std::sqrt(variance));
  return {predicted / factor, predicted * factor};
}

}  // namespace

double model_error(Quantity quantity) {
  return kModelErrors[static_cast<std::size_t>(quantity)];
}

Knowledge Knowledge::prior(std::vector<Parameter> parameters) {
  const std::size_t count = parameters.size();
  Knowledge knowledge{std::move(parameters), std::vector<double>(count * count)};
  for (std::size_t i = 0; i < count; ++i) {
    const double width = HostParameters::prior_width(knowledge.parameters[i]);
    knowledge.covariance[i * count + i] = width * width;
  }
  return knowledge;
}

double Knowledge::variance(std::span<const double> gradient) const {
  assert(gradient.size() == parameters.size());
  double sum = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i)
    for (std::size_t j = 0; j < gradient.size(); ++j)
      sum += gradient[i] * covariance[i * gradient.size() + j] * gradient[j];
  return sum;
}

Parsed<std::vector<Sensitivities>> sensitivities(const MeasurementTable& table,
                                                 std::span<const Trial> trials,
                                                 const HostModel& model,
                                                 std::span<const Parameter> parameters,
                                                 std::uint32_t threads) {
  const HostParameters hosts(table, model, kernels_of(table, Use::Fit));
  std::vector<HostModel> models;  // Two per parameter: below and above.
  for (const Parameter& parameter : parameters)
    for (const double step : {-kHalfStep, kHalfStep})
      models.push_back(hosts.model(std::span(&parameter, 1), std::span(&step, 1)));
  std::vector<PredictionRequest> requests;
  for (const Trial& trial : trials)
    for (std::size_t p = 0; p < parameters.size(); ++p)
      if (hosts.affects(parameters[p], *trial.row))
        for (const std::size_t m : {2 * p, 2 * p + 1})
          requests.push_back({&trial, &models[m]});
  const auto answers = predict(requests, threads);
  if (!answers) return fail(answers.error());

  std::vector<Sensitivities> all;
  std::size_t next = 0;
  for (const Trial& trial : trials) {
    Sensitivities& row = all.emplace_back();
    row.gradients.assign(trial.row->figures.size(), std::vector<double>(parameters.size()));
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (!hosts.affects(parameters[p], *trial.row)) continue;
      const Prediction &below = (*answers)[next], &above = (*answers)[next + 1];
      next += 2;
      for (std::size_t f = 0; f < below.size(); ++f)
        if (below[f] > 0 && above[f] > 0)
          row.gradients[f][p] = std::log(above[f] / below[f]) / (2 * kHalfStep);
    }
  }
  return all;
}

Interval interval_of(double predicted, Quantity quantity, std::span<const double> gradient,
                     const Knowledge& knowledge) {
  const double error = model_error(quantity);
  return around(predicted, knowledge.variance(gradient) + error * error);
}

Interval interval_of_ratio(double predicted, Quantity quantity, std::span<const double> gradient,
                           std::span<const double> baseline, const Knowledge& knowledge) {
  std::vector<double> difference(gradient.begin(), gradient.end());
  for (std::size_t i = 0; i < difference.size(); ++i)
    difference[i] -= baseline[i];
  const double error = model_error(quantity);
  return around(predicted, knowledge.variance(difference) + 2 * error * error);
}

}  // namespace overlane::calibrate
