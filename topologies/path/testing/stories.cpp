#include "topologies/path/testing/stories.h"

#include <sstream>

namespace overlane::path::testing {

std::string story(const Trace& trace) {
  std::string text;
  std::string place;
  for (const Hop& hop : trace.hops) {
    if (trace.is_of_error(hop.packet)) continue;
    if (hop.place != place) text += (text.empty() ? "" : "; ") + hop.place + ": ";
    if (hop.place == place) text += ", ";
    text += hop.decision;
    place = hop.place;
  }
  return text;
}

std::string explain(const Trace& trace) {
  std::string text;
  for (const Hop& hop : trace.hops)
    text += hop.place + " " + hop.decision + ": " + hop.because + " [" + hop.state_entry + "]\n";
  return text;
}

std::vector<std::string> all_lines(const compile::Compiled& states) {
  std::string text = to_string(states.fabric);
  for (const node::NodeState& state : states.nodes)
    text += to_string(state);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

}  // namespace overlane::path::testing
