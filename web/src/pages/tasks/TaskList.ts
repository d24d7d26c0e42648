import type { Task } from "~/api/client";

const ROW_FIELDS = [
  "id",
  "name",
  "state",
  "phase",
  "message",
  "endpoint",
  "created",
  "updated",
  "started",
  "ended",
  "tags",
  "owner_name",
  "version",
] as const;

/** What the list keeps of a task: a hundred thousand must fit in a browser. */
export type Row = Pick<Task, (typeof ROW_FIELDS)[number]>;
type Page = { items: Task[]; next?: string | null };
export type FetchPage = (cursor: string | null, limit: number) => Promise<Page>;

export type ListState = {
  rows: readonly Row[];
  /** No more rows follow. */
  complete: boolean;
  /** The rows are still those of the previous list. */
  isStale: boolean;
  loading: boolean;
  error: Error | null;
  /** The service would now return other rows. */
  outdated: boolean;
};

const FIRST_PAGE = 60;
const NEXT_PAGES = 200;
const EVENT_DELAY = 250;

/**
 * The tasks of one view, loaded page by page and updated by the event stream.
 *
 * Rows never move on their own: a change is shown in place, and what would add or
 * remove a row only marks the list as outdated until `refresh`.
 */
export class TaskList {
  private state: ListState;
  private readonly places = new Map<string, number>();
  private readonly pendingEvents = new Map<string, Task>();
  /** Received while a response was pending, which may be older. */
  private readonly eventsWhileLoading = new Map<string, Task>();
  private readonly listeners = new Set<() => void>();
  private next: string | null = null;
  private newest = 0;
  private round = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly fetchPage: FetchPage,
    private readonly changesOrder: (before: Row | undefined, task: Task, newest: number) => boolean,
    previous: readonly Row[] = [],
  ) {
    this.state = {
      rows: previous.slice(0, FIRST_PAGE),
      complete: false,
      isStale: true,
      loading: false,
      error: null,
      outdated: false,
    };
  }

  readonly snapshot = (): ListState => this.state;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  };

  /** Reads the first page again and starts from there. */
  async refresh(): Promise<void> {
    this.round += 1;
    await this.read(null, FIRST_PAGE, (rows) => {
      this.places.clear();
      this.place(rows, 0);
      return rows;
    });
  }

  async more(): Promise<void> {
    const { loading, complete, isStale, error } = this.state;
    if (loading || complete || isStale || error) return;
    await this.readNext();
  }

  /** Also after a page that failed to load. */
  async readNext(): Promise<void> {
    if (this.next === null) return this.refresh();
    await this.read(this.next, NEXT_PAGES, (rows) => {
      const known = this.state.rows;
      const fresh = rows.filter((row) => !this.places.has(row.id));
      this.place(fresh, known.length);
      return [...known, ...fresh];
    });
  }

  applyEvent(task: Task): void {
    if (this.state.loading) this.eventsWhileLoading.set(task.id, task);
    this.pendingEvents.set(task.id, task);
    if (this.timer === undefined) this.timer = setTimeout(() => this.applyPending(), EVENT_DELAY);
  }

  markOutdated(): void {
    this.set({ outdated: true });
  }

  private async read(cursor: string | null, limit: number, join: (rows: Row[]) => Row[]) {
    const round = this.round;
    this.set({ loading: true, error: null });
    try {
      const page = await this.nextRows(cursor, limit);
      if (round !== this.round || !page) return;
      this.next = page.next ?? null;
      const rows = join(page.items.map(rowOf));
      const outdated = cursor !== null && this.state.outdated;
      const complete = this.next === null;
      this.set({ rows, complete, outdated, loading: false, isStale: false });
      this.reapplyEvents();
    } catch (error) {
      if (round === this.round) this.set({ loading: false, error: error as Error });
    }
  }

  private reapplyEvents(): void {
    for (const task of this.eventsWhileLoading.values()) this.applyEvent(task);
    this.eventsWhileLoading.clear();
  }

  /** A search covers a limited number of tasks per call; without a match, the next call continues. */
  private async nextRows(cursor: string | null, limit: number): Promise<Page | null> {
    const round = this.round;
    let page = await this.fetchPage(cursor, limit);
    while (page.items.length === 0 && page.next && round === this.round) {
      page = await this.fetchPage(page.next, limit);
    }
    return round === this.round ? page : null;
  }

  private place(rows: Row[], from: number): void {
    rows.forEach((row, n) => {
      this.places.set(row.id, from + n);
      this.newest = Math.max(this.newest, row.created);
    });
  }

  private applyPending(): void {
    this.timer = undefined;
    const rows = [...this.state.rows];
    let outdated = this.state.outdated;
    for (const task of this.pendingEvents.values()) {
      const at = this.places.get(task.id);
      const before = at === undefined ? undefined : rows[at];
      if (before && before.version >= task.version) continue;
      outdated ||= this.changesOrder(before, task, this.newest);
      if (at !== undefined) rows[at] = rowOf(task);
    }
    this.pendingEvents.clear();
    this.set({ rows, outdated });
  }

  private set(change: Partial<ListState>): void {
    this.state = { ...this.state, ...change };
    for (const changed of this.listeners) changed();
  }
}

function rowOf(task: Task): Row {
  return Object.fromEntries(ROW_FIELDS.map((key) => [key, task[key]])) as Row;
}
