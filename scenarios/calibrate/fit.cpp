#include "scenarios/calibrate/fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <unsupported/Eigen/LevenbergMarquardt>
#include <utility>

namespace overlane::calibrate {

namespace {

/// Logarithmic error of a row that delivers nothing.
constexpr double kHopeless = 10;

/// Ratio of the sender's to the receiver's copying time per byte on one machine, where the receiver
/// copies from caches that the sender has just filled, and the uncertainty of its logarithm.
/// Measured with perf (_copy_from_iter over _copy_to_iter) between namespaces of a virtual machine
/// with Linux 6.18. Without this ratio, a table whose streams are limited by one side would not
/// determine the copying of the other side.
constexpr double kCopyRatio = 2.3;
constexpr double kCopiesDiffer = 0.2;

/// Expected error of a ratio, as a share of its bound.
constexpr double kShareOfBound = 0.3;

/// Rounds that a fit usually takes, all searches together: 14 for the table xeon-10g.
constexpr std::size_t kExpectedRounds = 14;

double residual(const Figure& figure, double predicted) {
  const double off = predicted > 0 ? std::log(predicted / figure.value) : -kHopeless;
  return off / model_error(figure.quantity);
}

bool to_fit(const MeasurementRow& row) {
  return row.use == Use::Fit;
}

}  // namespace

Parsed<FitProblem> FitProblem::make(const MeasurementTable& table, const HostModel& prior,
                                    std::uint32_t threads, const runner::TasksDone& progress) {
  FitProblem problem(table, prior, threads, progress);
  auto trials = make_trials(table, &to_fit);
  if (!trials) return fail(trials.error());
  problem.trials_ = *std::move(trials);
  problem.is_steady_.resize(problem.trials_.size(), true);
  for (const Trial& trial : problem.trials_)
    problem.figures_ += trial.row->figures.size();
  const auto trial_of = [&](std::size_t row) {
    return static_cast<std::size_t>(
        std::ranges::find(problem.trials_, &table.rows[row], &Trial::row) -
        problem.trials_.begin());
  };
  for (const RatioRows& rows : ratio_rows(table)) {
    const std::size_t mine = trial_of(rows.row), other = trial_of(rows.baseline);
    if (std::max(mine, other) == problem.trials_.size()) continue;  // A row is not fitted.
    const double measured = table.rows[rows.row].figures.front().value /
                            table.rows[rows.baseline].figures.front().value;
    problem.ratios_.push_back({mine, other, measured, rows.within});
  }
  return problem;
}

Parsed<bool> FitProblem::settle(const HostModel& model) {
  const auto predictions = predict_steady(trials_, model, threads_);
  if (!predictions) return fail(predictions.error());
  bool changes = false;
  for (std::size_t t = 0; t < trials_.size(); ++t) {
    const SteadyPrediction& prediction = (*predictions)[t];
    // A span that was needed for an earlier model stays, so that the spans come to rest.
    const std::size_t span = std::max(trials_[t].span, prediction.span);
    changes |= std::exchange(trials_[t].span, span) != span;
    changes |= is_steady_[t] != prediction.is_steady;
    is_steady_[t] = prediction.is_steady;
  }
  return changes;
}

FitProblem::Copies FitProblem::copies(std::span<const Parameter> unknowns) {
  const auto position = [&](Constant constant) {
    return static_cast<std::size_t>(std::ranges::find(unknowns, Parameter::of(constant)) -
                                    unknowns.begin());
  };
  const std::array both = {position(Constant::CopySend), position(Constant::CopyReceive)};
  if (std::ranges::max(both) == unknowns.size()) return std::nullopt;
  return both;
}

// The number of rounds is known only at the end, so the reported total is an estimate.
Parsed<std::vector<Prediction>> FitProblem::predict_all(
    std::span<const PredictionRequest> requests) const {
  round_ = std::max(round_, requests.size());
  const std::size_t before = std::exchange(simulated_, simulated_ + requests.size());
  if (!progress_) return predict(requests, threads_);
  const std::size_t whole = std::max(kExpectedRounds * round_, simulated_ + round_);
  return predict(requests, threads_, [this, before, whole](std::size_t done, std::size_t) {
    progress_(before + done, whole);
  });
}

/// The residuals of all trials: figures, then ratios.
std::vector<double> FitProblem::of_figures(std::span<const Prediction> predictions) const {
  std::vector<double> residuals;
  for (std::size_t t = 0; t < trials_.size(); ++t)
    for (std::size_t f = 0; f < trials_[t].row->figures.size(); ++f)
      residuals.push_back(is_steady_[t] ? residual(trials_[t].row->figures[f], predictions[t][f])
                                        : 0);
  for (const TrialRatio& ratio : ratios_) {
    const double mine = predictions[ratio.trial].front();
    const double other = predictions[ratio.baseline].front();
    const bool is_ratio = mine > 0 && other > 0;
    if (!is_steady_[ratio.trial] || !is_steady_[ratio.baseline]) {
      residuals.push_back(0);
      continue;
    }
    residuals.push_back(is_ratio ? (mine / other - ratio.measured) / (kShareOfBound * ratio.within)
                                 : kHopeless);
  }
  return residuals;
}

Parsed<std::vector<double>> FitProblem::residuals(std::span<const Parameter> unknowns,
                                                  std::span<const double> logarithms) const {
  const HostModel model = parameters_.model(unknowns, logarithms);
  std::vector<PredictionRequest> requests;
  for (const Trial& trial : trials_)
    requests.push_back({&trial, &model});
  const auto predictions = predict_all(requests);
  if (!predictions) return fail(predictions.error());
  std::vector<double> residuals = of_figures(*predictions);
  for (std::size_t u = 0; u < unknowns.size(); ++u)
    residuals.push_back(logarithms[u] / HostParameters::prior_width(unknowns[u]));
  if (!is_one_machine()) return residuals;
  const Copies both = copies(unknowns);
  residuals.push_back(both ? std::log(nanoseconds_of(Constant::CopySend, model) /
                                      nanoseconds_of(Constant::CopyReceive, model) / kCopyRatio) /
                                 kCopiesDiffer
                           : 0);
  return residuals;
}

Parsed<std::vector<std::vector<double>>> FitProblem::slopes(
    std::span<const Parameter> unknowns, std::span<const double> logarithms) const {
  const HostModel here = parameters_.model(unknowns, logarithms);
  std::vector<HostModel> models;  // Two per unknown: below and above.
  for (std::size_t u = 0; u < unknowns.size(); ++u) {
    for (const double step : {-kHalfStep, kHalfStep}) {
      std::vector<double> there(logarithms.begin(), logarithms.end());
      there[u] += step;
      models.push_back(parameters_.model(unknowns, there));
    }
  }
  // A trial that does not depend on an unknown reuses the prediction at the current point.
  std::vector<PredictionRequest> requests;
  for (const Trial& trial : trials_)
    requests.push_back({&trial, &here});
  for (std::size_t m = 0; m < models.size(); ++m)
    for (const Trial& trial : trials_)
      if (parameters_.affects(unknowns[m / 2], *trial.row))
        requests.push_back({&trial, &models[m]});
  const auto answers = predict_all(requests);
  if (!answers) return fail(answers.error());

  std::size_t next = trials_.size();
  const auto residuals_of_next = [&](Parameter unknown) {
    std::vector<Prediction> predictions;
    for (std::size_t t = 0; t < trials_.size(); ++t) {
      const bool is_affected = parameters_.affects(unknown, *trials_[t].row);
      predictions.push_back((*answers)[is_affected ? next++ : t]);
    }
    return of_figures(predictions);
  };
  std::vector<std::vector<double>> slopes;
  for (std::size_t u = 0; u < unknowns.size(); ++u) {
    const std::vector<double> below = residuals_of_next(unknowns[u]);
    const std::vector<double> above = residuals_of_next(unknowns[u]);
    std::vector<double>& slope = slopes.emplace_back(residual_count(unknowns.size()), 0);
    for (std::size_t i = 0; i < above.size(); ++i)
      slope[i] = (above[i] - below[i]) / (2 * kHalfStep);
    slope[above.size() + u] = 1 / HostParameters::prior_width(unknowns[u]);
  }
  if (const Copies both = copies(unknowns); both && is_one_machine()) {
    slopes[both->front()].back() = 1 / kCopiesDiffer;
    slopes[both->back()].back() = -1 / kCopiesDiffer;
  }
  return slopes;
}

namespace {

using Eigen::Index;

/// The search ends at a relative step or gain of this size.
constexpr double kTolerance = 1e-3;
/// Searches that converge take up to 40 evaluations; a search that is cut short may end in the
/// wrong valley.
constexpr Index kMaxEvaluations = 50;
/// A constant is identified if the rows reduce its uncertainty below this share of the prior's.
constexpr double kNarrowed = 0.9;
/// Maximum distance of further starting points from the prior: a factor of three.
constexpr double kAside = 1.1;
constexpr std::size_t kRandomStarts = 8;
constexpr int kDigits = 3;

std::span<const double> view(const Eigen::VectorXd& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

/// The problem in the form that Eigen's Levenberg-Marquardt requires.
class Functor : public Eigen::DenseFunctor<double> {
 public:
  Functor(const FitProblem& problem, const std::vector<Parameter>& unknowns)
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
  const std::vector<Parameter>& unknowns_;
  mutable std::optional<std::string> failure_;  ///< Eigen's callbacks cannot return it.
};

Index count(const std::vector<Parameter>& unknowns) {
  return static_cast<Index>(unknowns.size());
}

/// The result of least squares, for the unknowns given.
struct Solution {
  Eigen::VectorXd logarithms;
  Eigen::VectorXd uncertainty;
  double misfit = 0;  ///< Sum of squares of all residuals.
  int rounds = 0;
};

/// The covariance of the unknowns of least squares whose residuals have unit variance.
Eigen::MatrixXd inverse_information(const Eigen::MatrixXd& jacobian) {
  const Eigen::MatrixXd information = jacobian.transpose() * jacobian;
  return information.ldlt().solve(
      Eigen::MatrixXd::Identity(information.rows(), information.cols()));
}

Parsed<Solution> solve(const FitProblem& problem, const std::vector<Parameter>& unknowns,
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
  const Eigen::MatrixXd covariance = inverse_information(jacobian);
  return Solution{std::move(start), covariance.diagonal().cwiseSqrt(), search.fvec().squaredNorm(),
                  static_cast<int>(search.iterations())};
}

/// Starting points of searches: the prior; two points with a higher copying cost of the sender or
/// the receiver; and random points. The two exist because the problem has one minimum where the
/// sender's core limits a stream, and another one where the receiver's core does.
std::vector<Eigen::VectorXd> starts(const std::vector<Parameter>& unknowns) {
  std::vector<Eigen::VectorXd> all(3 + kRandomStarts, Eigen::VectorXd::Zero(count(unknowns)));
  for (Index i = 0; i < count(unknowns); ++i) {
    const Parameter unknown = unknowns[static_cast<std::size_t>(i)];
    if (unknown == Parameter::of(Constant::CopySend)) all[1][i] = kAside;
    if (unknown == Parameter::of(Constant::CopyReceive)) all[2][i] = kAside;
  }
  std::mt19937_64 random;  // Default seed: each table gets the same numbers.
  for (std::size_t start = 3; start < all.size(); ++start)
    for (double& logarithm : all[start])
      logarithm = kAside * (static_cast<double>(random()) * 0x1p-63 - 1);
  return all;
}

/// Least squares finds only the nearest minimum. While the misfit is larger than expected, the next
/// starting point is tried, until two in a row find nothing much better: some rows no costs
/// explain.
Parsed<Solution> solve_from_several_starts(const FitProblem& problem,
                                           const std::vector<Parameter>& all) {
  const auto expected = static_cast<double>(problem.residual_count(all.size()) - all.size());
  Parsed<Solution> best = Solution{.misfit = std::numeric_limits<double>::infinity()};
  constexpr int kMaxIdleStarts = 2;
  constexpr double kGain = 0.9;
  int idle = 0;
  for (Eigen::VectorXd& start : starts(all)) {
    auto solution = solve(problem, all, std::move(start));
    if (!solution) return solution;
    idle = solution->misfit < kGain * best->misfit ? 0 : idle + 1;
    if (solution->misfit < best->misfit) best = std::move(solution);
    if (best->misfit <= expected || idle == kMaxIdleStarts) break;
  }
  return best;
}

FittedFactor& found(Fit& fit, Parameter parameter) {
  if (parameter.is_constant()) return fit.constants[parameter.position];
  if (parameter.is_class()) return fit.classes[parameter.position - Parameter::kFirstClass];
  return fit.kernel_scales[parameter.position - Parameter::kFirstKernel];
}

bool is_identified(const Solution& solution, Parameter parameter, Index i) {
  return solution.uncertainty[i] < kNarrowed * HostParameters::prior_width(parameter);
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

/// What the rows tell about all parameters, identified or not, at a solution.
Parsed<Knowledge> posterior(const FitProblem& problem, const std::vector<Parameter>& identified,
                            const Eigen::VectorXd& logarithms) {
  const std::vector<Parameter>& all = problem.parameters().all();
  std::vector<double> point(all.size());
  for (std::size_t i = 0; i < identified.size(); ++i)
    point[static_cast<std::size_t>(std::ranges::find(all, identified[i]) - all.begin())] =
        logarithms[static_cast<Index>(i)];
  const auto slopes = problem.slopes(all, point);
  if (!slopes) return fail(slopes.error());
  Eigen::MatrixXd jacobian(static_cast<Index>(problem.residual_count(all.size())), count(all));
  for (std::size_t u = 0; u < all.size(); ++u)
    jacobian.col(static_cast<Index>(u)) =
        Eigen::Map<const Eigen::VectorXd>((*slopes)[u].data(), jacobian.rows());
  const Eigen::MatrixXd covariance = inverse_information(jacobian);
  return Knowledge{all, {covariance.data(), covariance.data() + covariance.size()}};
}

/// The solution for all unknowns. With `before`, that for shorter spans, the search begins there;
/// if it ends at a much larger misfit, the best valley is another one, and all starts are tried.
Parsed<Solution> solve_all(const FitProblem& problem, const std::optional<Solution>& before) {
  const std::vector<Parameter>& all = problem.parameters().all();
  if (!before) return solve_from_several_starts(problem, all);
  constexpr double kMuchLarger = 1.3;
  auto near = solve(problem, all, before->logarithms);
  if (!near || near->misfit <= kMuchLarger * before->misfit) return near;
  auto other = solve_from_several_starts(problem, all);
  if (!other || other->misfit < near->misfit) return other;
  return near;
}

/// A fit to rows with the spans that `problem` has, given its solution for all unknowns.
Parsed<Fit> fit_settled(const FitProblem& problem, const Solution& first) {
  const std::vector<Parameter>& all = problem.parameters().all();
  Fit fit;
  fit.kernels = problem.parameters().kernels();
  fit.kernel_scales.resize(fit.kernels.size());
  std::vector<Parameter> identified;
  Eigen::VectorXd start(count(all));
  for (Index i = 0; i < count(all); ++i) {
    const Parameter unknown = all[static_cast<std::size_t>(i)];
    found(fit, unknown).uncertainty = first.uncertainty[i];
    if (!is_identified(first, unknown, i)) continue;
    start[count(identified)] = first.logarithms[i];
    identified.push_back(unknown);
  }
  start.conservativeResize(count(identified));
  const auto second = solve(problem, identified, start);
  if (!second) return fail(second.error());
  for (Index i = 0; i < count(identified); ++i) {
    found(fit, identified[static_cast<std::size_t>(i)]) = {std::exp(second->logarithms[i]),
                                                           second->uncertainty[i], true};
  }
  for (const ConstantFacts& facts : kConstants) {
    const auto cost_class = class_of(facts.constant);
    if (!cost_class) continue;
    fit.constants[static_cast<std::size_t>(facts.constant)].factor *=
        fit.classes[static_cast<std::size_t>(*cost_class)].factor;
  }
  fit.model = problem.parameters().model(identified, view(second->logarithms));
  round_all(fit.model);
  fit.rounds = first.rounds + second->rounds;
  auto knowledge = posterior(problem, identified, second->logarithms);
  if (!knowledge) return fail(knowledge.error());
  fit.knowledge = *std::move(knowledge);
  return fit;
}

/// The model decides how long a row takes to become steady: after this many fits, the last counts.
constexpr int kMaxFits = 3;

}  // namespace

Parsed<Fit> fit(const MeasurementTable& table, const HostModel& prior, std::uint32_t threads,
                const runner::TasksDone& progress) {
  auto problem = FitProblem::make(table, prior, threads, progress);
  if (!problem) return fail(problem.error());
  auto changes = problem->settle(prior);
  Parsed<Fit> fit = Fit{.model = prior};
  int rounds = 0;
  std::optional<Solution> before;
  for (int i = 0; i < kMaxFits && changes && (i == 0 || *changes); ++i) {
    auto solution = solve_all(*problem, before);
    if (!solution) return fail(solution.error());
    fit = fit_settled(*problem, *solution);
    if (!fit) return fit;
    before = *std::move(solution);
    rounds += fit->rounds;
    changes = problem->settle(fit->model);
  }
  if (!changes) return fail(changes.error());
  fit->rounds = rounds;
  return fit;
}

}  // namespace overlane::calibrate
