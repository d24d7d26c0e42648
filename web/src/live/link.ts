import { Hub } from "./hub";
import type { FromTab, LinkState, LiveEvent, ToTab } from "./messages";

type EventListener = (event: LiveEvent) => void;
type LinkListener = (state: LinkState, reconnected: boolean) => void;

/** This tab's end of the browser's one event stream. */
class Link {
  private port: MessagePort | null = null;
  private readonly events = new Set<EventListener>();
  private readonly links = new Set<LinkListener>();
  private readonly watches = new Map<string, number>();
  state: LinkState = "connecting";
  /** Whether some tab of this browser was looked at when the newest event came. */
  seen = true;

  open(): void {
    if (this.port) return;
    this.port = connect();
    this.port.onmessage = ({ data }: MessageEvent<ToTab>) => this.hear(data);
    this.sayWatched();
    this.sayLook();
  }

  close(): void {
    this.say({ say: "bye" });
    this.port?.close();
    this.port = null;
  }

  onEvent(listener: EventListener): () => void {
    this.events.add(listener);
    return () => this.events.delete(listener);
  }

  onLink(listener: LinkListener): () => void {
    this.links.add(listener);
    return () => this.links.delete(listener);
  }

  /** Logs and metrics of a task come from now on, until the returned function is called. */
  watch(task: string): () => void {
    this.watches.set(task, (this.watches.get(task) ?? 0) + 1);
    this.sayWatched();
    return () => {
      const left = (this.watches.get(task) ?? 1) - 1;
      if (left) this.watches.set(task, left);
      else this.watches.delete(task);
      this.sayWatched();
    };
  }

  private hear(message: ToTab): void {
    if (message.say === "still-there?") this.say({ say: "here" });
    if (message.say === "event") {
      this.seen = message.seen;
      for (const listener of this.events) listener(message.event);
    }
    if (message.say === "link") {
      this.state = message.state;
      for (const listener of this.links) listener(message.state, message.reconnected);
    }
  }

  sayLook(): void {
    this.say({ say: "look", visible: document.visibilityState === "visible" });
  }

  private sayWatched(): void {
    this.say({ say: "watch", tasks: [...this.watches.keys()] });
  }

  private say(message: FromTab): void {
    this.port?.postMessage(message);
  }
}

/** Where a browser has no shared worker (Chrome on Android) each tab has a stream of its own. */
function connect(): MessagePort {
  if (typeof SharedWorker === "undefined") {
    const { port1, port2 } = new MessageChannel();
    new Hub().add(port1);
    return port2;
  }
  return new SharedWorker(new URL("./shared.worker.ts", import.meta.url), {
    type: "module",
    name: "diamond-events",
  }).port;
}

export const link = new Link();
document.addEventListener("visibilitychange", () => link.sayLook());
addEventListener("pagehide", () => link.close());
addEventListener("pageshow", (event) => event.persisted && link.open());
