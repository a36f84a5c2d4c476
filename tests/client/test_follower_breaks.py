"""What is not kept, not ours, junk or of a later version is said or passed over; the rest is read."""

from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head
from pitwarden_client.items import ChainBreak, Cursor, LogItem, OutputItem
from testkit.consumers.follower_network import LOG, OUTPUTS, STEPS, FollowerNetwork, dice


def test_what_is_no_longer_kept_is_said_and_the_rest_is_read() -> None:
    lab = FollowerNetwork(dice(0))
    for of, body in STEPS[:60]:
        lab.live(of, body)
    lab.settle()
    lab.link(up=False)
    for of, body in STEPS[60:]:
        lab.live(of, body)
    first = len(LOG) - 10
    lab.served.kept_from = (first, len(OUTPUTS) - 5)
    lab.settle()
    breaks = [item for item in lab.items if isinstance(item, ChainBreak)]
    assert {item.of for item in breaks} == {"log", "outputs"}
    assert "no longer kept" in breaks[0].reason
    assert lab.rows()[-10:] == LOG[-10:]
    assert lab.outputs()[-5:] == OUTPUTS[-5:]
    assert len(set(lab.rows())) == len(lab.rows())


def test_another_log_under_the_same_name_is_a_break_not_a_silence() -> None:
    elsewhere = Cursor(
        log=Head(at=Position(epoch="elsewhere", number=7), hash="7" * 64), output=3, output_hash="8" * 64,
        epochs=("elsewhere",),
    )  # fmt: skip
    lab = FollowerNetwork(dice(0), cursor=elsewhere)
    for of, body in STEPS:
        lab.live(of, body)
    lab.settle()
    assert [item.of for item in lab.items if isinstance(item, ChainBreak)][:2] in (
        ["log", "outputs"],
        ["outputs", "log"],
    )
    assert lab.rows() == LOG
    assert lab.outputs() == OUTPUTS


def test_junk_is_counted_and_passed_over() -> None:
    lab = FollowerNetwork(dice(0))
    for junk in (b"", b"{}", LOG[0].replace(b"/silent/", b"/elsewhere/")):
        lab.follower.row(junk, 0)
    for of, body in STEPS:
        lab.live(of, body)
    lab.settle()
    for junk in (b"", b"{}", OUTPUTS[0].replace(b'"outputseq":1', b'"outputseq":-1')):
        lab.follower.output(junk, 0)
    assert lab.follower.garbage == 6
    assert (lab.rows(), lab.outputs()) == (LOG, OUTPUTS)


def test_a_row_and_an_output_of_a_later_minor_version_keep_their_place() -> None:
    row = LOG[-1].replace(b'"specversion"', b'"weather":"rain","specversion"')
    output = OUTPUTS[-1].replace(b'"data":{"kind":"', b'"data":{"kind":"more.')
    assert output != OUTPUTS[-1]
    lab = FollowerNetwork(dice(0))
    for body in (*LOG[:-1], row):
        lab.live("log", body)
    for body in (*OUTPUTS[:-1], output):
        lab.live("outputs", body)
    lab.settle()
    later = next(item for item in reversed(lab.items) if isinstance(item, LogItem))
    said = next(item for item in reversed(lab.items) if isinstance(item, OutputItem))
    assert (later.event, said.event) == (None, None)
    assert "weather" in later.reason
    assert (later.body, said.body) == (row, output)
