# Two Debian packages: overlane, which needs no DPDK, and overlane-dpdk with overlane-fastpath.
#   cpack --config build/release/CPackConfig.cmake -G DEB

install(TARGETS overlane COMPONENT overlane)
set(components overlane)
if(OVERLANE_DPDK)
  install(TARGETS overlane-fastpath COMPONENT dpdk)
  list(APPEND components dpdk)
endif()

set(CPACK_PACKAGE_NAME overlane)
set(CPACK_PACKAGE_CONTACT "The Overlane authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Dataplane simulator for Gardener's Kubernetes clusters")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL "${components}")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_OVERLANE_PACKAGE_NAME overlane)
set(CPACK_DEBIAN_DPDK_PACKAGE_NAME overlane-dpdk)
set(CPACK_COMPONENT_DPDK_DESCRIPTION "Forwards packets as a shoot's node does, on DPDK")
# DPDK loads its drivers by itself, so no linker names them.
set(CPACK_DEBIAN_DPDK_PACKAGE_DEPENDS "librte-meta-bus, librte-meta-mempool, librte-meta-net")
include(CPack)
