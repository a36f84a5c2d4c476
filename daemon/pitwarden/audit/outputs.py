"""The chain of what was judged: numbers without a gap, each with the hash of the one before, each with its cause."""

from pitwarden_client.events.codec import BadPayloadError, decode, digest
from pitwarden_client.events.envelope import OutputEvent

from pitwarden.audit.chain import Whose
from pitwarden.audit.findings import Finding
from pitwarden.audit.reading import JudgeEvidence
from pitwarden.journal.records import OutputRow


def look_at_outputs(judge: JudgeEvidence, whose: Whose) -> tuple[int, list[Finding]]:
    """How many outputs there are, and the first thing that is wrong with them."""
    count, before = 0, ""
    last = 0
    for output in judge.outputs(whose.key):
        why = _wrong(output, before, last)
        if why:
            return count, [Finding("outputs_broken", f"judge output {output.seq}", why)]
        count, before, last = count + 1, digest(output.body), output.seq
    published = judge.published(whose.key)
    if published > last:
        why = f"output {published} was published, and the last one here is {last}"
        return count, [Finding("tail_cut", "judge outputs", why)]
    return count, []


def _wrong(output: OutputRow, before: str, last: int) -> str:
    """Why this output is not what was committed behind the one before; empty when it is."""
    try:
        event = decode(OutputEvent, output.body)
    except BadPayloadError as error:
        return f"its bytes are no output: {error}"
    if digest(output.body) != output.hash:
        return "its bytes do not have the hash that was stored with them"
    if event.outputseq != output.seq or (last and output.seq != last + 1):
        return f"it stands behind output {last} and says that it is number {event.outputseq}"
    if before and event.prevhash != before:
        return f"it names another predecessor than output {last}"
    return ""
