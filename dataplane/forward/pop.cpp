#include "dataplane/forward/pop.h"

#include "dataplane/encap/geneve/pop.h"
#include "dataplane/encap/ip6tnl/pop.h"
#include "dataplane/encap/ipip/pop.h"
#include "dataplane/encap/sit/pop.h"
#include "dataplane/encap/vxlan/pop.h"
#include "dataplane/encap/wireguard/pop.h"

namespace overlane::forward {

Result<encap::Popped, Drop> pop(Encapsulation encapsulation, std::span<std::uint8_t> bytes,
                                const node::Device* device) {
  switch (encapsulation) {
    case Encapsulation::None:
      break;
    case Encapsulation::Ipip:
      return ipip::pop(bytes);
    case Encapsulation::Sit:
      return sit::pop(bytes);
    case Encapsulation::Ip6Tnl:
      return ip6tnl::pop(bytes);
    case Encapsulation::Vxlan:
      return vxlan::pop(bytes);
    case Encapsulation::Geneve:
      return geneve::pop(bytes, {.critical_options = device != nullptr && device->external});
    case Encapsulation::Wireguard:
      return wireguard::pop(bytes);
  }
  return fail(Drop::UnsupportedProtocol);
}

}  // namespace overlane::forward
