import asyncio
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Poll:
    question: str
    choices: list[str]
    channel: str
    votes: dict[str, int] = field(default_factory=dict)
    closed: bool = False

    def vote(self, user, number):
        if self.closed or not 1 <= number <= len(self.choices):
            return False
        self.votes[user] = number - 1
        return True

    def result(self):
        counts = Counter(self.votes.values())
        return [(choice, counts[i]) for i, choice in enumerate(self.choices)]


async def open_poll(chat, poll):
    lines = [f"*{poll.question}*"]
    lines += [f"{i}. {choice}" for i, choice in enumerate(poll.choices, 1)]
    await chat.post(poll.channel, "\n".join(lines))


async def close_poll(chat, poll):
    poll.closed = True
    lines = [f"*{poll.question}*"]
    for choice, count in sorted(poll.result(), key=lambda pair: -pair[1]):
        lines.append(f"{count:3}  {choice}")
    await chat.post(poll.channel, "\n".join(lines))


async def run_poll(chat, poll, minutes):
    await open_poll(chat, poll)
    await asyncio.sleep(minutes * 60)
    await close_poll(chat, poll)


def parse_poll(text, channel):
    question, *choices = [part.strip() for part in text.split("|")]
    if len(choices) < 2:
        raise ValueError("a poll needs two choices at least")
    return Poll(question, choices, channel)
