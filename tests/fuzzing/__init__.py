"""The standing attack on Holdfast: random cases of many kinds, for as long as one likes.

``make fuzz`` runs it (``MINUTES=10 SEED=0``); ``python -m fuzzing --help`` from the folder ``tests`` says what else
it can do. A *case* is plain data, so that it can be kept as a file and made smaller. An *attack* makes cases
from a stream of random numbers and judges each: it raises whatever is wrong.

::

    attack       a case is                              it is held to
    formulas     a vocabulary and a formula             the semantics of every operator, on lassos; printing
    segments     a network with any option              the rules of tests/support/segments.py, played out by hand
    models       a cell, a plant or a grid              the rules of tests/oracles/reference_*.py
    verdicts     a scenario file of any model           tests/oracles/reference.py, in both engines and on the command line,
                                                        with certificates, response, DDR*, playbooks, shields
    mutants      a scenario file, damaged               is read or refused at its place; and then as above
    imports      a file of another program, damaged     is refused in words, or gives a scenario that can be read
    forgeries    a certificate, changed                 is valid only if it proves a true verdict
    archives     a saved analysis or play, changed      is refused in words, or read as it stands
    edits        a file and operations of the studio    is refused in words, or leaves a file that says it
    commands     a command line                         exit codes, one object for --json, limits, no traceback

What is found is made smaller and kept in ``tests/found``, where ``tests/laws/test_found.py`` holds the product to it.
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("oracles", "support")]
