#include <gtest/gtest.h>

#include "sim/run/app/pod_restarts.h"

namespace overlane::run {
namespace endpoint_places_test {

const node::PodPlace kFirst{1, IpAddress::parse("10.0.1.2").value()};
const node::PodPlace kSecond{1, IpAddress::parse("10.0.1.3").value()};
const node::PodPlace kElsewhere{2, IpAddress::parse("10.0.2.2").value()};
using Ends = std::vector<EndpointId>;

EndpointPlaces places() {
  EndpointPlaces places;
  places.insert(kFirst, 0);
  places.insert(kElsewhere, 1);
  places.insert(kSecond, 2);
  places.insert(kFirst, 5);
  return places;
}

TEST(EndpointPlaces, FindsTheEndpointsOfAPodAndOfANode) {
  EXPECT_TRUE(EndpointPlaces().empty());
  EXPECT_EQ(places().at(kFirst), (Ends{0, 5}));
  EXPECT_EQ(places().at({2, kFirst.address}), Ends{}) << "the pod's address on another node";
  EXPECT_EQ(places().on(1), (Ends{0, 5, 2}));
  EXPECT_EQ(places().on(3), Ends{});
}

TEST(EndpointPlaces, MovesOneOfTheEndpointsOfAPod) {
  EndpointPlaces moved = places();
  moved.move(5, kFirst, kElsewhere);
  EXPECT_EQ(moved.at(kFirst), Ends{0});
  EXPECT_EQ(moved.on(1), (Ends{0, 2}));
  EXPECT_EQ(moved.on(2), (Ends{1, 5}));
}

}  // namespace endpoint_places_test
}  // namespace overlane::run
