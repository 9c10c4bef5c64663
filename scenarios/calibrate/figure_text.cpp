#include "scenarios/calibrate/figure_text.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace overlane::calibrate {
namespace {

struct Unit {
  double least;  ///< Smallest value written in this unit.
  double one;    ///< The value of one unit.
  std::string_view name;
};
constexpr std::array kRates = {Unit{1e9, 1e9, "Gbit/s"}, Unit{1e6, 1e6, "Mbit/s"},
                               Unit{0, 1e3, "kbit/s"}};
constexpr std::array kPerSecond = {Unit{1e6, 1e6, "M/s"}, Unit{1e3, 1e3, "k/s"}, Unit{0, 1, "/s"}};

template <typename Units>
std::string in_units(double value, const Units& units) {
  for (const Unit& unit : units)
    if (value >= unit.least) return fmt::format("{:.4g} {}", value / unit.one, unit.name);
  return "";
}

}  // namespace

std::string figure_text(Quantity quantity, double value) {
  switch (quantity) {
    case Quantity::Throughput:
      return in_units(value, kRates);
    case Quantity::Transactions:
      return in_units(value, kPerSecond);
    case Quantity::ClientCpu:
    case Quantity::ServerCpu:
      return fmt::format("{:.2f} µs", value / 1000);
    case Quantity::ClientLoad:
    case Quantity::ServerLoad:
      return fmt::format("{:.2f} %", value * 100);
  }
  return "";
}

std::string nanoseconds_text(double value) {
  return value < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

std::string error_text(double error) {
  return fmt::format("{:+.1f} %", error * 100);
}

}  // namespace overlane::calibrate
