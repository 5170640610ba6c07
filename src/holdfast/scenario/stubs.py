"""The commented scenarios that ``holdfast init`` writes; both are complete and can be checked as they are."""

NETWORK_STUB = """\
# A scenario for Holdfast. Check it with: holdfast check FILE
holdfast: 1
name: My segment

network:
  # Every host is C (clean), X (compromised), D (detected), I (isolated) or Z (destroyed).
  hosts: [GW, Web, App, DB, BK]
  # Compromise spreads along links: firewall rules, service dependencies, forgotten tunnels.
  links: [GW -> Web, Web -> App, App -> DB, DB -> BK]
  # The host the adversary holds at the start; all others are clean.
  entry: GW

specs:
  # What must never happen, one clause a line. `active` counts hosts that are not I or Z,
  # `clean` those that are C; count(DB, BK in {X, D, Z}) counts the listed hosts.
  defender:
    - G !(DB in {X, D, Z} & BK in {X, D, Z})
    - G (active >= 3)
  # What the adversary cannot do: here at most two `destroy` moves in the whole play.
  adversary:
    - G (times(destroy) <= 2)

# Designs to compare with the one above: holdfast compare FILE
variants:
  direct-backup: {add_links: [Web -> BK]}
  patient-adversary: {specs: {adversary: [G (times(destroy) <= 4)]}}
"""

GAME_STUB = """\
# A scenario for Holdfast. Check it with: holdfast check FILE
holdfast: 1
name: My system

game:
  # Variables with symbols or whole numbers as values; a state gives each of them one value.
  variables: {door: [shut, open], guard: 0..2}
  define: {near: guard <= 1}
  initial: {door: shut, guard: 0}
  first: adversary
  # The players move in turn. An action lists guarded effects; the first `when` that holds applies,
  # and where none holds nothing changes.
  defender:
    wait: {}
    shut: {set: {door: shut}}
    back: [{when: guard > 0, set: {guard: guard - 1}}]
  adversary:
    wait: {}
    force: [{when: guard >= 1, set: {door: open}}]
    lure: [{when: guard < 2, set: {guard: guard + 1}}]
  # How good a state is for the defender, between 0 and 1.
  dominance: 1 - guard / 2

specs:
  # What must never happen: the door stands open and the guard is two rooms away.
  defender: [G !(door = open & guard = 2)]
  # What the adversary cannot do: here there is no limit.
  adversary: []

variants:
  three-lures: {specs: {adversary: [G (times(lure) <= 3)]}}
"""
