"""Pictures of the demo tables: floor plans of apartments, drawn with Pillow."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

Box = tuple[int, int, int, int]

# Floor plans are drawn on a grid of this size; one unit is `SCALE` pixels.
WIDTH, HEIGHT, MARGIN, SCALE = 100, 75, 5, 4
WALL, DOOR = "#3b4252", 8
FONT_SIZE = 20  # pixels
FILLS = {
    "Living": "#fdf1d6",
    "Bedroom": "#e3e9fb",
    "Study": "#efe4f7",
    "Kitchen": "#e2f3e4",
    "Bath": "#d8f0f5",
    "Hall": "#f3f1ee",
    "Balcony": "#dcefd3",
}


@dataclass(frozen=True)
class Plan:
    """Rooms with their left, top, right and bottom edge, and the positions of doors in walls, in units of the grid.

    A door is `(x, y, is_in_horizontal_wall)`.
    """

    rooms: Mapping[str, Box]
    doors: tuple[tuple[int, int, bool], ...]


PLANS = (
    Plan(
        {"Living": (0, 0, 60, 75), "Kitchen": (60, 0, 100, 35), "Bath": (60, 35, 100, 55), "Hall": (60, 55, 100, 75)},
        ((60, 15, False), (60, 65, False), (85, 55, True), (100, 65, False)),
    ),
    Plan(
        {"Living": (0, 0, 55, 42), "Bedroom": (55, 0, 100, 42), "Hall": (0, 42, 100, 54), "Kitchen": (0, 54, 58, 75),
         "Bath": (58, 54, 100, 75)},
        ((25, 42, True), (75, 42, True), (25, 54, True), (80, 54, True), (0, 48, False)),
    ),
    Plan(
        {"Living": (0, 0, 58, 38), "Balcony": (58, 0, 100, 16), "Study": (58, 16, 100, 38), "Hall": (0, 38, 100, 48),
         "Kitchen": (0, 48, 32, 75), "Bath": (32, 48, 56, 75), "Bedroom": (56, 48, 100, 75)},
        ((58, 8, False), (30, 38, True), (80, 38, True), (16, 48, True), (44, 48, True), (78, 48, True),
         (100, 43, False)),
    ),
)  # fmt: skip


def floor_plan(number: int, *, mirrored: bool) -> bytes:
    """Return one of the floor plans as a PNG picture, about 5 kB; `mirrored` exchanges left and right."""
    plan = PLANS[number % len(PLANS)]
    size = ((WIDTH + 2 * MARGIN) * SCALE, (HEIGHT + 2 * MARGIN) * SCALE)
    picture = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(FONT_SIZE)
    for name, box in plan.rooms.items():
        left, top, right, bottom = _pixels(box, mirrored=mirrored)
        draw.rectangle((left, top, right, bottom), fill=FILLS[name], outline=WALL, width=SCALE)
        draw.text(((left + right) / 2, (top + bottom) / 2), name, fill=WALL, font=font, anchor="mm")
    for x, y, is_in_horizontal_wall in plan.doors:
        half = DOOR // 2
        opening = (x - half, y, x + half, y) if is_in_horizontal_wall else (x, y - half, x, y + half)
        draw.line(_pixels(opening, mirrored=mirrored), fill="white", width=2 * SCALE)
    encoded = io.BytesIO()
    picture.save(encoded, "PNG", optimize=True)
    return encoded.getvalue()


def _pixels(box: Box, *, mirrored: bool) -> Box:
    left, top, right, bottom = box
    if mirrored:
        left, right = WIDTH - right, WIDTH - left
    left, top, right, bottom = ((MARGIN + each) * SCALE for each in (left, top, right, bottom))
    return left, top, right, bottom
