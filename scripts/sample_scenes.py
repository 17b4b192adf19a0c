"""The products and the people of the sample brochure, as scenes for the studio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PIL import Image, ImageFilter
from sample_render import (
    Array,
    Material,
    Point,
    Scene,
    Studio,
    at,
    ball,
    blend,
    box,
    carve,
    drum,
    mirror,
    render,
    ring,
    rod,
    turn,
)

WHITE = Material((0.68, 0.7, 0.72), 0.7)
GRAPHITE = Material((0.035, 0.04, 0.05), 0.6)
CORAL = Material((0.95, 0.16, 0.08), 0.5)
AMBER = Material((1.0, 0.5, 0.02), 0.5)
TEAL = Material((0.01, 0.27, 0.32), 0.7)
STEEL = Material((0.72, 0.74, 0.77), 0.9, metal=True)
GLASS = Material((0.01, 0.015, 0.03), 1.0)
LIGHT = Material((1.0, 0.93, 0.75), 0.2, glow=1.6)
SCREEN = Material((0.03, 0.35, 0.5), 0.9, glow=0.55)


# --- products ------------------------------------------------------------------------------------


def drone(p: Array) -> list[tuple[Array, int]]:
    """Ossimar: white hull, graphite belly, glass dome, four thrusters with coral rings."""
    p = at(p, 0, 0.5, 0)
    hull = blend(
        ball(p, 0.62, (1.55, 0.62, 0.85)), box(at(p, -0.25, 0.05, 0), (0.6, 0.26, 0.4), 0.2), 0.15
    )
    seam = np.abs(p[1] + 0.07) - 0.012
    hull = carve(hull, seam)
    belly = box(at(p, -0.1, -0.32, 0), (0.62, 0.12, 0.3), 0.1)
    dome = ball(at(p, 0.74, -0.02, 0), 0.3)
    collar = ring(at(p, 0.72, -0.02, 0), 0.3, 0.035, 0)
    fin = box(at(p, -0.62, 0.42, 0), (0.22, 0.2, 0.03), 0.03)
    q = mirror(p, 2)
    arm, pod, rim, blades, lamp = [], [], [], [], []
    for x in (0.38, -0.62):
        centre = at(q, x, 0.02, 0.86)
        arm.append(rod(q, (x * 0.7, 0.0, 0.4), (x, 0.02, 0.72), 0.075))
        pod.append(carve(drum(centre, 0.27, 0.14, 0.05), drum(centre, 0.2, 0.4, 0.01)))
        rim.append(ring(at(centre, 0, 0.13, 0), 0.24, 0.035))
        turned = turn(centre, 1, 25)
        blades.append(
            np.minimum(
                box(turned, (0.19, 0.012, 0.04), 0.01), box(turned, (0.04, 0.012, 0.19), 0.01)
            )
        )
        blades.append(drum(centre, 0.06, 0.06, 0.02))
    lamp.append(drum(at(q, 0.62, -0.28, 0.26), 0.09, 0.07, 0.02, 0))
    bulb = drum(at(q, 0.685, -0.28, 0.26), 0.065, 0.02, 0.01, 0)
    return [
        (hull, 0),
        (np.minimum.reduce([belly, *arm, *pod, *lamp]), 1),
        (dome, 2),
        (np.minimum.reduce([collar, *blades]), 3),
        (np.minimum.reduce([*rim]), 4),
        (fin, 4),
        (bulb, 5),
    ]


def buoy(p: Array) -> list[tuple[Array, int]]:
    """Tellune: white float with an amber band, teal mast head, steel cage, graphite keel."""
    p = at(p, 0, 1.02, 0)
    body = ball(p, 0.62, (1, 0.72, 1))
    groove = carve(body, ring(p, 0.66, 0.05))
    band = drum(at(p, 0, 0.0, 0), 0.632, 0.085, 0.04)
    deck = drum(at(p, 0, 0.43, 0), 0.3, 0.07, 0.03)
    mast = rod(p, (0, 0.4, 0), (0, 1.05, 0), 0.055)
    head = drum(at(p, 0, 1.16, 0), 0.17, 0.16, 0.06)
    eye = ring(at(p, 0, 1.16, 0), 0.168, 0.022)
    tip = ball(at(p, 0, 1.42, 0), 0.075)
    keel = blend(
        rod(p, (0, -0.4, 0), (0, -0.85, 0), 0.1), drum(at(p, 0, -0.86, 0), 0.24, 0.09, 0.05), 0.1
    )
    cage = [ring(at(p, 0, 0.82, 0), 0.3, 0.018)]
    for angle in (20, 92, 164, 236, 308):
        x, z = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        cage.append(rod(p, (0.3 * x, 0.82, 0.3 * z), (0.36 * x, 0.3, 0.36 * z), 0.018))
    panels = []
    for angle in (-35, 55, 145):
        q = turn(p, 1, angle)
        panels.append(box(turn(at(q, 0.44, 0.31, 0), 2, 52), (0.012, 0.1, 0.16), 0.01))
    return [
        (groove, 0),
        (band, 1),
        (np.minimum(keel, deck), 2),
        (np.minimum.reduce([mast, *cage]), 3),
        (head, 4),
        (np.minimum(eye, tip), 5),
        (np.minimum.reduce(panels), 6),
    ]


def handset(p: Array) -> list[tuple[Array, int]]:
    """Quillo: graphite controller, lit screen, two sticks, the left one in a coral ring."""
    p = turn(at(p, 0, 0.66, 0), 0, -52)
    grips = np.minimum(
        rod(p, (-0.86, 0.12, 0), (-0.98, -0.42, -0.06), 0.2),
        rod(p, (0.86, 0.12, 0), (0.98, -0.42, -0.06), 0.2),
    )
    body = blend(box(p, (0.98, 0.42, 0.13), 0.12), grips, 0.14)
    bezel = box(at(p, 0, 0.03, 0.125), (0.52, 0.33, 0.02), 0.02)
    screen = box(at(p, 0, 0.03, 0.14), (0.48, 0.29, 0.016), 0.012)
    left, right = at(p, -0.75, 0.08, 0.14), at(p, 0.75, 0.08, 0.14)
    wells = np.minimum(ring(left, 0.15, 0.026, 2), 9)
    steel_well = ring(right, 0.15, 0.026, 2)
    sticks = np.minimum(
        blend(
            rod(left, (0, 0, 0), (0, 0, 0.1), 0.05),
            drum(at(left, 0, 0, 0.13), 0.1, 0.03, 0.025, 2),
            0.03,
        ),
        blend(
            rod(right, (0, 0, 0), (0, 0, 0.1), 0.05),
            drum(at(right, 0, 0, 0.13), 0.1, 0.03, 0.025, 2),
            0.03,
        ),
    )
    keys = np.minimum.reduce(
        [drum(at(p, x, -0.26, 0.135), 0.045, 0.02, 0.015, 2) for x in (0.68, 0.82)]
    )
    start = drum(at(p, -0.75, -0.26, 0.135), 0.05, 0.02, 0.015, 2)
    aerial = rod(p, (0.5, 0.4, 0), (0.5, 0.78, 0), 0.04)
    trace = _trace(p)
    return [
        (body, 0),
        (np.minimum(bezel, sticks), 1),
        (screen, 2),
        (wells, 3),
        (np.minimum(steel_well, keys), 4),
        (start, 3),
        (aerial, 1),
        (trace, 5),
    ]


def _trace(p: Array) -> Array:
    """A depth profile on the screen: a few rods."""
    heights = (0.12, 0.05, -0.1, -0.02, -0.16, -0.06, 0.1)
    xs = np.linspace(-0.4, 0.4, len(heights))
    ends = list(zip(xs, heights, strict=True))
    return np.minimum.reduce(
        [rod(p, (a, b, 0.157), (c, d, 0.157), 0.011) for (a, b), (c, d) in pairwise(ends)]
    )


def lamp(p: Array) -> list[tuple[Array, int]]:
    """Lanthe: teal dive lamp with cooling ribs, steel bezel and a graphite handle."""
    p = turn(at(p, 0, 0.5, 0), 1, 24)
    tube = drum(p, 0.3, 0.75, 0.06, 0)
    ribs = [drum(at(p, x, 0, 0), 0.37, 0.03, 0.02, 0) for x in (0.12, 0.24, 0.36, 0.48)]
    head = drum(at(p, 0.72, 0, 0), 0.43, 0.2, 0.07, 0)
    bezel = ring(at(p, 0.9, 0, 0), 0.39, 0.05, 0)
    lens = ball(at(p, 0.78, 0, 0), 0.37, (0.5, 1, 1))
    tail = drum(at(p, -0.74, 0, 0), 0.31, 0.1, 0.04, 0)
    handle = np.minimum.reduce(
        [
            rod(p, (-0.5, 0.3, 0), (-0.4, 0.62, 0), 0.06),
            rod(p, (-0.4, 0.62, 0), (0.3, 0.62, 0), 0.075),
            rod(p, (0.3, 0.62, 0), (0.42, 0.36, 0), 0.06),
        ]
    )
    return [
        (np.minimum.reduce([tube, *ribs, head]), 0),
        (bezel, 1),
        (lens, 2),
        (np.minimum(tail, handle), 3),
    ]


LAMP_MATERIALS = (TEAL, STEEL, LIGHT, GRAPHITE)
DRONE_MATERIALS = (WHITE, GRAPHITE, GLASS, STEEL, CORAL, LIGHT)
BUOY_MATERIALS = (WHITE, AMBER, GRAPHITE, STEEL, TEAL, LIGHT, GLASS)
HANDSET_MATERIALS = (Material((0.06, 0.07, 0.085), 0.55), GRAPHITE, SCREEN, CORAL, STEEL, LIGHT)


def draw_drone() -> Image.Image:
    return render(
        drone, Studio((2.9, 2.2, 4.2), (-0.02, 0.42, 0.0), DRONE_MATERIALS, 4.3), 900, 600
    )


def draw_buoy() -> Image.Image:
    studio = Studio((1.6, 1.9, 5.2), (0, 1.22, 0), BUOY_MATERIALS, 3.6)
    return render(buoy, studio, 700, 860)


def draw_handset() -> Image.Image:
    studio = Studio((0.9, 3.1, 3.9), (0, 0.5, 0), HANDSET_MATERIALS, 4.3)
    return render(handset, studio, 800, 560)


def draw_lamp() -> Image.Image:
    return render(lamp, Studio((2.7, 1.7, 4.0), (0.05, 0.48, 0), LAMP_MATERIALS, 4.6), 800, 560)


def draw_hero() -> Image.Image:
    """The drone in deep water: fog, rays of light from above, drifting particles."""
    studio = Studio(
        (3.3, -0.35, 4.0), (-0.1, 0.62, 0), DRONE_MATERIALS, 3.0, (-0.2, 1.0, 0.25),
        top=(0.05, 0.42, 0.52), bottom=(0.0, 0.025, 0.06), floor=None, fog=0.035,
        warmth=(0.75, 1, 1),
    )  # fmt: skip
    image = render(drone, studio, 900, 1000)
    return Image.fromarray(_add_water(np.asarray(image).astype(np.float32)))


def _add_water(pixels: Array) -> np.ndarray:
    h, w, _ = pixels.shape
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    rng = np.random.default_rng(7)
    angle = np.arctan2(x - w * 0.3, y + h * 0.45)
    rays = sum(np.sin(angle * f + ph) for f, ph in ((23, 1.0), (41, 2.2), (67, 0.4)))
    fall = np.clip(1 - y / (h * 0.85), 0, 1) ** 1.5
    pixels = pixels + (np.clip(rays, 0, 3) * fall * 15)[..., None] * np.array([0.6, 1, 1])
    dust = Image.new("L", (w, h))
    for _ in range(240):
        px, py, size = rng.integers(0, w), rng.integers(0, h), rng.uniform(0.6, 2.2)
        dust.paste(int(rng.integers(40, 150)), (px, py, px + int(size) + 1, py + int(size) + 1))
    soft = np.asarray(dust.filter(ImageFilter.GaussianBlur(1.1))).astype(np.float32)
    depth = (1 - 0.6 * (y / h) ** 1.6)[..., None]
    return np.clip(pixels * depth + soft[..., None] * 0.8, 0, 255).astype(np.uint8)


# --- people --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Person:
    """What tells a portrait from the next one."""

    skin: Point
    hair: Point
    clothes: Point
    wall: Point
    style: str
    glasses: bool = False
    beard: bool = False
    scarf: Point | None = None


PEOPLE = {
    "maren": Person(
        skin=(0.78, 0.48, 0.36), hair=(0.55, 0.1, 0.02), clothes=(0.02, 0.2, 0.24),
        wall=(0.8, 0.88, 0.88), style="bun", glasses=True,
    ),
    "idris": Person(
        skin=(0.28, 0.14, 0.08), hair=(0.015, 0.012, 0.012), clothes=(0.85, 0.42, 0.03),
        wall=(0.86, 0.84, 0.78), style="short", beard=True,
    ),
    "oona": Person(
        skin=(0.82, 0.55, 0.45), hair=(0.75, 0.74, 0.72), clothes=(0.1, 0.13, 0.35),
        wall=(0.82, 0.84, 0.9), style="bob", scarf=(0.8, 0.12, 0.08),
    ),
    "teo": Person(
        skin=(0.62, 0.38, 0.24), hair=(0.05, 0.025, 0.015), clothes=(0.3, 0.42, 0.3),
        wall=(0.88, 0.85, 0.82), style="cap",
    ),
}  # fmt: skip


def make_portrait(person: Person) -> Scene:
    def portrait(p: Array) -> list[tuple[Array, int]]:
        p = turn(at(p, 0, 1.25, 0), 1, 14)
        q = mirror(p, 0)
        face = blend(ball(p, 0.5, (0.88, 1.05, 0.92)), ball(at(p, 0, -0.3, 0.12), 0.26), 0.2)
        face = blend(face, ball(at(p, 0, -0.06, 0.5), 0.075, (0.8, 1.1, 1)), 0.06)
        face = np.minimum(face, ball(at(q, 0.45, -0.04, 0), 0.1, (0.5, 1, 0.8)))
        neck = rod(p, (0, -0.4, -0.05), (0, -0.8, -0.08), 0.19)
        body = blend(
            ball(at(p, 0, -1.5, -0.1), 0.78, (1.08, 0.95, 0.62)),
            rod(q, (0.2, -0.95, -0.1), (0.55, -1.1, -0.1), 0.2),
            0.2,
        )
        collar = ring(turn(at(p, 0, -0.74, -0.06), 0, -12), 0.23, 0.075)
        eyes = ball(at(q, 0.17, 0.05, 0.44), 0.052, (0.9, 1.15, 0.6))
        brows = rod(q, (0.1, 0.2, 0.455), (0.26, 0.19, 0.4), 0.022)
        smile = _smile(p)
        parts = [(blend(face, neck, 0.08), 0), (np.minimum(_hair(p, q, person), brows), 1),
                 (body, 2), (collar, 3), (eyes, 4), (smile, 5)]  # fmt: skip
        if person.glasses:
            rims = ring(turn(at(q, 0.18, 0.04, 0.5), 1, 0), 0.135, 0.02, 2)
            bridge = rod(q, (0, 0.07, 0.52), (0.06, 0.06, 0.52), 0.016)
            arms = rod(q, (0.31, 0.07, 0.48), (0.47, 0.05, 0.05), 0.016)
            parts.append((np.minimum.reduce([rims, bridge, arms]), 4))
        if person.style == "cap":
            dome = carve(ball(at(p, 0, 0.12, -0.03), 0.52, (0.95, 0.95, 1)), p[1] - 0.2)
            fold = ring(at(p, 0, 0.24, -0.02), 0.455, 0.085)
            parts.append((np.minimum(dome, fold), 3))
        return parts

    return portrait


def _smile(p: Array) -> Array:
    xs = np.linspace(-0.13, 0.13, 7)
    ends = [(x, -0.27 + 1.9 * x * x, 0.455 - 1.1 * x * x) for x in xs]
    return np.minimum.reduce([rod(p, a, b, 0.016) for a, b in pairwise(ends)])


def _hair(p: Array, q: Array, person: Person) -> Array:
    shell = ball(at(p, 0, 0.08, -0.08), 0.55, (0.93, 1.0, 0.95))
    window = box(at(p, 0, -0.26, 0.5), (0.36, 0.5, 0.5), 0.2)
    crown = carve(shell, window)
    if person.style == "bun":
        return np.minimum(carve(crown, p[1] + 0.25), ball(at(p, 0, 0.66, -0.16), 0.22))
    if person.style == "bob":
        return np.minimum(crown, rod(q, (0.44, 0.1, -0.1), (0.47, -0.42, -0.02), 0.15))
    cut = carve(crown, p[1] + (0.06 if person.style == "short" else 0.2))
    if person.beard:
        jaw = ball(at(p, 0, -0.31, 0.14), 0.3, (1.08, 0.85, 1.0))
        mouth = ball(at(p, 0, -0.235, 0.45), 0.11, (1.25, 0.55, 1))
        return np.minimum(cut, carve(carve(jaw, mouth), at(p, 0, -0.16, 0)[1] * -1))
    return cut


def draw_person(name: str) -> Callable[[], Image.Image]:
    def draw() -> Image.Image:
        person = PEOPLE[name]
        accent = person.scarf or person.clothes
        materials = (
            Material(person.skin, 0.15), Material(person.hair, 0.3), Material(person.clothes, 0.08),
            Material(accent, 0.08), GRAPHITE, Material((0.45, 0.1, 0.09), 0.3),
        )  # fmt: skip
        wall = person.wall
        studio = Studio(
            (0.15, 1.45, 5), (0, 1.06, 0), materials, 4.1, (-0.7, 0.7, 0.9),
            top=wall, bottom=tuple(0.82 * c for c in wall), floor=None,
            bounds=(0, 0.7, 0, 2.0),
        )  # fmt: skip
        return render(make_portrait(person), studio, 420, 480)

    return draw
