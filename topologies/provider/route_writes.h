#pragma once

#include <cstddef>
#include <cstdint>

#include "topologies/provider/profile.h"

namespace overlane::provider {

/// How many routes a controller writes at a time, and with how many calls to the cloud.
struct RouteWriteFacts {
  std::size_t at_a_time = 1;  ///< Routes that are written together; 0: all missing ones.
  std::uint32_t calls = 1;    ///< Calls for one group of routes, one after the other.
};

/// Returns the facts of a kind of route controller. The sources are those of the Routes of the
/// providers with such a controller.
constexpr RouteWriteFacts facts(RouteWrites writes) {
  switch (writes) {
    case RouteWrites::Concurrent:  // cloud-provider, controllers/route:
                                   // maxConcurrentRouteOperations.
      return {.at_a_time = 200};
    case RouteWrites::OneByOne:       // It reads the table, and creates the route.
    case RouteWrites::RouterUpdates:  // It reads the router, and writes it.
      return {.calls = 2};
    case RouteWrites::WholeTable:
      return {.at_a_time = 0};
  }
  return {};
}

/// The limit of a cloud for calls that change something: a bucket of tokens, of which each call
/// takes one.
struct CallLimit {
  double bucket = 0;      ///< Calls that may follow each other at once; 0: no limit.
  double per_second = 0;  ///< Calls per second afterwards.
};

/// Returns the limit for the calls of a kind of route controller. Only EC2's limit is near the rate
/// of one controller, the one that writes routes one by one: mutating actions have a bucket of 50
/// tokens, which 5 tokens per second refill (Amazon EC2 developer guide, "Request throttling").
constexpr CallLimit call_limit(RouteWrites writes) {
  return writes == RouteWrites::OneByOne ? CallLimit{.bucket = 50, .per_second = 5} : CallLimit{};
}

}  // namespace overlane::provider
