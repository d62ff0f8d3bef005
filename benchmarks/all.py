"""All benchmarks in one run: `make bench`.

python benchmarks/all.py [--json FILE] [--markdown FILE] [--only WORD]
"""

import cluster
import cones
import curved
import engine
import files
import pages
from measuring import main

if __name__ == "__main__":
    main(engine.BENCHES + files.BENCHES + cones.BENCHES + curved.BENCHES + pages.BENCHES + cluster.BENCHES, __doc__)
