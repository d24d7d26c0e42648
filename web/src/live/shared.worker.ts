import { Hub } from "./hub";

const hub = new Hub();
(globalThis as unknown as { onconnect: (event: MessageEvent) => void }).onconnect = (event) => {
  const port = event.ports[0];
  if (port) hub.add(port);
};
