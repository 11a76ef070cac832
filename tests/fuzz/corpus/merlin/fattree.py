from sst.merlin import *
import sst
sst.merlin._params["fattree:shape"] = "2,2:3,4:2"
topo = topoFatTree()
