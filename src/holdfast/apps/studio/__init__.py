"""The studio: a page in the browser, served from this machine, in which a design is changed and answered.

::

    browser ── page/ (HTML, CSS, JavaScript of our own)
       │  HTTP on loopback: a token, checks of Host and Origin (guard), one table of endpoints
    server ── files of one folder (shelf)
       │  a pipe each
    worker processes (pool) ── questions, answered by Holdfast's public functions (bench)

The server keeps no document: every request carries the text of its scenario, so that two windows cannot
disturb each other and a reload loses nothing. Work happens in processes that can be ended: when the client
goes away, when a newer request of the same window takes its place, or when a limit of time or memory is met.
"""
