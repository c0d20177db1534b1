"""Closed word classes, English and German, in which replacing a word changes the statement."""

from __future__ import annotations

_NEGATIONS_LIST = (
    "not no never neither nor nobody nothing none cannot without nicht nie niemals kein keine keinen keinem "
    "keiner keines niemand nichts weder ohne 不 没 沒 无 無 非 未 ん ず 안 못 않"
)
NEGATIONS = frozenset(_NEGATIONS_LIST.split())
_GROUPS = (
    "must shall muss müssen musste mussten", "should ought soll sollen sollte sollten",
    "may might can could kann können konnte konnten könnte könnten", "darf dürfen durfte durften",
    "will would wird werden würde würden",
    "more greater mehr", "less fewer weniger", "most meisten", "least wenigsten", "above over oberhalb über",
    "below under unterhalb unter", "before vor", "after nach", "until bis", "since seit", "during während",
    "inside within innerhalb", "outside außerhalb", "with mit", "up", "down", "left", "right",
    "all every each alle jede jeder jedes", "many viele", "few wenige", "both beide", "half halb", "only nur",
    "always immer",
    "often oft", "seldom selten", "larger greater bigger größer größere größeren",
    "same gleiche gleichen gleicher", "different andere anderen anderer",
)  # fmt: skip
DECISIVE = {word: at for at, group in enumerate(_GROUPS) for word in group.split()}
"""Words by the number of their group; words of one group are equivalent."""
_PRONOUNS_LIST = (
    "he she it they we you i him her them us me his its their this these that those he's she's it's they're "
    "that's er sie es wir ich ihn ihm ihnen ihr ihre sein seine dies diese dieser dieses yes no well also however "
    "moreover furthermore additionally therefore ja nein auch jedoch außerdem daher"
)
PRONOUNS = frozenset(_PRONOUNS_LIST.split())
"""Words that refer to something named or connect sentences; replacing a name by them changes nothing."""
_JOINING_LIST = "and or but und oder aber sowie as well"
JOINING = frozenset(_JOINING_LIST.split())
"""Between two names, which may be in either order."""
ARTICLES = frozenset(
    ("a", "an", "the", "ein", "eine", "einem", "einen", "einer", "der", "die", "das", "dem", "den")
)
_OF_CHANGE_LIST = (
    "stand stands stood reach reaches reached amount amounts amounted rise rises rose risen fall falls fell "
    "fallen grow grows grew grown increase increases increased decrease decreases decreased remain remains "
    "remained unchanged now currently about around approximately roughly nearly come comes came beträgt betrug "
    "betragen liegt lag liegen stieg steigt gestiegen sinkt sank gesunken erreicht erreichte unverändert bleibt "
    "blieb steht stand beläuft belief derzeit jetzt nun rund etwa circa "
)
OF_CHANGE = frozenset(_OF_CHANGE_LIST.split())
"""Words between a quantity and its value, which name neither."""
