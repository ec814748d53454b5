"""Create valid and hostile workbooks: zip archives with a few XML files."""
from __future__ import annotations

import io
import zipfile

TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml"'
    ' ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml"'
    ' ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
)
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="164" formatCode="[$€-407]#,##0.00"/></numFmts>'
    '<cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/><xf numFmtId="164"/></cellXfs>'
    "</styleSheet>"
)


def workbook(sheet: str) -> bytes:
    """Return a workbook whose only sheet has this XML; a cell with `s="1"` is a date, "2" a percentage, "3" euros."""
    return archive(
        {
            "[Content_Types].xml": TYPES,
            "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r" Target="xl/workbook.xml"'
            f' Type="{RELATIONS}/officeDocument"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>'
            '<sheet name="Jobs" sheetId="1" r:id="a"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">'
            f'<Relationship Id="a" Target="worksheets/sheet1.xml" Type="{RELATIONS}/worksheet"/>'
            f'<Relationship Id="b" Target="styles.xml" Type="{RELATIONS}/styles"/></Relationships>',
            "xl/styles.xml": STYLES,
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}">{sheet}</worksheet>',
        }
    )


def archive(files: dict[str, str]) -> bytes:
    """Return a zip archive of the files."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return held.getvalue()


def rows(*given: list[str | float], dimension: str = "") -> bytes:
    """Return a workbook with these rows of texts and numbers."""
    written = "".join(f"<row>{''.join(_cell(value) for value in row)}</row>" for row in given)
    element = f'<dimension ref="{dimension}"/>' if dimension else ""
    return workbook(f"{element}<sheetData>{written}</sheetData>")


def _cell(value: str | float) -> str:
    return f'<c t="inlineStr"><is><t>{value}</t></is></c>' if isinstance(value, str) else f"<c><v>{value}</v></c>"
