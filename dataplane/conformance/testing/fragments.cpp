#include "dataplane/conformance/testing/fragments.h"

#include <fmt/format.h>

#include "dataplane/forward/packet_transform.h"

namespace overlane::conformance::testing {

Arrivals as_fragments(Arrival (*from)(Packet), Packet whole, const Ends& ends) {
  whole.inner.identification = 77;
  Arrivals arrivals;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends) {
    arrivals.push_back(from(forward::fragment_of(whole, begin, end - begin)));
    arrivals.back().whole = whole;
    begin = end / 8 * 8;
  }
  return arrivals;
}

Arrivals in_tunnel(const node::testing::ClusterShape& shape, const Arrivals& fragments) {
  Arrivals arrivals;
  for (const Arrival& fragment : fragments)
    arrivals.push_back(from_uplink(tunnelled(shape, fragment.packet)));
  return arrivals;
}

Arrivals outer_fragments(Packet whole, const Ends& ends) {
  whole.outer.identification = 77;
  Arrivals arrivals;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends) {
    arrivals.push_back(from_uplink(forward::fragment_of(whole, begin, end - begin)));
    begin = end;
  }
  return arrivals;
}

Arrivals ordered(const Arrivals& arrivals, std::initializer_list<std::size_t> order) {
  Arrivals result;
  for (const std::size_t i : order)
    result.push_back(arrivals[i]);
  return result;
}

std::vector<std::string> then(std::size_t held, std::string outcome) {
  std::vector<std::string> lines(held, "held");
  lines.push_back(std::move(outcome));
  return lines;
}

std::string fragments(const std::string& line, const Ends& ends) {
  const std::uint32_t header = line.find("::") == std::string::npos ? 20 : 48;
  std::string text;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends) {
    text += fmt::format("{}{} at {}{}", begin == 0 ? "" : " + ",
                        fmt::format(fmt::runtime(line), end - begin + header), begin,
                        end == ends.back() ? "" : " MF");
    begin = end;
  }
  return text;
}

}  // namespace overlane::conformance::testing
