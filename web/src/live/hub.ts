import type { FromTab, ToTab } from "./messages";
import { Stream } from "./stream";

type Tab = { port: MessagePort; watching: string[]; visible: boolean; silent: boolean };
const PING_INTERVAL = 20_000;

/** All tabs of a browser share one stream: HTTP/1.1 allows six connections per host. */
export class Hub {
  private readonly tabs = new Set<Tab>();
  private readonly stream = new Stream({
    onEvent: (event) => this.broadcast({ kind: "event", event, visible: this.isAnyVisible() }),
    onConnection: (state, reconnected) =>
      this.broadcast({ kind: "connection", state, reconnected }),
  });

  constructor() {
    setInterval(() => this.pingTabs(), PING_INTERVAL);
  }

  add(port: MessagePort): void {
    const tab: Tab = { port, watching: [], visible: false, silent: false };
    this.tabs.add(tab);
    port.onmessage = ({ data }: MessageEvent<FromTab>) => this.handle(tab, data);
    port.postMessage({
      kind: "connection",
      state: this.stream.state,
      reconnected: false,
    } satisfies ToTab);
    this.update();
  }

  private handle(tab: Tab, message: FromTab): void {
    tab.silent = false;
    if (message.kind === "watch") tab.watching = message.tasks;
    if (message.kind === "visibility") tab.visible = message.visible;
    if (message.kind === "bye") this.tabs.delete(tab);
    if (message.kind === "watch" || message.kind === "bye") this.update();
  }

  private isAnyVisible(): boolean {
    return [...this.tabs].some((tab) => tab.visible);
  }

  private update(): void {
    if (this.tabs.size === 0) this.stream.close();
    else this.stream.watch([...this.tabs].flatMap((tab) => tab.watching));
  }

  private broadcast(message: ToTab): void {
    for (const tab of this.tabs) tab.port.postMessage(message);
  }

  /** A crashed tab never unsubscribes, so tabs are pinged. */
  private pingTabs(): void {
    for (const tab of this.tabs) {
      if (tab.silent) this.tabs.delete(tab);
      tab.silent = true;
    }
    this.broadcast({ kind: "ping" });
    this.update();
  }
}
