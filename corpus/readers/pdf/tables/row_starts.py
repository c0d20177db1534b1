"""What says where the rows of a table begin: rules between them, and where lines without a label stand."""

from __future__ import annotations

from corpus.readers.pdf.tables.bands import Band, append, is_between, is_number, text_of

_LABELLED = 0.4
_EVEN = 1.5


def are_centred(bands: list[Band]) -> bool:
    """Whether entries of several lines stand in the middle of their rows: nobody knows where a row begins then."""
    if _begins_without_label(bands):
        return True
    for before, band, after in zip(bands, bands[1:], [*bands[2:], None], strict=False):
        if 0 in band.columns or any(is_number(text_of(words)) for words in band.held.values()):
            continue
        if is_between(before, band) or (after is not None and is_between(band, after)):
            return True
        if after is not None and after.top - band.bottom < band.top - before.bottom - _EVEN:
            return True
    return False


def _begins_without_label(bands: list[Band]) -> bool:
    """Whether the first line stands close above the first label; further off it is a title of the rows."""
    labelled = sum(0 in band.columns for band in bands)
    if len(bands) < 2 or 0 in bands[0].columns or labelled <= _LABELLED * len(bands):
        return False
    return bands[1].top - bands[0].bottom < (bands[0].bottom - bands[0].top) / 2


def by_rules(bands: list[Band], whole: list[float]) -> list[Band]:
    """Lines between two rules are one row where one of them has the label and the others have but words."""
    rows: list[Band] = []
    for group in _groups(bands, whole):
        labelled = [band for band in group if 0 in band.columns]
        others = [band for band in group if 0 not in band.columns]
        plain = not any(is_number(text_of(words)) for band in others for words in band.held.values())
        if len(labelled) == 1 and plain and not any(band.spanning for band in group):
            row = group[0]
            for band in group[1:]:
                append(row, band)
            rows.append(row)
        else:
            rows += group
    return rows


def _groups(bands: list[Band], whole: list[float]) -> list[list[Band]]:
    groups: list[list[Band]] = []
    for band in bands:
        middle = (band.top + band.bottom) / 2
        last = groups[-1][-1] if groups else None
        if last is None or any((last.top + last.bottom) / 2 < at < middle for at in whole):
            groups.append([band])
        else:
            groups[-1].append(band)
    return groups
