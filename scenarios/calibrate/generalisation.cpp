#include "scenarios/calibrate/generalisation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace overlane::calibrate {
namespace {

struct NoveltyName {
  Novelty novelty;
  std::string_view name;
};
constexpr std::array kNovelties = {
    NoveltyName{Novelty::System, "another CNI, encapsulation or datapath"},
    NoveltyName{Novelty::Kernel, "another kernel"},
    NoveltyName{Novelty::Mtu, "another MTU or other offloads"},
    NoveltyName{Novelty::Load, "another load"},
    NoveltyName{Novelty::Host, "other hosts"},
};
constexpr std::array kKinds = {MarginKind::Throughput, MarginKind::RequestResponse,
                               MarginKind::CpuPerTransaction};

Novelty novelty_of(const MeasurementTable& table, const Row& row) {
  bool system = false, kernel = false, mtu = false;
  for (const Row& other : table.rows) {
    if (other.use != Use::Fit || other.system != row.system) continue;
    system = true;
    if (other.kernel != row.kernel) continue;
    kernel = true;
    mtu |= other.pod_mtu == row.pod_mtu && other.link_mtu == row.link_mtu &&
           other.offloads == row.offloads;
  }
  if (!system) return Novelty::System;
  if (!kernel) return Novelty::Kernel;
  return mtu ? Novelty::Load : Novelty::Mtu;
}

}  // namespace

std::string_view to_string(Novelty novelty) {
  return kNovelties[static_cast<std::size_t>(novelty)].name;
}

std::vector<Generalisation> generalise(const CalibrationReport& report, bool foreign) {
  std::vector<Generalisation> all;
  for (const NoveltyName& novelty : kNovelties)
    for (const MarginKind kind : kKinds)
      all.push_back({.novelty = novelty.novelty, .kind = kind});
  for (const RowResult& result : report.rows) {
    const Row& row = report.table.rows[result.row];
    if (!foreign && row.use != Use::Check) continue;
    const Novelty novelty = foreign ? Novelty::Host : novelty_of(report.table, row);
    for (std::size_t f = 0; f < row.figures.size(); ++f) {
      const auto kind = margin_of(row.figures[f].quantity);
      if (!kind) continue;
      Generalisation& entry =
          all[static_cast<std::size_t>(novelty) * kKinds.size() + static_cast<std::size_t>(*kind)];
      ++entry.figures;
      entry.mean_error += std::abs(error_of(row.figures[f], result.predicted[f]));
    }
  }
  std::erase_if(all, [](const Generalisation& entry) { return entry.figures == 0; });
  for (Generalisation& entry : all)
    entry.mean_error /= static_cast<double>(entry.figures);
  return all;
}

}  // namespace overlane::calibrate
