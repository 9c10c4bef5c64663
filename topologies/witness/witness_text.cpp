#include <fmt/format.h>

#include "topologies/witness/witness.h"

namespace overlane::witness {

std::string print(const Witness& witness) {
  std::string text = fmt::format("{} ({}) sends TCP to {} port {} and means {}.\n", witness.sender,
                                 witness.source.to_string(), witness.destination.to_string(),
                                 witness.port, witness.meant);
  text += witness.drop
              ? fmt::format("It is lost ({}): ", overlane::to_string(*witness.drop))
              : fmt::format("It {} {}: ", witness.wrong ? "lands at" : "reaches", witness.lands);
  text += witness.because + ".\n";
  for (const std::string& assumption : witness.assumptions)
    text += fmt::format("  assumed: {}\n", assumption);
  return text;
}

}  // namespace overlane::witness
