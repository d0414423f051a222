"""Two arms of one workload side by side: what the speed-up, the guards and the verdict are computed from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from edgeops.bench import counting, failures, figures
from edgeops.bench.records import Conditions, Header, Records, Request, Sample


@dataclass(frozen=True)
class ArmRecords:
    """The requests of one arm of one workload. ``k`` is 0 for the baseline."""

    name: str
    k: int
    timed: tuple[Request, ...]
    counting: tuple[Request, ...]
    known: tuple[Request, ...]

    @property
    def good(self) -> tuple[Request, ...]:
        """The timed requests that did not fail."""
        return tuple(request for request in self.timed if failures.reason(request) is None)

    @property
    def first_tokens(self) -> dict[str, int]:
        """``n_1`` of each prompt for which the counting pass tells it."""
        counted = ((request.step.prompt, counting.first_tokens(request)) for request in self.counting)
        return {prompt: tokens for prompt, tokens in counted if tokens is not None}

    @property
    def decoded(self) -> tuple[Request, ...]:
        """What decode figures rest on: answers that ran to their length, where there are any.

        An answer that stopped by itself ends with a token that has no text, which inflates its rate.
        """
        full = tuple(request for request in self.good if failures.finish_reason(request) == "length")
        return full or self.good

    def known_values(self, figure: Callable[[Request], float | int | None]) -> list[float]:
        """``figure`` of each timed request that gives it."""
        return [value for value in map(figure, self.timed) if value is not None]


@dataclass(frozen=True)
class Comparison:
    """A speculative arm against the baseline, in one workload of a run; what was seen of the machine meanwhile."""

    header: Header
    baseline: ArmRecords
    arm: ArmRecords
    samples: tuple[Sample, ...] = ()
    conditions: tuple[Conditions, ...] = ()

    def samples_of(self, arm: ArmRecords) -> tuple[Sample, ...]:
        """The samples that were taken while a timed request of ``arm`` ran."""
        spans = sorted((request.sent_ns, request.sent_ns + request.wall_ns) for request in arm.timed)
        begins = [begin for begin, _ in spans]

        def inside(moment: int) -> bool:
            place = bisect_right(begins, moment)
            return place > 0 and moment <= spans[place - 1][1]

        return tuple(sample for sample in self.samples if inside(sample.t))

    def pairs(self) -> Iterator[tuple[Request, Request]]:
        """The complete blocks: the baseline's request and the arm's, neither failed."""
        partner = {(request.step.prompt, request.step.block): request for request in self.arm.good}
        for request in self.baseline.good:
            other = partner.get((request.step.prompt, request.step.block))
            if other is not None:
                yield request, other

    def rates(self) -> dict[str, list[tuple[float, float]]]:
        """End-to-end rates of the complete blocks, by prompt."""
        found: dict[str, list[tuple[float, float]]] = {}
        for request, other in self.pairs():
            before, after = figures.e2e_tok_s(request), figures.e2e_tok_s(other)
            if before and after:
                found.setdefault(request.step.prompt, []).append((before, after))
        return found


def k_of(arm: str) -> int:
    """The candidates of an arm by its name: 0 for ``baseline``, 3 for ``k3``."""
    return int(arm[1:]) if arm[:1] == "k" and arm[1:].isdigit() else 0


def arm_records(records: Records, workload: str, arm: str) -> ArmRecords:
    """All requests of ``arm`` in ``workload``."""
    return ArmRecords(
        name=arm,
        k=k_of(arm),
        timed=records.of("timed", workload, arm),
        counting=records.of("counting", workload, arm),
        known=records.of("known", workload, arm),
    )
