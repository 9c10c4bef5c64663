#include "scenarios/spec/sizes.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/spec/ranges.h"

namespace overlane::spec {
namespace {

using document::Fields;

/// Distributions use thousandths as parameters, files are read in millionths.
constexpr std::int64_t kMillionthsInThousandth = 1'000;

/// A parameter that one distribution requires and all others reject.
struct Parameter {
  const char* key;
  std::string_view of;
};
constexpr std::array kParameters = {Parameter{"shape", "pareto"}, Parameter{"cap", "pareto"},
                                    Parameter{"sigma", "lognormal"},
                                    Parameter{"points", "empirical"}};

void check_parameters(Fields& fields, std::string_view kind) {
  for (const auto& [key, of] : kParameters) {
    const document::Value value = fields.value()[key];
    if (kind == of && (!value || (value.is(document::Kind::Sequence) && value.size() == 0))) {
      fields.problems().error(fields.value(), "missing-key",
                              fmt::format("{} distribution needs {}", of, key),
                              fmt::format("add {}", key));
    } else if (kind != of && value.exists()) {
      fields.problems().error(value, "bad-value", fmt::format("{} is for distribution {}", key, of),
                              fmt::format("set distribution: {}", of));
    }
  }
  const document::Value mean = fields.value()["mean"];
  if (kind == "empirical" && mean.exists())
    fields.problems().error(mean, "bad-value", "the points say what the mean is", "remove mean");
}

std::optional<std::int64_t> thousandths(Fields& fields, std::string_view key, std::int64_t least,
                                        std::int64_t most) {
  const auto value = millionths_between(fields, key, least * kMillionthsInThousandth,
                                        most * kMillionthsInThousandth);
  if (!value) return std::nullopt;
  return *value / kMillionthsInThousandth;
}

std::optional<Distribution> pareto(Fields& fields, std::int64_t mean, std::int64_t shape,
                                   std::int64_t cap) {
  auto result = Distribution::pareto(mean, shape, cap);
  if (!result) {
    fields.problems().error(
        fields.value()["mean"], "out-of-range",
        fmt::format("no Pareto distribution of sizes from 1 byte to {} bytes with this shape has a "
                    "mean of {} bytes",
                    cap, mean),
        mean > cap ? "make cap larger than mean" : "make mean or shape larger");
  }
  return result;
}

/// The points of a distribution function; nothing if there are none or one is invalid.
std::optional<Distribution> decode_points(Fields& fields) {
  document::Problems& problems = fields.problems();
  std::vector<Distribution::Point> points;
  bool all_are_good = true;
  for (const document::Value item : fields.list("points")) {
    Fields point(item, problems);
    point.required("bytes");
    point.required("cumulative");
    const auto bytes = integer_between(point, "bytes", 1, kMaxTransfer);
    const auto cumulative = share(point, "cumulative");
    point.no_others();
    if (!bytes || !cumulative) {
      all_are_good = false;
    } else if (!points.empty() &&
               (*bytes <= points.back().value || *cumulative <= points.back().cumulative)) {
      problems.error(item, "bad-value", "bytes and cumulative must rise from point to point",
                     "sort the points, and leave out those that add nothing");
      all_are_good = false;
    } else {
      points.push_back({*bytes, *cumulative});
    }
  }
  if (!all_are_good || points.empty()) return std::nullopt;
  if (points.back().cumulative == Distribution::Point::kAll)
    return Distribution::empirical(std::move(points));
  problems.error(fields.value()["points"], "bad-value",
                 "the last point must have cumulative: 100%: no transfer is larger",
                 "add the largest size");
  return std::nullopt;
}

}  // namespace

std::optional<Distribution> decode_sizes(Fields fields) {
  if (!fields.value()) return std::nullopt;
  fields.required("distribution");
  const auto kind =
      fields.one_of("distribution", {"fixed", "exponential", "pareto", "lognormal", "empirical"});
  if (kind && *kind != "empirical") fields.required("mean");
  const auto mean = integer_between(fields, "mean", 1, kMaxTransfer);
  const auto shape = thousandths(fields, "shape", Distribution::kMinShape, Distribution::kMaxShape);
  const auto cap = integer_between(fields, "cap", 1, kMaxTransfer);
  const auto sigma = thousandths(fields, "sigma", Distribution::kMinSigma, Distribution::kMaxSigma);
  auto points = decode_points(fields);
  fields.no_others();
  if (!kind) return std::nullopt;
  check_parameters(fields, *kind);
  if (kind == "empirical") return points;
  if (!mean) return std::nullopt;
  if (kind == "fixed") return Distribution::fixed(*mean);
  if (kind == "exponential") return Distribution::exponential(*mean);
  if (kind == "lognormal")
    return sigma ? std::optional(Distribution::lognormal(*mean, *sigma)) : std::nullopt;
  return shape && cap ? pareto(fields, *mean, *shape, *cap) : std::nullopt;
}

}  // namespace overlane::spec
