import sst
from sst.merlin.topology import *
topo = topoMesh()
topo.shape = "3x2"
topo.width = "2x1"
topo.local_ports = 1
