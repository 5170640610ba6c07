from . import figures as figures
from .blocks import (
    Aside as Aside,
    Banner as Banner,
    Block as Block,
    Cell as Cell,
    CellValue as CellValue,
    Column as Column,
    CommandLine as CommandLine,
    Document as Document,
    Illustration as Illustration,
    Illustrations as Illustrations,
    Points as Points,
    Prose as Prose,
    Row as Row,
    Section as Section,
    Table as Table,
    words as words,
)
from .board import (
    CHIPS as CHIPS,
    HOT as HOT,
    board as board,
    clauses as clauses,
    run_together as run_together,
    shut_arrows as shut_arrows,
    statuses as statuses,
)
from .documents.background import background as background
from .documents.briefing import briefing_document as briefing_document
from .documents.comparison import comparison_document as comparison_document
from .documents.composition import composition_document as composition_document
from .documents.differences import comparison_csv as comparison_csv
from .documents.entries import entries_section as entries_section
from .documents.explanation import (
    explanation_document as explanation_document,
    reasons as reasons,
    reasons_together as reasons_together,
)
from .documents.fingerprint import (
    analysis_document as analysis_document,
    meaning as meaning,
    verdict_of as verdict_of,
)
from .documents.fragility import drift_document as drift_document, fragility_document as fragility_document
from .documents.frontier import frontier_document as frontier_document, frontier_figure as frontier_figure
from .documents.ladder import (
    ladder_document as ladder_document,
    ladder_section as ladder_section,
)
from .documents.likely_frontier import (
    likely_figure as likely_figure,
    likely_frontier_document as likely_frontier_document,
)
from .documents.playbook import playbook_document as playbook_document
from .documents.question import (
    checked_in_words as checked_in_words,
    configuration_document as configuration_document,
    solution_document as solution_document,
    verdict_document as verdict_document,
    verdict_object as verdict_object,
)
from .documents.recommendation import (
    reason as reason,
    recommendation_document as recommendation_document,
    recommendation_figures as recommendation_figures,
)
from .documents.runbook import runbook_document as runbook_document, sheet_document as sheet_document
from .documents.seen_playbook import seen_playbook_document as seen_playbook_document
from .documents.sensors import sensors_document as sensors_document
from .documents.summary import FileOutcome as FileOutcome, summary_document as summary_document
from .documents.zone_advice import (
    changes_in_brief as changes_in_brief,
    zone_advice_document as zone_advice_document,
)
from .drawing.arranging import arranged as arranged
from .drawing.layering import Sizes as Sizes, layers as layers, ordered as ordered
from .drawing.layout import laid_out as laid_out
from .drawing.routing import routes as routes
from .drawing.text import text_width as text_width
from .drawing.zoning import PADDING as PADDING, TITLE as TITLE
from .exchange.cacao import cacao as cacao, playbook_id as playbook_id
from .exchange.navigator import (
    Technique as Technique,
    Techniques as Techniques,
    navigator_layer as navigator_layer,
    vocabulary_section as vocabulary_section,
)
from .figures.style import (
    PAGE as PAGE,
    in_house_style as in_house_style,
    look as look,
    picture_bytes as picture_bytes,
    save_figure as save_figure,
    series as series,
    svg_document as svg_document,
    svg_text as svg_text,
)
from .figures.topologies import topology as topology
from .json_output import output_schema as output_schema
from .pipelines.alerts import (
    CheckCase as CheckCase,
    Site as Site,
    design_cases as design_cases,
    failed_case as failed_case,
    guard_case as guard_case,
    regression_case as regression_case,
)
from .pipelines.junit import junit as junit
from .pipelines.sarif import sarif as sarif
from .renderers.animation import animation as animation
from .renderers.page import page as page
from .renderers.terminal import INERT as INERT, WIDTH as WIDTH, plain as plain, terminal as terminal
from .rendering import rendered as rendered
