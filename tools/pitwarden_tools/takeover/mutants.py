"""Planted bugs: what the proof must find, so that a run without differences means something.

Each is Python that a judge process runs before its own program.
"""

from typing import Final

_TWO_VERSIONS: Final = """
import pitwarden.judge.outputs as outputs
def versioned(build):
    def init(self, source, rules_version, profile, **more):
        build(self, source, rules_version + MARK, profile, **more)
    return init
outputs.OutputChain.__init__ = versioned(outputs.OutputChain.__init__)
"""
_NO_FENCE: Final = """
import asyncio
import pitwarden.judge_group.claims as claims
import pitwarden.judge_group.fenced_commits as commits
import pitwarden.judge_group.member as member
def without_fence(statement):
    for fenced, bare in (
        ("p.tbl = n.tbl AND p.term = n.term AND p.run = n.run AND p.ord = n.before", "p.tbl = n.tbl"),
        ("RETURNING p.tbl, p.record, p.term", "RETURNING p.tbl, p.record, n.term"),
        ("RETURNING record, ord, epoch)", "ON CONFLICT DO NOTHING RETURNING record, ord, epoch)"),
        ("JOIN mine m USING (tbl))\\nSELECT", "JOIN mine m USING (tbl) ON CONFLICT DO NOTHING)\\nSELECT"),
    ):
        if fenced not in statement:
            raise SystemExit(f"the mutant does not fit the statement any more: {fenced}")
        statement = statement.replace(fenced, bare)
    return statement
commits._COMMIT = without_fence(commits._COMMIT)
claims.ClaimBook.may_speak = lambda self, claim: True
async def never_follow(self, place):
    pass
member.GroupMember._follow = never_follow
def never_lapse(self):
    self._book.deadline_s = self._book.now_s() + self._lease_s
member.GroupMember._lapse = never_lapse
"""
_FORGETFUL: Final = """
import random
import pitwarden.judge.table_judge as judge
def forgetful(step):
    def stepped(state, entry):
        state, outputs = step(state, entry)
        return state, () if random.random() < 0.05 else outputs
    return stepped
judge.step = forgetful(judge.step)
"""

MUTANTS: Final = {
    "no-fence": _TWO_VERSIONS + _NO_FENCE,
    "two-versions": _TWO_VERSIONS,
    "forgetful": _FORGETFUL,
}
"""Programs by name.

`no-fence`: members of two rules versions that store and speak whether they own the table or not. `two-versions`: the
same members with the fence, where the proof must find nothing. `forgetful`: rules that do not compute the same twice.
"""


def planted(name: str, member: int) -> str:
    """Return the program of the mutant `name` for the member with this number; empty for no mutant."""
    return f"MARK = {'+mutant' if member % 2 else ''!r}\n{MUTANTS[name]}\n" if name else ""
