import type { Schemas } from "~/api/client";

type Line = Schemas["HistoryLine"];

/** What an event was, in words; one that nobody foresaw keeps its own name. */
export function happened({ type, data }: Line): string {
  const node = data.node ? ` on ${data.node}` : "";
  const code =
    data.exit_code === null || data.exit_code === undefined ? "" : ` with code ${data.exit_code}`;
  const words: Record<string, string> = {
    created: "Asked for",
    staging: "Being prepared",
    submitted: "Handed to the batch system",
    held: "Kept back",
    observed: `The batch system says${said(data)}`,
    started: `The program started${node}`,
    exited: `The program ended${code}`,
    "attempt-known": "Found again in its run directory",
    "cancel-asked": "Asked to cancel",
    "prepare-failed": "Could not be prepared",
    "no-word": "The batch system gave no reason",
    lost: "No trace of it was found",
    gone: "Nothing of it runs any more",
    note: "Note",
  };
  return words[type] ?? type;
}

function said({ native_state: word }: Line["data"]): string {
  return word ? `: ${word}` : "";
}

/** What else is known of it, without what is empty. */
export function factsOf({ data }: Line): [string, unknown][] {
  return Object.entries(data).filter(
    ([, value]) => value !== null && value !== "" && value !== false,
  );
}
