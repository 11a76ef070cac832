# A script for SST with Merlin: a HyperX of 4 x 4 routers, eight hosts on each.
import sst
from sst.merlin.base import *
from sst.merlin.interface import *
from sst.merlin.topology import *

topo = topoHyperX()
topo.shape = "4x4"
topo.width = "2x2"
topo.local_ports = 8
topo.algorithm = "DOR"
topo.link_latency = "20ns"

router = hr_router()
router.link_bw = "4GB/s"
router.flit_size = "8B"
router.xbar_bw = "6GB/s"
router.input_buf_size = "4kB"
topo.router = router

interface = LinkControl()
interface.link_bw = "4GB/s"

system = System()
system.setTopology(topo)
