from .best_plays import best_replies as best_replies
from .brackets.value_plays import (
    BestReply as BestReply,
    ValuePlay as ValuePlay,
    promised as promised,
    value_play as value_play,
)
from .dominance import (
    ExactDominance as ExactDominance,
    Exploitability as Exploitability,
    episode_operator as episode_operator,
    episode_value as episode_value,
    exact_dominance as exact_dominance,
    exploitability as exploitability,
    guarantees as guarantees,
    optimal_actions as optimal_actions,
    shortchanged as shortchanged,
)
from .holding.almost_sure import almost_surely as almost_surely
from .holding.as_prism import prism_model as prism_model
from .holding.asking import held_for as held_for, hold as hold
from .holding.best_choices import (
    BestChoice as BestChoice,
    HoldStrategies as HoldStrategies,
    hold_strategies as hold_strategies,
    strategies_object as strategies_object,
)
from .holding.likely_loss import LikelyMove as LikelyMove, likeliest_loss as likeliest_loss
from .holding.proving import certify_hold as certify_hold
from .holding.result import Hold as Hold
from .mean_payoff import LongRun as LongRun, long_run as long_run
from .point import operating_point as operating_point
from .result import OperatingPoint as OperatingPoint
from .training.interval import (
    DefenderDominance as DefenderDominance,
    GreedyBracket as GreedyBracket,
    defender_dominance as defender_dominance,
)
from .training.minimax_q import (
    Policies as Policies,
    Training as Training,
    greedy_actions as greedy_actions,
    greedy_policies as greedy_policies,
    train as train,
)
from .training.quantile import student_quantile as student_quantile
from .training.settling import CONTRADICTED as CONTRADICTED, contradiction as contradiction
from .training.trajectory import SMOOTHING as SMOOTHING, crossing as crossing, smoothed as smoothed
