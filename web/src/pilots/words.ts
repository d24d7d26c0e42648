import { count } from "~/lib/format";
import type { Pilot } from "./api";

const OVER = ["succeeded", "failed", "cancelled"];

export function isOver({ state }: Pick<Pilot, "state">): boolean {
  return OVER.includes(state);
}

/** "2 nodes, 64 cores and 4 GPUs each". */
export function sizeText(pilot: Pick<Pilot, "nodes" | "cpus_per_node" | "gpus_per_node">): string {
  const cores = count(pilot.cpus_per_node, "core");
  const gpus = pilot.gpus_per_node ? ` and ${count(pilot.gpus_per_node, "GPU")}` : "";
  return `${count(pilot.nodes, "node")}, ${cores}${gpus}${pilot.nodes > 1 ? " each" : ""}`;
}

export function stateText({ state, is_closing }: Pick<Pilot, "state" | "is_closing">): string {
  return is_closing ? `${state}, closing` : state;
}

/** "3 running, 12 succeeded". */
export function insideText(counts: Pilot["counts"]): string {
  const known = Object.entries(counts).filter(([, some]) => some);
  return known.map(([state, some]) => `${some} ${state}`).join(", ") || "none yet";
}
