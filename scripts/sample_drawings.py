"""Logo, charts, floor plan and landscapes of the sample brochure, drawn with Pillow."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache

import numpy as np
import pymupdf
from PIL import Image, ImageDraw, ImageFilter, ImageFont

INK, TEAL, CORAL, PALE, GREY = "#0d2b36", "#0b6b78", "#f0553a", "#e3eff1", "#6b8087"
SCALE = 3

Point = tuple[float, float]


@cache
def font(size: float, bold: bool = False) -> ImageFont.FreeTypeFont:
    data = pymupdf.Font("hebo" if bold else "helv").buffer
    return ImageFont.truetype(io.BytesIO(data), round(size * SCALE))


class Sheet:
    """A canvas in small units, drawn `SCALE` times larger and shrunk at the end."""

    def __init__(self, width: int, height: int, colour: str = "white") -> None:
        self.size = (width, height)
        self.image = Image.new("RGB", (width * SCALE, height * SCALE), colour)
        self.draw = ImageDraw.Draw(self.image)

    def _up(self, points: Sequence[float]) -> list[float]:
        return [value * SCALE for value in points]

    def line(self, *points: float, colour: str = INK, width: float = 1.5) -> None:
        self.draw.line(self._up(points), fill=colour, width=round(width * SCALE), joint="curve")

    def box(self, *corners: float, colour: str, radius: float = 0) -> None:
        self.draw.rounded_rectangle(self._up(corners), radius * SCALE, fill=colour)

    def disc(self, x: float, y: float, r: float, colour: str) -> None:
        self.draw.ellipse(self._up((x - r, y - r, x + r, y + r)), fill=colour)

    def shape(self, points: Sequence[Point], colour: str) -> None:
        self.draw.polygon(self._up([value for point in points for value in point]), fill=colour)

    def text(self, x: float, y: float, words: str, size: float = 13, colour: str = INK,
             bold: bool = False, anchor: str = "mm") -> None:  # fmt: skip
        self.draw.text((x * SCALE, y * SCALE), words, colour, font(size, bold), anchor)

    def finish(self) -> Image.Image:
        return self.image.resize(self.size, Image.Resampling.LANCZOS)


def draw_logo() -> Image.Image:
    """A wave inside a disc, and the name."""
    sheet = Sheet(420, 110)
    sheet.disc(55, 55, 46, TEAL)
    x = np.linspace(9, 101, 80)
    for lift, colour in ((8, "#3fa7b0"), (24, CORAL)):
        top = [(float(a), 55 + lift + 10 * float(np.sin((a - 9) / 14.6))) for a in x]
        inside = [(a, b) for a, b in top if (a - 55) ** 2 + (b - 55) ** 2 < 46**2]
        floor = [(a, 55 + float(np.sqrt(46**2 - (a - 55) ** 2))) for a, _ in reversed(inside)]
        sheet.shape([*inside, *floor], colour)
    sheet.text(118, 46, "nerivane", 46, INK, bold=True, anchor="lm")
    sheet.text(121, 86, "OCEAN INSTRUMENTS", 17.5, TEAL, anchor="lm")
    return sheet.finish()


def draw_revenue() -> Image.Image:
    sheet = Sheet(820, 430)
    years, values = range(2029, 2036), (6.2, 7.9, 9.1, 8.4, 12.6, 17.3, 21.8)
    for step in range(0, 25, 5):
        y = 370 - step * 13
        sheet.line(70, y, 790, y, colour="#d9e3e6", width=1)
        sheet.text(58, y, str(step), 15, GREY, anchor="rm")
    for i, (year, value) in enumerate(zip(years, values, strict=True)):
        x = 98 + i * 100
        colour = CORAL if value == max(values) else TEAL
        sheet.box(x, 370 - value * 13, x + 58, 370, colour=colour, radius=5)
        sheet.box(x, 362, x + 58, 370, colour=colour)
        sheet.text(x + 29, 356 - value * 13, f"{value}", 16, INK, bold=True)
        sheet.text(x + 29, 392, str(year), 16, GREY)
    sheet.text(70, 22, "Revenue, million crowns", 17, INK, bold=True, anchor="lm")
    return sheet.finish()


def draw_endurance() -> Image.Image:
    sheet = Sheet(820, 430)
    depths = (0, 50, 100, 150, 200, 250, 300)
    series = (
        ("Ossimar", CORAL, -26, (9.4, 9.1, 8.6, 7.8, 6.9, 5.7, 4.4)),
        ("previous model", GREY, 30, (6.1, 5.6, 4.9, 4.0, 2.8, 1.5, 0.4)),
    )
    for hours in range(0, 11, 2):
        y = 370 - hours * 30
        sheet.line(70, y, 790, y, colour="#d9e3e6", width=1)
        sheet.text(58, y, str(hours), 15, GREY, anchor="rm")
    for i, depth in enumerate(depths):
        sheet.text(90 + i * 105, 392, f"{depth} m", 16, GREY)
    for name, colour, lift, values in series:
        points = [(90 + i * 105, 370 - value * 30) for i, value in enumerate(values)]
        sheet.line(*[c for point in points for c in point], colour=colour, width=4)
        for x, y in points:
            sheet.disc(x, y, 7, colour)
            sheet.disc(x, y, 3.5, "white")
        sheet.text(points[2][0], points[2][1] + lift, name, 16, colour, bold=True)
    sheet.text(70, 22, "Hours of diving on one charge", 17, INK, bold=True, anchor="lm")
    return sheet.finish()


ROOMS = (
    (40, 40, 330, 210, "Wet laboratory", "#cfe6ea"),
    (330, 40, 560, 210, "Test basin", "#9fd0d8"),
    (560, 40, 860, 210, "Workshop", "#f3e3d3"),
    (40, 210, 230, 300, "Archive", "#ece8f2"),
    (230, 210, 560, 300, "Gallery", "#f6f8f8"),
    (560, 210, 860, 300, "Store", "#eef0ea"),
    (40, 300, 330, 480, "Canteen", "#fbe9d6"),
    (330, 300, 560, 480, "Entrance hall", "#e6f0e4"),
    (560, 300, 860, 480, "Calibration room", "#fbd9d0"),
)
DOORS = ((250, 210, 0), (430, 210, 0), (700, 210, 0), (120, 300, 0), (450, 300, 0), (640, 300, 0),
         (230, 240, 1), (560, 240, 1), (330, 370, 1), (430, 480, 0))  # fmt: skip


def draw_plan() -> Image.Image:
    """The ground floor: rooms, doors, the round tank in the test basin, stairs, north arrow."""
    sheet = Sheet(900, 540, "#fbfcfc")
    for x0, y0, x1, y1, _, colour in ROOMS:
        sheet.box(x0, y0, x1, y1, colour=colour)
    sheet.disc(445, 130, 62, "#4fa8b5")
    sheet.disc(445, 130, 52, "#7cc3cd")
    for x0, y0, x1, y1, name, _ in ROOMS:
        sheet.line(x0, y0, x1, y0, x1, y1, x0, y1, x0, y0, width=4)
        sheet.text((x0 + x1) / 2, (y0 + y1) / 2, name, 16.5, INK, bold=True)
    for x, y, upright in DOORS:
        ends = (x, y, x, y + 34) if upright else (x, y, x + 34, y)
        sheet.line(*ends, colour="#fbfcfc", width=6)
    for i in range(7):
        sheet.line(500 + i * 8, 440, 500 + i * 8, 476, colour=GREY, width=1.5)
    for i in range(4):
        sheet.box(75 + i * 62, 425, 105 + i * 62, 455, colour="#d9a877", radius=8)
        sheet.box(590 + i * 64, 60, 635 + i * 64, 84, colour="#c9ab8c", radius=3)
    sheet.shape([(880, 60), (872, 84), (880, 78), (888, 84)], CORAL)
    sheet.text(880, 48, "N", 14, INK, bold=True)
    sheet.line(40, 510, 240, 510, width=3)
    sheet.text(252, 510, "10 m", 14, GREY, anchor="lm")
    sheet.text(445, 503, "Main door", 14, CORAL, bold=True)
    return sheet.finish()


# --- landscapes ----------------------------------------------------------------------------------


def _gradient(width: int, height: int, stops: Sequence[tuple[float, str]]) -> Image.Image:
    at = [stop for stop, _ in stops]
    colours = [Image.new("RGB", (1, 1), colour).getpixel((0, 0)) for _, colour in stops]
    y = np.linspace(0, 1, height)
    column = np.stack([np.interp(y, at, [c[i] for c in colours]) for i in range(3)], 1)
    return Image.fromarray(np.repeat(column[:, None], width, 1).astype(np.uint8))


def _ridge(width: int, base: float, height: float, seed: int, rough: float = 0.55) -> list[Point]:
    """A skyline by octaves of smooth noise."""
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 1, width)
    y = np.zeros(width)
    for octave in range(7):
        knots = rng.uniform(-1, 1, 3 * 2**octave + 1)
        y += np.interp(x, np.linspace(0, 1, len(knots)), knots) * rough**octave
    return [(float(i), base - height * float(v)) for i, v in enumerate(y)]


def _add_ridge(image: Image.Image, skyline: Sequence[Point], top: str, bottom: str) -> None:
    w, h = image.size
    mask = Image.new("L", image.size)
    ImageDraw.Draw(mask).polygon([*skyline, (w, h), (0, h)], fill=255)
    start = min(y for _, y in skyline) / h
    image.paste(_gradient(w, h, ((max(start, 0), top), (1, bottom))), mask=mask)


def _add_glow(image: Image.Image, x: float, y: float, radius: float, colour: str) -> None:
    glow = Image.new("L", image.size)
    ImageDraw.Draw(glow).ellipse((x - radius, y - radius, x + radius, y + radius), fill=210)
    image.paste(colour, mask=glow.filter(ImageFilter.GaussianBlur(radius * 0.7)))


def _add_water(image: Image.Image, shore: int, tint: str, ripple: float, seed: int) -> None:
    """The upper part upside down, moved by ripples that grow towards the viewer."""
    pixels = np.asarray(image).astype(np.float32)
    h, _w, _ = pixels.shape
    rng = np.random.default_rng(seed)
    colour = np.array(Image.new("RGB", (1, 1), tint).getpixel((0, 0)), np.float32)
    for y in range(shore, h):
        depth = (y - shore) / (h - shore)
        source = int(shore - 1 - (y - shore) * 0.9 + rng.normal(0, ripple * (0.3 + depth)))
        row = np.roll(
            pixels[int(np.clip(source, 0, shore - 1))], int(rng.normal(0, 2 + 9 * depth)), 0
        )
        pixels[y] = row * (0.72 - 0.25 * depth) + colour * (0.28 + 0.25 * depth)
    image.paste(Image.fromarray(pixels.astype(np.uint8)))


def draw_fjord() -> Image.Image:
    """A morning fjord: layers of hills in haze, boathouses at the shore, a small red boat."""
    w, h = 1800, 1000
    image = _gradient(w, h, ((0, "#6fb3cf"), (0.35, "#cfe4ea"), (0.6, "#f7e6d2")))
    _add_glow(image, 1320, 380, 110, "#fff3da")
    for base, height, seed, top, bottom in (
        (430, 120, 3, "#a9c6d0", "#dfe7e6"), (500, 150, 11, "#7ba6b4", "#c5d9da"),
        (560, 110, 29, "#4f8291", "#9fc0c2"), (610, 70, 8, "#2f5f63", "#52807c"),
    ):  # fmt: skip
        _add_ridge(image, _ridge(w, base, height, seed), top, bottom)
    draw = ImageDraw.Draw(image)
    for x, size, colour in ((260, 70, "#b5402f"), (350, 56, "#e9e2d6"), (425, 62, "#c98a2b")):
        draw.rectangle((x, 640 - size * 0.7, x + size, 640), fill=colour)
        eaves, gable = 640 - size * 0.7, 640 - size * 1.25
        draw.polygon([(x - 8, eaves), (x + size / 2, gable), (x + size + 8, eaves)], fill="#3a3f45")
        draw.rectangle((x + size * 0.38, 640 - size * 0.4, x + size * 0.62, 640), fill="#2b2f33")
    draw.rectangle((220, 638, 560, 646), fill="#6d5a48")
    _add_water(image, 646, "#3d7486", 5, 5)
    draw.polygon([(1040, 800), (1200, 800), (1172, 838), (1066, 838)], fill="#cf3f2c")
    draw.rectangle((1090, 768, 1140, 800), fill="#f1ece2")
    draw.line((1115, 700, 1115, 770), fill="#4b4b4b", width=5)
    return image.resize((900, 500), Image.Resampling.LANCZOS)


def draw_lighthouse() -> Image.Image:
    """A striped lighthouse at dusk, its beam over the sea."""
    w, h = 1800, 1000
    image = _gradient(w, h, ((0, "#1d2a52"), (0.3, "#54528a"), (0.5, "#d9796a"), (0.62, "#f7c27d")))
    _add_glow(image, 420, 590, 90, "#ffe2a8")
    _add_ridge(image, _ridge(w, 600, 50, 21), "#5d4a6e", "#8f6672")
    _add_water(image, 630, "#2a2f5a", 7, 9)
    beam = Image.new("L", (w, h))
    ImageDraw.Draw(beam).polygon([(1330, 268), (0, 60), (0, 330)], fill=105)
    ImageDraw.Draw(beam).polygon([(1330, 268), (w, 200), (w, 330)], fill=70)
    image.paste("#fff0c2", mask=beam.filter(ImageFilter.GaussianBlur(22)))
    draw = ImageDraw.Draw(image)
    for i in range(8):
        y, half = 300 + i * 58, 38 + i * 5
        left, right = 1330 - half, 1330 + half
        draw.polygon([(left, y), (right, y), (right + 5, y + 58), (left - 5, y + 58)],
                     fill="#ece6e0" if i % 2 else "#b8372f")  # fmt: skip
    draw.rectangle((1276, 288, 1384, 302), fill="#26222e")
    draw.rectangle((1302, 238, 1358, 288), fill="#ffe9a6")
    draw.polygon([(1290, 238), (1330, 196), (1370, 238)], fill="#26222e")
    rock = [(x, y) for x, y in _ridge(w, 820, 60, 33, 0.6)]
    rise = [(x, y - 190 * np.exp(-(((x - 1330) / 330) ** 2))) for x, y in rock]
    _add_ridge(image, rise, "#2b2338", "#0f0d1a")
    _add_glow(image, 1330, 264, 34, "#fff6d2")
    return image.resize((900, 500), Image.Resampling.LANCZOS)
