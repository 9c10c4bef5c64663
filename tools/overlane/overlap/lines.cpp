#include "tools/overlane/overlap/lines.h"

#include "results/report/column_table.h"
#include "results/report/text.h"
#include "topologies/document/tree/text_check.h"

namespace overlane::command {

std::string wrapped(std::string_view first, std::string_view text) {
  return report::wrapped(first, document::one_line(text), report::terminal_width());
}

}  // namespace overlane::command
