#include "scenarios/calibrate/uncertainty.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

namespace overlane::calibrate {

namespace {

constexpr std::array<double, kQuantities> kModelErrors = {0.05, 0.03, 0.07, 0.07, 0.20, 0.20};
constexpr std::array<double, kQuantities> kUnfittedErrors = {0.06, 0.08, 0.09, 0.09, 0.20, 0.20};
constexpr double kNewPathError = 0.12;

double normal_distribution(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

/// The value below which `share` of a mixture of normal distributions lies: one around each of
/// `centres`, all with standard deviation `width`.
double quantile(std::span<const double> centres, double width, double share) {
  double low = std::ranges::min(centres) - 10 * width,
         high = std::ranges::max(centres) + 10 * width;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    double below = 0;
    for (const double centre : centres)
      below += normal_distribution((middle - centre) / width);
    (below < share * static_cast<double>(centres.size()) ? low : high) = middle;
  }
  return low;
}

/// A host that delivers nothing counts as one that delivers this.
constexpr double kNothing = 1e-3;

Interval interval_around(double predicted, std::vector<double> drawn, double error) {
  for (double& figure : drawn)
    figure = std::log(std::max(figure, kNothing));
  std::ranges::sort(drawn);
  const double median = (drawn[(drawn.size() - 1) / 2] + drawn[drawn.size() / 2]) / 2;
  return {predicted * std::exp(quantile(drawn, error, 0.1) - median),
          predicted * std::exp(quantile(drawn, error, 0.9) - median)};
}

/// Logarithms of the parameters of kDraws hosts. Each second host mirrors the one before, so that
/// their mean is the model.
std::vector<std::vector<double>> draw_logarithms(const Knowledge& knowledge) {
  const auto count = static_cast<Eigen::Index>(knowledge.parameters.size());
  const Eigen::Map<const Eigen::MatrixXd> covariance(knowledge.covariance.data(), count, count);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
  const Eigen::MatrixXd root =
      solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  std::mt19937_64 random;  // Default seed: results are reproducible.
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  std::vector<std::vector<double>> hosts;
  while (hosts.size() < kDraws) {
    Eigen::VectorXd normal(count);
    for (double& value : normal)  // Box and Muller, 1958.
      value = std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
    const Eigen::VectorXd host = root * normal;
    hosts.emplace_back(host.begin(), host.end());
    const Eigen::VectorXd mirrored = -host;
    hosts.emplace_back(mirrored.begin(), mirrored.end());
  }
  return hosts;
}

}  // namespace

double model_error(Quantity quantity) {
  return kModelErrors[static_cast<std::size_t>(quantity)];
}

double unfitted_error(Quantity quantity) {
  return kUnfittedErrors[static_cast<std::size_t>(quantity)];
}

double new_path_error(Quantity quantity) {
  return std::hypot(unfitted_error(quantity), kNewPathError);
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

Knowledge Knowledge::of_profile(std::vector<Parameter> parameters,
                                std::span<const Constant> determined) {
  Knowledge knowledge = prior(std::move(parameters));
  const std::size_t count = knowledge.parameters.size();
  const auto set_width = [&](Parameter parameter, double width) {
    const auto found = std::ranges::find(knowledge.parameters, parameter);
    if (found == knowledge.parameters.end()) return;
    const auto i = static_cast<std::size_t>(found - knowledge.parameters.begin());
    knowledge.covariance[i * count + i] = width * width;
  };
  for (const Constant constant : determined) {
    set_width(Parameter::of(constant), kDeterminedWidth);
    if (const auto cost_class = class_of(constant)) set_width(Parameter::of(*cost_class), 0);
  }
  return knowledge;
}

Parsed<std::vector<DrawnFigures>> draw_figures(const MeasurementTable& table,
                                               std::span<const Trial> trials,
                                               const HostModel& model, const Knowledge& knowledge,
                                               std::uint32_t threads) {
  const HostParameters parameters(table, model, kernels_of(table, Use::Fit));
  std::vector<HostModel> hosts;
  for (const std::vector<double>& logarithms : draw_logarithms(knowledge))
    hosts.push_back(parameters.model(knowledge.parameters, logarithms));
  std::vector<PredictionRequest> requests;
  for (const Trial& trial : trials)
    for (std::size_t h = 0; h < hosts.size(); ++h)
      requests.push_back({&trial, &hosts[h], h + 1});
  const auto predictions = predict(requests, threads);
  if (!predictions) return fail(predictions.error());
  std::vector<DrawnFigures> drawn;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    DrawnFigures& figures = drawn.emplace_back(trials[t].row->figures.size());
    for (std::size_t h = 0; h < hosts.size(); ++h)
      for (std::size_t f = 0; f < figures.size(); ++f)
        figures[f].push_back((*predictions)[t * hosts.size() + h][f]);
  }
  return drawn;
}

Interval interval_of(double predicted, std::span<const double> drawn, double error) {
  return interval_around(predicted, {drawn.begin(), drawn.end()}, error);
}

Interval interval_of_ratio(double predicted, std::span<const double> drawn,
                           std::span<const double> baseline, double error) {
  std::vector<double> ratios;
  for (std::size_t h = 0; h < drawn.size(); ++h)
    ratios.push_back(std::max(drawn[h], kNothing) / std::max(baseline[h], kNothing));
  return interval_around(predicted, std::move(ratios), error);
}

}  // namespace overlane::calibrate
