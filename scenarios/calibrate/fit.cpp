#include "scenarios/calibrate/fit.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <unsupported/Eigen/LevenbergMarquardt>
#include <utility>

#include "scenarios/calibrate/fit_problem.h"

namespace overlane::calibrate {
namespace {

using Eigen::Index;

/// The search ends at a relative step or gain of this size.
constexpr double kTolerance = 1e-3;
/// Searches that converge take up to 40 evaluations; a search that is cut short may end in the
/// wrong valley.
constexpr Index kMaxEvaluations = 100;
/// A constant is identified if the rows reduce its uncertainty below this share of the prior's.
constexpr double kNarrowed = 0.9;
/// How far from the prior further searches begin at most: a factor of three.
constexpr double kAside = 1.1;
constexpr std::size_t kRandomStarts = 8;
constexpr int kDigits = 3;

std::span<const double> view(const Eigen::VectorXd& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

/// The problem in the form that Eigen's Levenberg-Marquardt requires.
class Functor : public Eigen::DenseFunctor<double> {
 public:
  Functor(const FitProblem& problem, const std::vector<Unknown>& unknowns)
      : DenseFunctor(static_cast<int>(unknowns.size()),
                     static_cast<int>(problem.residual_count(unknowns.size()))),
        problem_(problem),
        unknowns_(unknowns) {}

  int operator()(const InputType& x, ValueType& values) const {
    const auto residuals = problem_.residuals(unknowns_, view(x));
    if (!residuals) return refuse(residuals.error());
    values =
        Eigen::Map<const Eigen::VectorXd>(residuals->data(), static_cast<Index>(residuals->size()));
    return 0;
  }
  int df(const InputType& x, JacobianType& jacobian) const {
    const auto slopes = problem_.slopes(unknowns_, view(x));
    if (!slopes) return refuse(slopes.error());
    for (std::size_t u = 0; u < slopes->size(); ++u) {
      const std::vector<double>& slope = (*slopes)[u];
      jacobian.col(static_cast<Index>(u)) =
          Eigen::Map<const Eigen::VectorXd>(slope.data(), static_cast<Index>(slope.size()));
    }
    return 0;
  }
  const std::optional<std::string>& failure() const { return failure_; }

 private:
  int refuse(const std::string& why) const {
    failure_ = why;
    return -1;
  }

  const FitProblem& problem_;
  const std::vector<Unknown>& unknowns_;
  mutable std::optional<std::string> failure_;  ///< Eigen's callbacks cannot return it.
};

Index count(const std::vector<Unknown>& unknowns) {
  return static_cast<Index>(unknowns.size());
}

/// The result of least squares, for the unknowns given.
struct Solution {
  Eigen::VectorXd logarithms;
  Eigen::VectorXd uncertainty;
  double misfit = 0;  ///< Sum of squares of all residuals.
  int rounds = 0;
};

Parsed<Solution> solve(const FitProblem& problem, const std::vector<Unknown>& unknowns,
                       Eigen::VectorXd start) {
  if (unknowns.empty()) return Solution{};
  Functor functor(problem, unknowns);
  Eigen::LevenbergMarquardt<Functor> search(functor);
  search.setXtol(kTolerance);
  search.setFtol(kTolerance);
  search.setMaxfev(kMaxEvaluations);
  search.minimize(start);
  if (functor.failure()) return fail(*functor.failure());
  Eigen::MatrixXd jacobian(functor.values(), functor.inputs());
  if (functor.df(start, jacobian) != 0) return fail(*functor.failure());
  const Eigen::MatrixXd information = jacobian.transpose() * jacobian;
  const Eigen::MatrixXd covariance =
      information.ldlt().solve(Eigen::MatrixXd::Identity(information.rows(), information.cols()));
  return Solution{std::move(start), covariance.diagonal().cwiseSqrt(), search.fvec().squaredNorm(),
                  static_cast<int>(search.iterations())};
}

/// Starts of searches: the prior; either side's copying costs more, because whether the sender's
/// core or the receiver's limits a stream is a ridge between two valleys; and random ones.
std::vector<Eigen::VectorXd> starts(const std::vector<Unknown>& unknowns) {
  std::vector<Eigen::VectorXd> all(3 + kRandomStarts, Eigen::VectorXd::Zero(count(unknowns)));
  for (Index i = 0; i < count(unknowns); ++i) {
    const std::size_t constant = unknowns[static_cast<std::size_t>(i)].constant;
    if (constant == static_cast<std::size_t>(Constant::CopySend)) all[1][i] = kAside;
    if (constant == static_cast<std::size_t>(Constant::CopyReceive)) all[2][i] = kAside;
  }
  std::mt19937_64 random;  // The same numbers for every table.
  for (std::size_t start = 3; start < all.size(); ++start)
    for (double& logarithm : all[start])
      logarithm = kAside * (static_cast<double>(random()) * 0x1p-63 - 1);
  return all;
}

/// Least squares finds the nearest valley only. While figures are off by more than can be expected,
/// the next start is tried.
Parsed<Solution> solve_from_several_starts(const FitProblem& problem,
                                           const std::vector<Unknown>& all) {
  const auto expected = static_cast<double>(problem.residual_count(all.size()) - all.size());
  Parsed<Solution> best = Solution{.misfit = std::numeric_limits<double>::infinity()};
  for (Eigen::VectorXd& start : starts(all)) {
    auto solution = solve(problem, all, std::move(start));
    if (!solution) return solution;
    if (solution->misfit < best->misfit) best = std::move(solution);
    if (best->misfit <= expected) break;
  }
  return best;
}

Found& found(Fit& fit, Unknown unknown) {
  return unknown.constant < kConstantCount ? fit.constants[unknown.constant]
                                           : fit.kernel_scales[unknown.constant - kConstantCount];
}

bool is_identified(const Solution& solution, Index i) {
  return solution.uncertainty[i] < kNarrowed * kPriorUncertainty;
}

double rounded(double value) {
  if (value == 0) return 0;
  const double magnitude = std::pow(10, kDigits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * magnitude) / magnitude;
}

Picos rounded(Picos time) {
  return picoseconds(std::llround(rounded(static_cast<double>(time.count))));
}

void round_all(HostModel& model) {
  for (cost::StageCost& stage : model.costs.stages)
    stage = {rounded(stage.per_skb), rounded(stage.per_packet), rounded(stage.per_byte)};
  model.latency = rounded(model.latency);
  for (auto& [kernel, scale] : model.kernels)
    scale = rounded(scale);
}

}  // namespace

Parsed<Fit> fit(const MeasurementTable& table, const HostModel& prior, std::uint32_t threads,
                const runner::TasksDone& progress) {
  const auto problem = FitProblem::make(table, prior, threads, progress);
  if (!problem) return fail(problem.error());
  const std::vector<Unknown> all = problem->unknowns();
  const auto first = solve_from_several_starts(*problem, all);
  if (!first) return fail(first.error());

  Fit fit;
  fit.kernels = problem->kernels();
  fit.kernel_scales.resize(fit.kernels.size());
  std::vector<Unknown> identified;
  Eigen::VectorXd start(count(all));
  for (Index i = 0; i < count(all); ++i) {
    const Unknown unknown = all[static_cast<std::size_t>(i)];
    found(fit, unknown).uncertainty = first->uncertainty[i];
    if (!is_identified(*first, i)) continue;
    start[count(identified)] = first->logarithms[i];
    identified.push_back(unknown);
  }
  start.conservativeResize(count(identified));
  const auto second = solve(*problem, identified, start);
  if (!second) return fail(second.error());
  for (Index i = 0; i < count(identified); ++i) {
    found(fit, identified[static_cast<std::size_t>(i)]) = {std::exp(second->logarithms[i]),
                                                           second->uncertainty[i], true};
  }
  fit.model = problem->model(identified, view(second->logarithms));
  round_all(fit.model);
  fit.rounds = first->rounds + second->rounds;
  return fit;
}

}  // namespace overlane::calibrate
