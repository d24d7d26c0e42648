import type { PipelineDetail } from "./api";

type UsedPilot = PipelineDetail["pilots"][number];

/** "Its allocation ended twice while it ran: it started again". */
export function lostText(lost: number): string {
  const times = lost === 1 ? "once" : lost === 2 ? "twice" : `${lost} times`;
  return `Its allocation ended ${times} while it ran, and it started again`;
}

/** What became of a pilot: "failed: the node was lost", or "running". */
export function pilotText({ state, reason, message }: UsedPilot): string {
  const why = message || reason;
  return state === "failed" && why ? `${state}: ${why}` : state;
}
