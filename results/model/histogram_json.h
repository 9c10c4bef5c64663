#pragma once

#include <nlohmann/json_fwd.hpp>

#include "results/model/histogram.h"

namespace overlane {
class JsonReader;
}

namespace overlane::model {

/// `min`, `mean`, `p50`, `p90`, `p99`, `p999` and `max`; null if the histogram is empty.
nlohmann::ordered_json encode_quantiles(const Histogram& histogram);

/// The same with `count`, `sum` and `buckets` (Histogram::buckets_text), for a reader who wants
/// other quantiles, or to add histograms.
nlohmann::ordered_json encode(const Histogram& histogram);
Histogram decode_histogram(const JsonReader& json);

}  // namespace overlane::model
