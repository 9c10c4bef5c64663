#include "sim/run/path/rack_links.h"

namespace overlane::run {

RackLinks::RackLinks(const fabric::RackPlan& plan, const fabric::Racks& racks, std::size_t ends)
    : plan_(plan),
      link_(racks.uplink),
      up_(std::size_t{plan.count()} * plan.spines(),
          Station{core::FifoServer(racks.queue_packets), {}}),
      down_(up_),
      last_spine_(ends) {}

std::uint32_t RackLinks::most_present(Picos now) const {
  std::uint32_t most = 0;
  for (const auto* links : {&up_, &down_})
    for (const Station& link : *links)
      most = std::max(most, link.server.present(now));
  return most;
}

void RackLinks::begin_measuring(Picos now) {
  for (auto* links : {&up_, &down_})
    for (Station& link : *links)
      link.server.begin_measuring(now);
}

}  // namespace overlane::run
