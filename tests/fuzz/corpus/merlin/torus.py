import sst
from sst.merlin import *

shape = {}
shape["torus.shape"] = "3x4"
shape["torus.width"] = "1x1"
shape["torus.local_ports"] = 2
sst.merlin._params.update(shape)
sst.merlin._params["link_bw"] = "4GB/s"
sst.merlin._params["link_bw.host"] = "2.5GiB/s"
sst.merlin._params["link_lat"] = "20ns"  # of all links
sst.merlin._params["flit_size"] = "8B"
topo = topoTorus()
topo.prepParams()
