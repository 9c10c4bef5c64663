#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace overlane::stats {

/// Neighbours in a series that differ by noise alone.
struct Group {
  std::size_t first = 0;  ///< Index in the series.
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;  ///< Standard deviation of the values.

  std::size_t end() const { return first + count; }
};

/// Splits a series of values, none negative, into groups: the ones that need the fewest bits to be
/// described as normally distributed values around one mean each (minimum description length, as
/// FD.io CSIT's jumpavg does it for its trends). There is no threshold: a new group is worth its
/// bits if the step is large beside the noise, or lasts long enough.
///
/// The bits of a group are those for its size, its mean (far from the previous group's is cheap),
/// its deviation, and the place of its values on the sphere which these leave them. Values are
/// rounded to 1/8191 of the largest. The search extends every group that may still be open by each
/// value, and keeps the best split of the values before each: time and memory are quadratic.
std::vector<Group> find_groups(std::span<const double> values);

/// The bits that describe the values in groups that begin at `firsts`, which begins with 0.
double description_bits(std::span<const double> values, std::span<const std::size_t> firsts);

}  // namespace overlane::stats
