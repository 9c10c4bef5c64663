#pragma once

#include "topologies/sources/source.h"

namespace overlane::sources {

// RFCs, Linux, Kubernetes' libraries and BIRD.

inline constexpr Source kStandardsSources[] = {
    {"RFC 791", {.date = "1981-09"}, "", {{{"every IPv4 host takes packets of 576 bytes"}}}},
    {"RFC 2003", {.date = "1996-10"}, "", {{{"IPIP is a second IPv4 header"}}}},
    {"RFC 6890", {.date = "2013-04"}, "", {{{"special-purpose addresses"}}}},
    {"RFC 7348", {.date = "2014-08"}, "", {{{"VXLAN's header and port 4789"}}}},
    {"RFC 8200", {.date = "2017-07"}, "", {{{"every IPv6 link carries 1280 bytes"}}}},
    {"k8s.io/apimachinery pkg/util/validation/validation.go",
     {.date = "2026-11"},
     "",
     {{{"names of objects (DNS-1123), release 0.34"}}}},
    {"kube-controller-manager documentation",
     {.date = "2026-08"},
     "",
     {{{"--route-reconciliation-period is 10 s"}}}},
    {"BIRD 1.6 documentation",
     {.date = "2026-08"},
     "",
     {{{"graceful restart time is 120 s; not at all where BIRD was asked to end"}}}},
};

}  // namespace overlane::sources
