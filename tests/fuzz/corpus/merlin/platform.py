import sst
from sst.merlin.base import *
platform = PlatformDefinition("own")
platform.addParamSet("topology", {
    "shape" : "2x3",
    "width" : "2x1",
    "local_ports" : 4,
    "link_latency" : "1us",
})
platform.addClassType("topology", "sst.merlin.topology.topoHyperX")
platform.addParamSet("router", {
    "link_bw" : "4GB/s",
})
platform.addParamSet("network_interface", {
    "link_bw" : "1GB/s",
})
