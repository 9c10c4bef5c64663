# Two Debian packages: overlane, which needs no DPDK, and overlane-fastpath. Each is a component:
#   cmake --build build/release --target debian                          both, into build/release
#   cmake --install build/release --component overlane --prefix PREFIX   without a package
# tools/check-packages, a test of label root, installs, runs and removes them. The component "tarball"
# is what tools/release packs: the files of the repository that a user reads, beside the program, so
# that the commands of README.md run in its folder.

# Directories of packages are not what the umask of their maker was.
set(permissions OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${permissions})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${permissions})
include(GNUInstallDirs)

# overlane_install(<program> <component>): the program, its manual pages and completions.
function(overlane_install program component)
  set(files "${PROJECT_BINARY_DIR}/package/${program}")
  file(GLOB inputs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/package/*")
  add_custom_command(OUTPUT "${files}.stamp"
    COMMAND "${PROJECT_SOURCE_DIR}/tools/package/write-files" "$<TARGET_FILE:${program}>" "${files}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${files}.stamp"
    DEPENDS ${program} ${inputs} "${PROJECT_SOURCE_DIR}/CHANGELOG.md" VERBATIM)
  add_custom_target(${program}_package_files ALL DEPENDS "${files}.stamp")

  install(TARGETS ${program} COMPONENT ${component})
  set(man "${CMAKE_INSTALL_MANDIR}/man1")
  set(bash "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  set(zsh "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
  set(fish "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  set(doc "${CMAKE_INSTALL_DATADIR}/doc/${program}")
  set(lintian "${CMAKE_INSTALL_DATADIR}/lintian/overrides")
  foreach(kind man bash zsh fish doc lintian)
    install(DIRECTORY "${files}/${kind}/" DESTINATION "${${kind}}" COMPONENT ${component})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY OVERLANE_PACKAGED ${program} ${program}_package_files)
endfunction()

overlane_install(overlane overlane)
install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/package/kubectl-overlane"
  DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT overlane)
# The scenarios name topologies by relative paths. What programs need of the libraries is linked
# into them; these are for reading, copying and `overlane run`.
foreach(library scenarios/library topologies/library)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${library}/"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/overlane/${library}" COMPONENT overlane
    FILES_MATCHING PATTERN "*.yaml" PATTERN "*.json")
endforeach()
# Their first lines lead editors to the schemas.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/reference/schemas"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/overlane/docs/reference" COMPONENT overlane)
install(FILES "${PROJECT_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/overlane"
  COMPONENT overlane)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/overlane"
  COMPONENT overlane)
set(root "${PROJECT_SOURCE_DIR}")
set(files "${PROJECT_BINARY_DIR}/package/overlane")
install(PROGRAMS "$<TARGET_FILE:overlane>" "${root}/tools/package/kubectl-overlane"
  DESTINATION . COMPONENT tarball)
install(FILES "${root}/README.md" "${root}/LICENSE" "${root}/CHANGELOG.md" "${root}/SECURITY.md"
  "${root}/CONTRIBUTING.md" DESTINATION . COMPONENT tarball)
install(DIRECTORY "${root}/docs" DESTINATION . COMPONENT tarball)
foreach(library scenarios/library topologies/library bench/suites)
  install(DIRECTORY "${root}/${library}/" DESTINATION ${library} COMPONENT tarball
    FILES_MATCHING PATTERN "*.yaml" PATTERN "*.json")
endforeach()
install(DIRECTORY "${files}/man/" DESTINATION man COMPONENT tarball)
install(DIRECTORY "${files}/bash" "${files}/zsh" "${files}/fish" DESTINATION completions
  COMPONENT tarball)

set(components overlane)
if(OVERLANE_DPDK)
  overlane_install(overlane-fastpath fastpath)
  list(APPEND components fastpath)
endif()

# The maintainer has one home, and the version of the packages is the project's.
file(READ "${PROJECT_SOURCE_DIR}/tools/package/changelog" changelog)
if(NOT changelog MATCHES "^overlane \\(([^-]*)-([0-9]+)\\).*\n -- ([^\n]*>)"
    OR NOT CMAKE_MATCH_1 STREQUAL PROJECT_VERSION)
  message(FATAL_ERROR "tools/package/changelog begins with another version than ${PROJECT_VERSION}")
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE "${CMAKE_MATCH_2}")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CMAKE_MATCH_3}")

set(CPACK_PACKAGE_NAME overlane)
set(CPACK_PACKAGE_VENDOR "The Overlane authors")
set(CPACK_PACKAGE_CONTACT "${CPACK_DEBIAN_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL "${components}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_OVERLANE_PACKAGE_NAME overlane)
set(CPACK_DEBIAN_OVERLANE_DESCRIPTION "simulator of pod networks of Gardener clusters
Explains, checks and simulates what happens to the packets of pods with an
overlay network (IP in IP, VXLAN, Geneve) and without one, for Shoots of
Gardener with calico or cilium. It also finds address ranges that overlap
across the shoots of a landscape. Contains a plugin for kubectl.")
set(CPACK_DEBIAN_OVERLANE_PACKAGE_SUGGESTS "kubernetes-client, iproute2, user-mode-linux, wireshark")
set(CPACK_DEBIAN_FASTPATH_PACKAGE_NAME overlane-fastpath)
set(CPACK_DEBIAN_FASTPATH_DESCRIPTION "node of a Gardener cluster that forwards packets on DPDK
Forwards packets between two ports of DPDK as a node of a Gardener shoot does,
compares what it forwards with a byte-wise reference, and measures how fast it
is.")
# DPDK loads its drivers by itself, so no linker names them.
set(CPACK_DEBIAN_FASTPATH_PACKAGE_DEPENDS "librte-meta-bus, librte-meta-mempool, librte-meta-net")
set(CPACK_DEBIAN_FASTPATH_PACKAGE_SUGGESTS "overlane, dpdk")
include(CPack)

get_property(packaged GLOBAL PROPERTY OVERLANE_PACKAGED)
add_custom_target(package_files DEPENDS ${packaged})
add_custom_target(debian
  COMMAND "${CMAKE_CPACK_COMMAND}" --config "${PROJECT_BINARY_DIR}/CPackConfig.cmake" -G DEB
    -B "${PROJECT_BINARY_DIR}"
  DEPENDS ${packaged} VERBATIM)
