import type { Schemas } from "~/api/client";

export type Line = Schemas["LogLine"];
type Lines = Schemas["LogLines"];
export type Place = { offset?: number; before?: number; count: number };
export type Read = (place: Place) => Promise<Lines>;

export type WindowState = {
  lines: readonly Line[];
  /** Byte offsets: of the first line shown, after the last line shown, and of the end. */
  start: number;
  next: number;
  size: number;
  busy: boolean;
  error: Error | null;
  source: Lines["source"];
};

const PAGE = 500;
const MAX_LINES = 5_000;
const MAX_CHARACTERS = 8_000_000;
/** Further behind than this, jumping to the end is faster than reading on. */
const MAX_CATCH_UP_BYTES = 1 << 20;

/**
 * The part of a log that is kept in the browser: a few thousand lines around the visible ones.
 *
 * It grows by pages at one end and shrinks at the other, so its size does not depend on the
 * length of the log. One request at a time.
 */
export class LogWindow {
  private state: WindowState = {
    lines: [],
    start: 0,
    next: 0,
    size: 0,
    busy: false,
    error: null,
    source: "kept",
  };
  private readonly listeners = new Set<() => void>();
  private round = 0;
  private isBehind = false;

  constructor(private readonly read: Read) {}

  readonly snapshot = (): WindowState => this.state;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  };

  /** Start over with the last lines. */
  async openEnd(): Promise<void> {
    await this.begin(async () => {
      const { size } = await this.read({ offset: -1, count: 1 });
      return this.read({ before: size, count: PAGE });
    });
  }

  /** Start over around the line that contains a byte. */
  async openAt(offset: number): Promise<void> {
    await this.begin(async () => {
      const below = await this.read({ offset, count: PAGE });
      if (below.start === 0) return below;
      const above = await this.read({ before: below.start, count: PAGE });
      return { ...below, start: above.start, items: [...above.items, ...below.items] };
    });
  }

  async up(): Promise<void> {
    const { start, lines } = this.state;
    if (start === 0 || this.state.busy) return;
    await this.step({ before: start, count: PAGE }, (page) => {
      const kept = trimmed([...page.items, ...lines], "first");
      return { start: page.start, lines: kept, next: endOffset(kept, this.state.next) };
    });
  }

  async down(): Promise<void> {
    const { next, size, lines, busy } = this.state;
    if (next >= size || busy) return;
    // The last line may have been incomplete when it was read.
    const last = lines.at(-1);
    await this.step({ offset: last?.offset ?? next, count: PAGE }, (page) => {
      const kept = trimmed([...lines.slice(0, -1), ...page.items], "last");
      return { start: kept[0]?.offset ?? page.start, lines: kept, next: page.next };
    });
  }

  /** Read on to the end, or jump there if it is far away. */
  async catchUp(): Promise<void> {
    const { size, next, busy } = this.state;
    this.isBehind = busy;
    if (busy) return;
    if (size - next > MAX_CATCH_UP_BYTES) return this.openEnd();
    while (this.state.next < this.state.size) {
      const before = this.state.next;
      await this.down();
      if (this.state.next === before) return;
    }
  }

  /** Checks the current size: what was written before the stream opened was not announced. */
  async checkSize(): Promise<void> {
    const { size } = await this.read({ offset: -1, count: 1 }).catch(() => this.state);
    this.grow(size);
  }

  grow(size: number): void {
    if (size > this.state.size) this.set({ size });
  }

  private async begin(open: () => Promise<Lines>): Promise<void> {
    this.round += 1;
    await this.run(open, (page) => ({ start: page.start, next: page.next, lines: page.items }));
  }

  private step(place: Place, join: (page: Lines) => Partial<WindowState>): Promise<void> {
    return this.run(() => this.read(place), join);
  }

  private async run(
    ask: () => Promise<Lines>,
    join: (page: Lines) => Partial<WindowState>,
  ): Promise<void> {
    const round = this.round;
    this.set({ busy: true, error: null });
    try {
      const page = await ask();
      if (round !== this.round) return;
      const size = Math.max(page.size, this.state.size);
      this.set({ ...join(page), size, source: page.source, busy: false });
      if (this.isBehind) await this.catchUp();
    } catch (error) {
      if (round === this.round) this.set({ busy: false, error: error as Error });
    }
  }

  private set(change: Partial<WindowState>): void {
    this.state = { ...this.state, ...change };
    for (const changed of this.listeners) changed();
  }
}

/** As many lines from one end as fit. */
function trimmed(lines: Line[], end: "first" | "last"): Line[] {
  const ordered = end === "first" ? lines : lines.toReversed();
  let characters = 0;
  const kept = ordered.slice(0, MAX_LINES).filter((line) => {
    characters += line.text.length;
    return characters <= MAX_CHARACTERS;
  });
  return end === "first" ? kept : kept.reverse();
}

function endOffset(lines: readonly Line[], otherwise: number): number {
  const last = lines.at(-1);
  return last ? last.offset + last.length : otherwise;
}

/** The index of the line that contains a byte, or -1. */
export function lineIndexAt(lines: readonly Line[], offset: number): number {
  let [low, high] = [0, lines.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const line = lines[middle] as Line;
    if (offset < line.offset) high = middle - 1;
    else if (offset >= line.offset + line.length) low = middle + 1;
    else return middle;
  }
  return -1;
}
