"""Invitations, in mail and as separate files."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from corpus.errors import UnreadableDocument
from tests.readers.conftest import Read

INVITATION = """BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VEVENT
SUMMARY:Harbour walk\\, north quay
DTSTART;TZID=Europe/Vienna:20260602T140000
DTEND;TZID=Europe/Vienna:20260602T153000
LOCATION:Boathouse 4
ORGANIZER;CN="Kim, Jane":mailto:jane@example.org
ATTENDEE;CN=Lars Holm;PARTSTAT=ACCEPTED:mailto:lars@example.org
ATTENDEE:mailto:ann@exa
 mple.org
RRULE:FREQ=WEEKLY;BYDAY=TU
DESCRIPTION:Bring boots.\\n\\nGate code 5519.
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
"""
FACTS = (
    "Harbour walk, north quay",
    "When: 2026-06-02 14:00 to 15:30 (Europe/Vienna)",
    "Repeats: weekly, by day TU",
    "Where: Boathouse 4",
    "Organiser: Kim, Jane <jane@example.org>",
    "Attendees: Lars Holm <lars@example.org> (accepted), ann@example.org",
    "Gate code 5519.",
)


def test_an_invitation_reports_what_when_where_and_who(tmp_path: Path, read: Read) -> None:
    (tmp_path / "walk.ics").write_text(INVITATION)
    document, blocks = read(tmp_path / "walk.ics")
    said = "\n".join(block.content for block in blocks)
    assert [fact for fact in FACTS if fact not in said] == []
    assert "Reminder" not in said
    assert document.title == "Harbour walk, north quay"


@pytest.mark.parametrize("is_attached_too", [False, True])
def test_an_invitation_in_a_mail_is_read_once(tmp_path: Path, read: Read, is_attached_too: bool) -> None:
    message = EmailMessage()
    message["Subject"], message["From"] = "Walk", "jane@example.org"
    message.set_content("Please come.")
    message.add_alternative(INVITATION, subtype="calendar", params={"method": "REQUEST"})
    if is_attached_too:
        message.add_attachment(INVITATION.encode(), maintype="application", subtype="ics", filename="invite.ics")
    (tmp_path / "walk.eml").write_bytes(message.as_bytes())
    document, blocks = read(tmp_path / "walk.eml")
    said = "\n".join(block.content for block in blocks)
    assert [fact for fact in FACTS if said.count(fact) != 1] == []
    assert document.warnings == ()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("DTSTART;VALUE=DATE:20260701\nDTEND;VALUE=DATE:20260704", "When: 2026-07-01 to 2026-07-03"),
        ("DTSTART;VALUE=DATE:20260701\nDTEND;VALUE=DATE:20260702", "When: 2026-07-01"),
        ("DTSTART:20260701T080000Z\nDTEND:20260702T080000Z", "When: 2026-07-01 08:00 to 2026-07-02 08:00 (UTC)"),
        ("DTSTART:20260701T080000\nDURATION:PT1H30M", "When: 2026-07-01 08:00, lasts 1h30m"),
        ("DTSTART:20260701T080000\nSTATUS:CANCELLED", "Cancelled"),
        ("DTSTART:soon", "When: soon"),
    ],
)  # fmt: skip
def test_times_follow_the_calendars_time_zone_rules(tmp_path: Path, read: Read, lines: str, said: str) -> None:
    (tmp_path / "a.ics").write_text(f"BEGIN:VCALENDAR\nBEGIN:VEVENT\n{lines}\nEND:VEVENT\nEND:VCALENDAR\n")
    _, blocks = read(tmp_path / "a.ics")
    assert said in blocks[0].content.splitlines()


def test_an_invalid_calendar_is_refused(tmp_path: Path, read: Read) -> None:
    (tmp_path / "a.ics").write_text("Please come.")
    with pytest.raises(UnreadableDocument, match="not a calendar"):
        read(tmp_path / "a.ics")
