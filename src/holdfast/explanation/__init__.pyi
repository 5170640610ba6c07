from .appearances import (
    Appearance as Appearance,
    appearances as appearances,
    cases_in_words as cases_in_words,
    common_in_words as common_in_words,
    news_in_words as news_in_words,
)
from .best_play import BestMove as BestMove, BestPlay as BestPlay
from .demands import Demands as Demands, ThriftyMove as ThriftyMove
from .explaining import (
    AWAITED as AWAITED,
    Explanation as Explanation,
    explain as explain,
    explanation_object as explanation_object,
    iter_explanation as iter_explanation,
)
from .fog import FailedActions as FailedActions, Fog as Fog, FogStep as FogStep
from .getting_out import GettingOut as GettingOut
from .likely_way import LikelyWay as LikelyWay
from .lines import AttackStep as AttackStep, FirstMove as FirstMove, ForcedLine as ForcedLine, Reply as Reply
from .playbook.demonstration import ExampleMove as ExampleMove
from .playbook.playbooks import Playbook as Playbook, playbook as playbook, playbook_object as playbook_object
from .playbook.proof import certify_playbook as certify_playbook
from .playbook.seen_example import SeenMove as SeenMove
from .playbook.seen_phases import SeenPhase as SeenPhase
from .playbook.seen_playbooks import (
    SeenPlaybook as SeenPlaybook,
    seen_playbook as seen_playbook,
    seen_playbook_object as seen_playbook_object,
)
from .playbook.traits import Condition as Condition, Trait as Trait, observer as observer
from .spots import Approach as Approach, Spot as Spot, TightSpots as TightSpots
from .storyboard import (
    Scene as Scene,
    Storyboard as Storyboard,
    attack_storyboard as attack_storyboard,
    changed_in_words as changed_in_words,
    move_sentence as move_sentence,
    recovery_storyboard as recovery_storyboard,
)
