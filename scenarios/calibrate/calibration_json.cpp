#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "scenarios/calibrate/calibration_report.h"

namespace overlane::calibrate {
namespace {

using nlohmann::ordered_json;

ordered_json encode_row(const CalibrationReport& report, const Row& row, const Prediction* said) {
  ordered_json json{{"system", report.table.system_of(row).name},
                    {"family", report.table.system_of(row).family},
                    {"kernel", row.kernel},
                    {"kind", to_string(row.kind)},
                    {"flows", row.flows},
                    {"use", to_string(row.use)}};
  if (!row.because.empty()) json["because"] = row.because;
  ordered_json& figures = json["figures"] = ordered_json::array();
  for (std::size_t f = 0; f < row.figures.size(); ++f) {
    const Figure& figure = row.figures[f];
    ordered_json entry{{"quantity", json_name(figure.quantity)}, {"measured", figure.value}};
    entry["predicted"] = said == nullptr ? ordered_json() : ordered_json((*said)[f]);
    entry["error"] = said == nullptr ? ordered_json() : ordered_json(error_of(figure, (*said)[f]));
    figures.push_back(std::move(entry));
  }
  return json;
}

ordered_json encode_rows(const CalibrationReport& report) {
  ordered_json rows = ordered_json::array();
  std::size_t next = 0;
  for (std::size_t i = 0; i < report.table.rows.size(); ++i) {
    const bool predicted = next < report.rows.size() && report.rows[next].row == i;
    rows.push_back(encode_row(report, report.table.rows[i],
                              predicted ? &report.rows[next].predicted : nullptr));
    next += predicted;
  }
  return rows;
}

ordered_json encode_found(std::string_view name, const Found* found) {
  ordered_json json{{"name", name}};
  if (found == nullptr) return json;
  json["factor"] = found->factor;
  json["uncertainty"] = found->uncertainty;
  json["identified"] = found->identified;
  return json;
}

ordered_json encode_constants(const CalibrationReport& report) {
  ordered_json constants = ordered_json::array();
  for (std::size_t i = 0; i < kConstantCount; ++i) {
    const ConstantFacts& facts = kConstants[i];
    if (!exists(facts.constant, report.table.hosts.wire)) continue;
    ordered_json json = encode_found(facts.name, report.fit ? &report.fit->constants[i] : nullptr);
    json["nanoseconds"] = nanoseconds_of(facts.constant, report.model);
    constants.push_back(std::move(json));
  }
  return constants;
}

ordered_json encode_kernels(const CalibrationReport& report) {
  ordered_json kernels = ordered_json::array();
  for (const auto& [name, scale] : report.model.kernels) {
    const Found* found = nullptr;
    for (std::size_t k = 0; report.fit && k < report.fit->kernels.size(); ++k)
      if (report.fit->kernels[k] == name) found = &report.fit->kernel_scales[k];
    ordered_json json = encode_found(name, found);
    json["scale"] = scale;
    kernels.push_back(std::move(json));
  }
  return kernels;
}

ordered_json encode_pair(const CalibrationReport& report, const Pair& pair) {
  const auto name = [&](std::size_t row) {
    const Row& found = report.table.rows[row];
    return fmt::format("{}: {}", report.table.system_of(found).name, load_of(found));
  };
  ordered_json json{{"ahead", name(pair.ahead)},
                    {"behind", name(pair.behind)},
                    {"measured", pair.measured},
                    {"predicted", pair.predicted},
                    {"right", pair.right()}};
  json["left_out"] = pair.left_out.empty() ? ordered_json() : ordered_json(pair.left_out);
  return json;
}

}  // namespace

ordered_json encode(const CalibrationReport& report) {
  ordered_json json{{"schema_version", 1},
                    {"kind", "CalibrationReport"},
                    {"table", report.table.name},
                    {"source", report.table.source},
                    {"profile", report.profile},
                    {"fitted", report.fit.has_value()},
                    {"rounds", report.fit ? report.fit->rounds : 0},
                    {"constants", encode_constants(report)},
                    {"kernels", encode_kernels(report)},
                    {"rows", encode_rows(report)}};
  ordered_json& margins = json["margins"] = ordered_json::array();
  for (const Margin& margin : report.margins) {
    margins.push_back({{"kind", to_string(margin.kind)},
                       {"use", to_string(margin.use)},
                       {"figures", margin.figures},
                       {"mean_absolute_error", margin.mean_error},
                       {"allowed", margin.allowed},
                       {"met", margin.met()}});
  }
  ordered_json& order = json["order"] = ordered_json::array();
  for (const Pair& pair : report.pairs)
    order.push_back(encode_pair(report, pair));
  ordered_json& ratios = json["ratios"] = ordered_json::array();
  for (const Ratio& ratio : report.ratios) {
    const Row& row = report.table.rows[ratio.row];
    const Row& base = report.table.rows[ratio.baseline];
    ratios.push_back({{"system", report.table.system_of(row).name},
                      {"baseline", report.table.system_of(base).name},
                      {"load", load_of(row)},
                      {"measured", ratio.measured},
                      {"predicted", ratio.predicted},
                      {"within", ratio.within},
                      {"met", ratio.met()}});
  }
  return json;
}

}  // namespace overlane::calibrate
