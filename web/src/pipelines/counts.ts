import type { Schemas } from "~/api/client";

/** "3 done, 1 running"; states without steps are left out. */
export function countsText(counts: Schemas["StepCounts"]): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`)
    .join(", ");
}
