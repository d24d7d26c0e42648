import { Hub } from "./hub";
import type { ConnectionState, FromTab, LiveEvent, ToTab } from "./messages";

type EventListener = (event: LiveEvent) => void;
type ConnectionListener = (state: ConnectionState, reconnected: boolean) => void;

/** This tab's end of the browser's shared event stream. */
class Connection {
  private port: MessagePort | null = null;
  private readonly eventListeners = new Set<EventListener>();
  private readonly connectionListeners = new Set<ConnectionListener>();
  private readonly watches = new Map<string, number>();
  state: ConnectionState = "connecting";
  /** Whether any tab of this browser was visible when the latest event arrived. */
  isAnyTabVisible = true;

  open(): void {
    if (this.port) return;
    this.port = connect();
    this.port.onmessage = ({ data }: MessageEvent<ToTab>) => this.handle(data);
    this.sendWatched();
    this.sendVisibility();
  }

  close(): void {
    this.send({ kind: "bye" });
    this.port?.close();
    this.port = null;
  }

  onEvent(listener: EventListener): () => void {
    this.eventListeners.add(listener);
    return () => this.eventListeners.delete(listener);
  }

  onConnection(listener: ConnectionListener): () => void {
    this.connectionListeners.add(listener);
    return () => this.connectionListeners.delete(listener);
  }

  /** Subscribe to a task's log and metrics until the returned function is called. */
  watch(task: string): () => void {
    this.watches.set(task, (this.watches.get(task) ?? 0) + 1);
    this.sendWatched();
    return () => {
      const left = (this.watches.get(task) ?? 1) - 1;
      if (left) this.watches.set(task, left);
      else this.watches.delete(task);
      this.sendWatched();
    };
  }

  private handle(message: ToTab): void {
    if (message.kind === "ping") this.send({ kind: "pong" });
    if (message.kind === "event") {
      this.isAnyTabVisible = message.visible;
      for (const listener of this.eventListeners) listener(message.event);
    }
    if (message.kind === "connection") {
      this.state = message.state;
      for (const listener of this.connectionListeners) listener(message.state, message.reconnected);
    }
  }

  sendVisibility(): void {
    this.send({ kind: "visibility", visible: document.visibilityState === "visible" });
  }

  private sendWatched(): void {
    this.send({ kind: "watch", tasks: [...this.watches.keys()] });
  }

  private send(message: FromTab): void {
    this.port?.postMessage(message);
  }
}

/** Without shared workers (Chrome on Android), each tab has its own stream. */
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

export const connection = new Connection();
document.addEventListener("visibilitychange", () => connection.sendVisibility());
addEventListener("pagehide", () => connection.close());
addEventListener("pageshow", (event) => event.persisted && connection.open());
