// Decodes MeasurementTable files: no input crashes, and every error is a finding with a location.

#include <string>

#include "scenarios/calibrate/measurement_table.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/document/testing/same_tree.h"

namespace overlane::calibrate {
namespace {

using document::testing::require;

void check(const std::string& text) {
  for (const document::Tree& tree : document::parse(text, "x.yaml").documents) {
    const auto table = decode_table(tree);
    if (!table) {
      for (const Finding& finding : table.error())
        require(finding.place.line >= 1 && !finding.rule.empty(), "a finding has a place");
      continue;
    }
    for (const MeasurementRow& row : table->rows)
      require(row.system < table->systems.size(), "a row is of one of the systems");
    for (const RatioRows& rows : ratio_rows(*table))
      require(rows.row < table->rows.size() && rows.baseline < table->rows.size(), "of rows");
  }
}

}  // namespace
}  // namespace overlane::calibrate

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::calibrate::check(std::string(data, data + size));
  return 0;
}
