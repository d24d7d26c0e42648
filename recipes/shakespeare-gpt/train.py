"""A small GPT learns to write like Shakespeare, letter by letter, on any number of processes; it can be stopped and continued."""

import argparse
import json
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import Dataset, default_collate

from diamond import training


def main():
    options = read_options()
    me = training.init()
    torch.manual_seed(0)
    text = (training.data("shakespeare") / "shakespeare.txt").read_text()
    letters = sorted(set(text))
    model = GPT(len(letters), options.width, options.layers, options.context)
    if me.world_size > 1:
        model = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.lr)
    loader = training.ResumableLoader(Lines(text, letters, options.context), options.batch)
    checkpointer = training.Checkpointer(
        model, optimizer, loader=loader, every_minutes=options.save_every
    )
    for step, (known, wanted) in checkpointer.steps(loader, total=options.steps):
        loss = cross_entropy(model(known).flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        training.log(step, loss=loss)
    if me.rank == 0 and not checkpointer.exit_code:
        result = {
            "loss": judge(model, loader.dataset),
            "sample": write(model, letters, "KING. ", options.context, 300),
        }
        print(result["sample"], flush=True)
        Path("result.json").write_text(json.dumps(result))
    training.finish()
    sys.exit(checkpointer.exit_code)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=16, help="passages of one process")
    parser.add_argument("--context", type=int, default=64, help="letters that it looks back")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--save-every", type=float, default=None, help="minutes; else as it costs")
    return parser.parse_args()


class Lines(Dataset):
    """Passages of the text, one beginning at each multiple of the context."""

    def __init__(self, text, letters, context):
        number = {letter: index for index, letter in enumerate(letters)}
        self.numbers = torch.tensor([number[letter] for letter in text])
        self.context = context

    def __len__(self):
        return (len(self.numbers) - 1) // self.context

    def __getitem__(self, index):
        start = index * self.context
        passage = self.numbers[start : start + self.context + 1]
        return passage[:-1], passage[1:]


class GPT(nn.Module):
    def __init__(self, letters, width, layers, context):
        super().__init__()
        self.letter, self.place = nn.Embedding(letters, width), nn.Embedding(context, width)
        block = nn.TransformerEncoderLayer(
            width,
            nhead=4,
            dim_feedforward=4 * width,
            dropout=0.0,
            batch_first=True,
            norm_first=True,
        )
        self.blocks = nn.TransformerEncoder(block, layers, enable_nested_tensor=False)
        self.next = nn.Linear(width, letters)

    def forward(self, known):
        """What comes next at each place, looking at earlier places alone."""
        length = known.shape[1]
        later = nn.Transformer.generate_square_subsequent_mask(length)
        found = self.letter(known) + self.place(torch.arange(length))
        return self.next(self.blocks(found, mask=later, is_causal=True))


@torch.no_grad()
def judge(model, passages, count=64):
    """The loss on passages from the whole text; works even if an attempt had no steps left."""
    model = getattr(model, "module", model).eval()
    pairs = [passages[number * len(passages) // count] for number in range(count)]
    known, wanted = default_collate(pairs)
    return cross_entropy(model(known).flatten(0, 1), wanted.flatten()).item()


@torch.no_grad()
def write(model, letters, begin, context, count):
    """Continue from `begin`, one letter at a time."""
    model = getattr(model, "module", model).eval()
    known = torch.tensor([[letters.index(letter) for letter in begin]])
    for _ in range(count):
        chances = model(known[:, -context:])[0, -1].softmax(0)
        known = torch.cat([known, chances.multinomial(1)[None]], dim=1)
    return "".join(letters[number] for number in known[0])


if __name__ == "__main__":
    main()
