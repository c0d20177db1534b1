"""The drawings that a manuscript can name."""

from collections.abc import Callable
from functools import partial

from reportlab.graphics.shapes import Drawing

from drawings import (
    bearing,
    charts,
    electric,
    exploded,
    hydraulics,
    outline,
    piping,
    project,
    sealing,
    sequence,
    valve,
)

DRAWINGS: dict[str, Callable[[], Drawing]] = {
    "cover": hydraulics.cover,
    "pump-set": outline.pump_set,
    "flow-path": hydraulics.flow_path,
    "impeller": exploded.impeller,
    "performance": charts.performance,
    "speed": charts.speed,
    "seal": partial(sealing.seal, sealing.ENGLISH),
    "dichtung": partial(sealing.seal, sealing.GERMAN),
    "piping": piping.piping,
    "wiring": electric.wiring,
    "safety-valve": valve.safety_valve,
    "start-up": sequence.start_up,
    "lagerung": bearing.lubrication,
    "ausrichten": bearing.alignment,
    "burn-q1": partial(project.burn, 3),
    "burn-q2": partial(project.burn, 6),
    "burn-q3": partial(project.burn, 9),
    "risk-q1": partial(project.risks, "Q1"),
    "risk-q2": partial(project.risks, "Q2"),
    "risk-q3": partial(project.risks, "Q3"),
}
