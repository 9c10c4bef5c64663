#include "dataplane/forward/outcome.h"

namespace overlane::forward {

std::string_view to_string(Ingress ingress) {
  switch (ingress) {
    case Ingress::Pod:
      return "pod";
    case Ingress::Uplink:
      return "uplink";
    case Ingress::Host:
      return "host";
  }
  return "";
}

std::string_view to_string(Egress egress) {
  switch (egress) {
    case Egress::Pod:
      return "pod";
    case Egress::Host:
      return "host";
    case Egress::Uplink:
      return "uplink";
  }
  return "";
}

}  // namespace overlane::forward
