#include "tools/overlane/overlap/pairs.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "results/report/column_table.h"
#include "results/report/text.h"
#include "topologies/document/tree/text_check.h"
#include "topologies/overlap/report/findings.h"

namespace overlane::command {
namespace {

using document::one_line;
using overlap::End;
using overlap::Overlap;
using report::terminal_width;

/// "garden-a/one (not created yet)".
std::string owner_text(const End& end) {
  return one_line(end.owner) + (end.candidate ? " (candidate)"
                                : end.created ? ""
                                              : " (not created yet)");
}

class PairTable {
 public:
  explicit PairTable(std::span<const Overlap* const> pairs) : pairs_(pairs) {
    std::size_t place = 0;
    for_ends([&](const End& end) {
      owner_ = std::max(owner_, report::display_width(owner_text(end)));
      role_ = std::max(role_, to_string(end.role).size());
      cidr_ = std::max(cidr_, end.cidr.to_string().size());
      place = std::max(place, report::display_width(place_text(end)));
    });
    has_room_ = 4 + owner_ + 2 + role_ + 2 + cidr_ + 2 + place <= terminal_width();
  }

  std::string print() const {
    std::string text;
    for (const Overlap* pair : pairs_) {
      text += line_of("    ", pair->a) + line_of("  × ", pair->b);
      text += remark_of(*pair);
    }
    return text;
  }

 private:
  template <typename Visit>
  void for_ends(Visit visit) const {
    for (const Overlap* pair : pairs_)
      for (const End* end : {&pair->a, &pair->b})
        visit(*end);
  }

  static std::string place_text(const End& end) {
    return end.assumed ? "assumed: " + one_line(end.path) : one_line(end.place.to_string());
  }

  std::string line_of(std::string_view indent, const End& end) const {
    const std::string owner = owner_text(end);
    const std::string place = place_text(end);
    std::string line = fmt::format("{}{}{}  {:<{}}  {:<{}}", indent, owner,
                                   std::string(owner_ - report::display_width(owner), ' '),
                                   to_string(end.role), role_, end.cidr.to_string(), cidr_);
    if (has_room_) line += "  " + place;
    line = line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    return has_room_ || place.empty() ? line
                                      : line + report::wrapped("        ", place, terminal_width());
  }

  static std::string remark_of(const Overlap& pair) {
    std::string remark = until_text(pair);
    if (pair.a.cidr != pair.b.cidr)
      remark = fmt::format("overlap {}{}{}", pair.intersection.to_string(),
                           remark.empty() ? "" : "; ", remark);
    return remark.empty() ? "" : report::wrapped("      ", remark, terminal_width());
  }

  std::span<const Overlap* const> pairs_;
  std::size_t owner_ = 0;  ///< Column widths.
  std::size_t role_ = 0;
  std::size_t cidr_ = 0;
  bool has_room_ = true;
};

}  // namespace

std::string pair_table(std::span<const Overlap* const> pairs) {
  return PairTable(pairs).print();
}

}  // namespace overlane::command
