#include "results/model/histogram_json.h"

#include <nlohmann/json.hpp>

#include "results/finding/json_reader.h"

namespace overlane::model {

nlohmann::ordered_json encode_quantiles(const Histogram& histogram) {
  if (histogram.count() == 0) return nullptr;
  return {{"min", histogram.min()},
          {"mean", histogram.mean()},
          {"p50", histogram.quantile(50, 100)},
          {"p90", histogram.quantile(90, 100)},
          {"p99", histogram.quantile(99, 100)},
          {"p999", histogram.quantile(999, 1000)},
          {"max", histogram.max()}};
}

nlohmann::ordered_json encode(const Histogram& histogram) {
  nlohmann::ordered_json json = encode_quantiles(histogram);
  if (json.is_null()) return json;
  json["count"] = histogram.count();
  json["sum"] = histogram.sum_text();
  json["buckets"] = histogram.buckets_text();
  return json;
}

Histogram decode_histogram(const JsonReader& json) {
  auto histogram = Histogram::from_text(json["buckets"].string(), json["sum"].string(),
                                        json["min"].integer(), json["max"].integer());
  if (histogram) return *std::move(histogram);
  json.fault(histogram.error());
  return {};
}

}  // namespace overlane::model
