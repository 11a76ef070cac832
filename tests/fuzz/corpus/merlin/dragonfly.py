import sst
from sst.merlin.topology import *
from sst.merlin.interface import *

if __name__ == "__main__":
    topo = topoDragonFly()
    topo.hosts_per_router = 2
    topo.routers_per_group = 3
    topo.intergroup_links = 2
    topo.intragroup_links = 2
    topo.num_groups = 3
    topo.global_routes = "relative"
    topo.link_latency = "20ns"
    topo.host_link_latency = '5ns'
    router = hr_router()
    router.link_bw = "4GB/s"
    router.xbar_bw = "6GB/s"
    nic = LinkControl()
    nic.link_bw = "3GB/s"
    job = TestJob(0, topo.getNumNodes() // 2)
    job.network_interface = nic
