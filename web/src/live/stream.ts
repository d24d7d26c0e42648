import type { ConnectionState, LiveEvent } from "./messages";

const KINDS = [
  "task",
  "endpoint",
  "image",
  "scale",
  "note",
  "notification",
  "changed",
  "log",
  "metric",
] as const;
const FIRST_DELAY = 500;
const LAST_DELAY = 5_000;

type Listener = {
  onEvent: (event: LiveEvent) => void;
  onConnection: (state: ConnectionState, reconnected: boolean) => void;
};

/** One connection to the event stream, reopened where it was interrupted. */
export class Stream {
  private source: EventSource | null = null;
  private watched: string[] = [];
  private cursor = "";
  private delay = FIRST_DELAY;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private lost = false;
  state: ConnectionState = "connecting";

  constructor(private readonly listener: Listener) {}

  watch(tasks: string[]): void {
    const next = [...new Set(tasks)].sort();
    if (this.source && next.join() === this.watched.join()) return;
    this.watched = next;
    this.open();
  }

  close(): void {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  private open(): void {
    this.close();
    const query = new URLSearchParams(this.watched.map((task) => ["watch", task]));
    if (this.cursor) query.set("after", this.cursor);
    const source = new EventSource(`/api/v1/events?${query}`);
    this.source = source;
    source.addEventListener("ready", (event) => this.ready(event as MessageEvent<string>));
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => this.handle(kind, event as MessageEvent<string>));
    }
    source.onerror = () => void this.retry();
  }

  private ready(event: MessageEvent<string>): void {
    this.cursor = event.lastEventId;
    this.delay = FIRST_DELAY;
    const reconnected = this.lost;
    this.lost = false;
    this.report("online", reconnected);
  }

  private handle(kind: (typeof KINDS)[number], event: MessageEvent<string>): void {
    this.cursor = event.lastEventId || this.cursor;
    this.listener.onEvent({ type: kind, data: JSON.parse(event.data) } as LiveEvent);
  }

  private async retry(): Promise<void> {
    this.close();
    this.lost = true;
    const status = await fetch("/api/v1/me").then(
      (answer) => answer.status,
      () => 0,
    );
    if (this.source) return; // Reopened in the meantime.
    if (status === 401) return this.report("signed-out", false);
    if (status === 200) this.dropRejectedRequest();
    else this.report("offline", false);
    this.timer = setTimeout(() => this.open(), this.delay);
    this.delay = Math.min(this.delay * 2, LAST_DELAY);
  }

  /** A cursor or watched task that the service rejects would be rejected forever. */
  private dropRejectedRequest(): void {
    if (this.delay > FIRST_DELAY) this.cursor = "";
    if (this.delay > 4 * FIRST_DELAY) this.watched = [];
  }

  private report(state: ConnectionState, reconnected: boolean): void {
    this.state = state;
    this.listener.onConnection(state, reconnected);
  }
}
