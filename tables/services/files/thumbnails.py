"""Thumbnails of pictures: only pixels that were decoded and encoded again, without metadata."""
from __future__ import annotations

import io
import logging
import warnings

from django.core.files.base import ContentFile
from PIL import Image, ImageOps, UnidentifiedImageError

from tables.exceptions import NotFound
from tables.models import FileContent, TableFile
from tables.services.files.media_types import IMAGES
from tables.services.files.storage import content_path, delete_thumbnail, open_stored, store, thumbnail_path
from tables.signals import news_made

# Pixels on the longer side; twice the size of a cell, for screens with a high resolution.
MAX_SIDE = 320
MAX_PIXELS = 50_000_000
THUMBNAIL_TYPE = "image/webp"
QUALITY = 80
# Pillow's names of the formats that are decoded; all others are refused before they are read.
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
# What Pillow raises for damaged, hostile and too large pictures.
NO_PICTURE = (
    UnidentifiedImageError, Image.DecompressionBombError, Image.DecompressionBombWarning, OSError, ValueError,
    SyntaxError, EOFError, IndexError, OverflowError,
)  # fmt: skip

log = logging.getLogger(__name__)


def has_thumbnail(content: FileContent) -> bool:
    """Return whether a content may get a thumbnail."""
    return content.type in IMAGES


def create_thumbnail(key: str) -> bool:
    """Create the thumbnail of a picture, if it can be read; return whether it was.

    Sends `news_made` for each table that has the file.
    """
    wanted = FileContent.objects.filter(pk=key, thumbnail_type="", deleted_at=None)
    content = wanted.first()
    if content is None or not has_thumbnail(content):
        return False
    try:
        with open_stored(content_path(key)) as file:
            encoded = thumbnail_of(file)
    except NotFound:
        return False
    except NO_PICTURE as error:
        log.info("no thumbnail of file content %s: %s", key, type(error).__name__)
        return False
    store(thumbnail_path(key), ContentFile(encoded))
    if not wanted.update(thumbnail_type=THUMBNAIL_TYPE):
        # The content was deleted meanwhile, perhaps before its thumbnail was stored.
        delete_thumbnail(key)
        return False
    for table_id in TableFile.objects.filter(content_id=key).values_list("table_id", flat=True):
        news_made.send_robust(sender=None, table_id=table_id, about="thumbnails", about_id=key)
    return True


def thumbnail_of(file: io.BufferedIOBase | object) -> bytes:
    """Return a WebP picture of at most 320 pixels, upright, of the first frame. Raises an error of NO_PICTURE."""
    with warnings.catch_warnings():
        # Pillow only warns of pictures between its limit and twice that.
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        with Image.open(file, formats=FORMATS) as picture:  # type: ignore[arg-type]  # any binary file
            # The size in the header, before any pixel is decoded.
            if picture.width * picture.height > MAX_PIXELS:
                raise Image.DecompressionBombError
            # JPEG pictures are decoded at a fraction of their size.
            picture.draft("RGB", (MAX_SIDE, MAX_SIDE))
            small = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
            small.thumbnail((MAX_SIDE, MAX_SIDE))
            upright = ImageOps.exif_transpose(_with_orientation(small, picture))
            # A new picture has no metadata.
            clean = Image.frombytes(upright.mode, upright.size, upright.tobytes())
    encoded = io.BytesIO()
    clean.save(encoded, "WEBP", quality=QUALITY)
    return encoded.getvalue()


def _with_orientation(small: Image.Image, picture: Image.Image) -> Image.Image:
    """Return the small picture with the EXIF data of the original, which has the orientation."""
    small.getexif().update({key: value for key, value in picture.getexif().items() if key == ORIENTATION})
    return small


ORIENTATION = 0x0112
