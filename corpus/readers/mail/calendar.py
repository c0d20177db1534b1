"""Calendars and invitations (iCalendar, RFC 5545): each event with its time, place and people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import read_text
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Elements, Heading, Paragraph
from corpus.readers.protocol import Step
from corpus.text.normalization import clean

_FOLD = re.compile(r"\r?\n[ \t]")
_LINE = re.compile(r"([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:\"[^\"]*\"|[^;:\"]*))*):(.*)", re.DOTALL)
_PARAMETER = re.compile(r";([A-Za-z0-9-]+)=(?:\"([^\"]*)\"|([^;:\"]*))")
_KINDS = {"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Entry"}
_MAX_ATTENDEES = 200
"""Maximum number of attendees listed. A longer list is useless to a reader, so further attendees are only counted."""


@dataclass(frozen=True, slots=True)
class Property:
    """A content line: its raw value, and its parameters."""

    value: str
    parameters: dict[str, str]

    @property
    def text(self) -> str:
        """The value with the escapes of RFC 5545, section 3.3.11, resolved."""
        return re.sub(r"\\([nN,;\\])", lambda match: "\n" if match[1] in "nN" else match[1], self.value)


@dataclass(slots=True)
class Item:
    """An event, task or journal entry, without its alarms."""

    kind: str
    properties: dict[str, list[Property]] = field(default_factory=dict)

    def first(self, name: str) -> Property | None:
        """Return the first property with that name."""
        return next(iter(self.properties.get(name, ())), None)

    def text(self, name: str) -> str:
        """Return the clean text of the first property with that name; empty if there is none."""
        prop = self.first(name)
        return clean(prop.text).strip() if prop else ""


def read_calendar(path: Path) -> Iterator[Step]:
    """Yield each event under its summary. Raises UnreadableDocument if the file is not a calendar."""
    text, warnings = read_text(path)
    method, items = _items(text)
    if not items:
        raise UnreadableDocument("not a calendar although its name says so, or a calendar without events")
    about = About(title=items[0].text("SUMMARY") or None, titled_by_heading=False, warnings=list(warnings))
    if organiser := items[0].first("ORGANIZER"):
        about.author = _person(organiser)
    yield from steps_of(_elements(method, items), about)


def _items(text: str) -> tuple[str, list[Item]]:
    """Return the calendar's method (REQUEST, CANCEL) and its items."""
    method, items, open_parts = "", list[Item](), list[str]()
    for line in _FOLD.sub("", text).splitlines():
        match = _LINE.fullmatch(line)
        if not match:
            continue
        name, value = match[1].upper(), match[3].strip()
        if name == "BEGIN":
            open_parts.append(value.upper())
            if open_parts[-1] in _KINDS:
                items.append(Item(open_parts[-1]))
        elif name == "END":
            if open_parts:
                open_parts.pop()
        elif open_parts and open_parts[-1] in _KINDS:
            parameters = {each[1].upper(): each[2] or each[3] or "" for each in _PARAMETER.finditer(match[2])}
            items[-1].properties.setdefault(name, []).append(Property(value, parameters))
        elif name == "METHOD" and open_parts == ["VCALENDAR"]:
            method = value.upper()
    return method, items


def _elements(method: str, items: list[Item]) -> Elements:
    for item in items:
        yield Heading(item.text("SUMMARY") or _KINDS[item.kind])
        yield Paragraph("\n".join(_facts(method, item)))
        yield from map(Paragraph, filter(None, item.text("DESCRIPTION").split("\n\n")))


def _facts(method: str, item: Item) -> Iterator[str]:
    if method == "CANCEL" or item.text("STATUS").upper() == "CANCELLED":
        yield "Cancelled"
    if when := _when(item):
        yield f"When: {when}"
    if due := item.first("DUE"):
        yield f"Due: {_time(due)}"
    if rule := item.first("RRULE"):
        yield f"Repeats: {_repetition(rule.value)}"
    for name, label in (("LOCATION", "Where"), ("URL", "Address"), ("CATEGORIES", "Categories")):
        if value := " ".join(item.text(name).split()):
            yield f"{label}: {value}"
    if organiser := item.first("ORGANIZER"):
        yield f"Organiser: {_person(organiser)}"
    if people := item.properties.get("ATTENDEE"):
        yield "Attendees: " + ", ".join(map(_attendee, people[:_MAX_ATTENDEES]))
        if len(people) > _MAX_ATTENDEES:
            yield f"{len(people) - _MAX_ATTENDEES} more attendees"


def _when(item: Item) -> str:
    start, end, duration = item.first("DTSTART"), item.first("DTEND"), item.first("DURATION")
    if start is None:
        return ""
    if end is None:
        lasts = f", lasts {duration.value.lstrip('+PT').lower()}" if duration else ""
        return _time(start) + lasts
    if _is_day(start) and _is_day(end):  # DTEND is the day after the last day
        with suppress(ValueError):
            last = datetime.strptime(end.value, "%Y%m%d").date() - timedelta(days=1)
            first = _time(start)
            return first if str(last) <= first else f"{first} to {last}"
    first, last_time = _time(start), _time(end)
    zone = _zone(start)
    if zone == _zone(end):
        first = first.removesuffix(zone)
        if first[:10] == last_time[:10]:
            last_time = last_time[11:]
    return f"{first} to {last_time}"


def _is_day(moment: Property) -> bool:
    return len(moment.value) == 8


def _time(moment: Property) -> str:
    """Return a time as `2026-06-02 14:00 (Europe/Berlin)`, or the unchanged value if it is not a time."""
    with suppress(ValueError):
        if _is_day(moment):
            return str(date.fromisoformat(moment.value))
        when = datetime.strptime(moment.value.rstrip("Z"), "%Y%m%dT%H%M%S")
        return when.strftime("%Y-%m-%d %H:%M") + _zone(moment)
    return moment.value


def _zone(moment: Property) -> str:
    if moment.value.endswith("Z"):
        return " (UTC)"
    zone = moment.parameters.get("TZID", "").strip("/")
    return f" ({zone})" if zone else ""


def _repetition(rule: str) -> str:
    """Return a recurrence rule as text, such as `weekly, by day MO, until 2026-12-31`."""
    parts = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    phrases = [parts.pop("FREQ", "").lower()]
    for name, value in parts.items():
        label = re.sub(r"^by", "by ", name.lower())
        phrases.append(f"{label} {_time(Property(value, {})) if name == 'UNTIL' else value}")
    return ", ".join(filter(None, phrases))


def _person(person: Property) -> str:
    address = re.sub(r"(?i)^mailto:", "", person.value).strip()
    name = person.parameters.get("CN", "").strip()
    return clean(f"{name} <{address}>" if name and name != address else name or address)


def _attendee(person: Property) -> str:
    state = person.parameters.get("PARTSTAT", "").lower().replace("-", " ")
    return _person(person) + (f" ({state})" if state in ("accepted", "declined", "tentative") else "")
