import type { Schemas } from "~/api/client";

type Line = Schemas["HistoryLine"];

/** A title for the event; an unknown event keeps its own name. */
export function eventTitle({ type, data }: Line): string {
  const node = data.node ? ` on ${data.node}` : "";
  const code =
    data.exit_code === null || data.exit_code === undefined
      ? ""
      : ` with exit code ${data.exit_code}`;
  const titles: Record<string, string> = {
    created: "Created",
    staging: "Preparing",
    submitted: "Submitted to the batch system",
    held: "Held",
    observed: isHandOver(data)
      ? "Batch job ended, to be continued (exit code 75)"
      : `Batch system state${stateSuffix(data)}`,
    started: `Program started${node}`,
    exited: `Program ended${code}`,
    "attempt-known": "Recovered from the run directory",
    "cancel-asked": "Cancel requested",
    "prepare-failed": "Preparation failed",
    "no-word": "No reason from the batch system",
    lost: "No trace of the job found",
    gone: "No longer running",
    note: "Note",
  };
  return titles[type] ?? type;
}

/** Batch systems call exit code 75 a failure; it asks for the next attempt. */
function isHandOver({ exit_code: code, reason }: Line["data"]): boolean {
  return code === 75 && (!reason || reason === "exit-code");
}

function stateSuffix({ native_state: state }: Line["data"]): string {
  return state ? `: ${state}` : "";
}

/** The event's other data, without empty values. */
export function eventFacts({ data }: Line): [string, unknown][] {
  return Object.entries(data).filter(
    ([, value]) => value !== null && value !== "" && value !== false,
  );
}
