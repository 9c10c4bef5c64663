#include "topologies/provider/machines/nics.h"

#include <algorithm>
#include <array>

namespace overlane::provider {

namespace {

constexpr std::array kNics = {
    // ena_com_set_default_hash_ctrl() selects addresses and ports for TCP and UDP, and addresses
    // for other IP packets.
    Nic{.driver = "ena",
        .segmentation_source = "Linux 6.1 drivers/net/ethernet/amazon/ena/ena_netdev.c",
        .rss_source = "Linux 6.1 drivers/net/ethernet/amazon/ena/ena_com.c: "
                      "ena_com_set_default_hash_ctrl has no fields inside tunnels"},
    Nic{.driver = "gve",
        .segmentation_source = "Linux 6.1 drivers/net/ethernet/google/gve/gve_main.c",
        .rss_source = "DPDK drivers/net/gve/gve_rss.h: the device's hash types have no tunnels"},
    // The device has the capability tunnel_stateless_ip_over_ip. The table of tunnels with a flow
    // table for inner headers has GRE and IP in IP, and no tunnels over UDP.
    Nic{.driver = "mlx5",
        .segments_in_tunnels = true,
        .segmentation_source = "Linux 6.1 drivers/net/ethernet/mellanox/mlx5/core/en_main.c",
        .hashes_inside_ipip = true,
        .rss_source = "Linux 6.1 drivers/net/ethernet/mellanox/mlx5/core/lib/fs_ttc.c: "
                      "ttc_tunnel_rules"},
    // With a tap device in the hypervisor, host::usual_machine() has the device's own hash instead.
    Nic{.driver = "virtio_net",
        .segmentation_source = "Linux 6.1 drivers/net/virtio_net.c",
        .rss_source =
            "Linux 6.1 drivers/net/virtio_net.c: it does not offer VIRTIO_NET_F_HASH_TUNNEL"},
};

}  // namespace

std::span<const Nic> nics() {
  return kNics;
}

const Nic* find_nic(std::string_view driver) {
  const auto* found = std::ranges::find(kNics, driver, &Nic::driver);
  return found == kNics.end() ? nullptr : found;
}

}  // namespace overlane::provider
