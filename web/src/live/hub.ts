import type { FromTab, ToTab } from "./messages";
import { Stream } from "./stream";

type Tab = { port: MessagePort; watching: string[]; visible: boolean; silent: boolean };
const ASK_EVERY = 20_000;

/** All tabs of a browser on one stream: HTTP/1.1 allows six connections to a host. */
export class Hub {
  private readonly tabs = new Set<Tab>();
  private readonly stream = new Stream({
    onEvent: (event) => this.tellAll({ say: "event", event, seen: this.isSeen() }),
    onLink: (state, reconnected) => this.tellAll({ say: "link", state, reconnected }),
  });

  constructor() {
    setInterval(() => this.askAll(), ASK_EVERY);
  }

  add(port: MessagePort): void {
    const tab: Tab = { port, watching: [], visible: false, silent: false };
    this.tabs.add(tab);
    port.onmessage = ({ data }: MessageEvent<FromTab>) => this.hear(tab, data);
    port.postMessage({ say: "link", state: this.stream.state, reconnected: false } satisfies ToTab);
    this.update();
  }

  private hear(tab: Tab, said: FromTab): void {
    tab.silent = false;
    if (said.say === "watch") tab.watching = said.tasks;
    if (said.say === "look") tab.visible = said.visible;
    if (said.say === "bye") this.tabs.delete(tab);
    if (said.say === "watch" || said.say === "bye") this.update();
  }

  private isSeen(): boolean {
    return [...this.tabs].some((tab) => tab.visible);
  }

  private update(): void {
    if (this.tabs.size === 0) this.stream.close();
    else this.stream.watch([...this.tabs].flatMap((tab) => tab.watching));
  }

  private tellAll(message: ToTab): void {
    for (const tab of this.tabs) tab.port.postMessage(message);
  }

  /** A tab that crashed says no goodbye. */
  private askAll(): void {
    for (const tab of this.tabs) {
      if (tab.silent) this.tabs.delete(tab);
      tab.silent = true;
    }
    this.tellAll({ say: "still-there?" });
    this.update();
  }
}
