"""All benchmarks in one run: `make bench`.

python benchmarks/all.py [--json FILE] [--markdown FILE] [--only WORD]
"""

import accuracy
import cluster
import cones
import curved
import engine
import everyday
import files
import pages
from measuring import main

if __name__ == "__main__":
    rooms = engine, files, cones, curved, pages, cluster, everyday, accuracy
    main([bench for room in rooms for bench in room.BENCHES], __doc__, [("accuracy.md", accuracy.page)])
