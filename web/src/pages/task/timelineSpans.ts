import type { Schemas, Task } from "~/api/client";

export type Phase = "prepared" | "waited" | "ran" | "ended";
export type Span = { phase: Phase; from: number; to: number; open: boolean; run?: number };
export type Lane = { attempt: number; ending: string; runs: number; spans: Span[] };
type History = Schemas["HistoryLine"][];

/** What happened when, one lane per attempt. What is still running ends now. */
export function lanesOf(task: Task, history: History, now: number): Lane[] {
  return task.attempts.map((attempt, n) => {
    const start = n === 0 ? task.created : (task.attempts[n - 1]?.ended ?? attempt.started ?? now);
    const queued = eventAt(history, attempt.id, "submitted");
    const isLast = n === task.attempts.length - 1;
    const end = attempt.ended ?? (isLast ? (task.ended ?? null) : null);
    const since = isLast && task.state === "pending" ? "waited" : "ended";
    const spans = spansOf({ start: start, queued, end, runs: attempt.runs, since, now });
    return { attempt: attempt.number, ending: attempt.ending, runs: attempt.runs.length, spans };
  });
}

type Facts = {
  start: number;
  queued: number | undefined;
  end: number | null;
  runs: Schemas["Run"][];
  /** What it has been doing since its last run. */
  since: Phase;
  now: number;
};

function spansOf({ start, queued, end, runs, since, now }: Facts): Span[] {
  const spans: Span[] = [];
  const add = (phase: Phase, from: number, to: number | null | undefined, run?: number) => {
    const until = Math.max(from, to ?? end ?? now);
    // A run shorter than the clock's resolution still ran.
    if (until > from || phase === "ran")
      spans.push({ phase, from, to: until, open: to == null && end === null, run });
    return until;
  };
  const first = runs.find((run) => run.started != null)?.started;
  let at = add("prepared", start, queued ?? first);
  const startedRuns = runs.filter((run) => run.started != null);
  for (const [n, run] of startedRuns.entries()) {
    const started = run.started ?? at;
    if (started > at) add("waited", at, started);
    const until = run.ended ?? startedRuns[n + 1]?.started;
    at = add("ran", started, until, runs.length > 1 ? run.run : undefined);
  }
  if (runs.length > 0 && runs.at(-1)?.ended != null) add(since, at, end);
  else if (!runs.length && queued !== undefined) add("waited", queued, end);
  return spans;
}

function eventAt(history: History, attempt: string, type: string): number | undefined {
  return history.find((line) => line.type === type && line.data.attempt === attempt)?.at;
}

/** The most lanes that can be distinguished; a longer chain is drawn in one. */
export const MAX_LANES = 8;

/** The spans of all attempts in one lane; running is drawn above waiting. */
export function mergedSpans(lanes: Lane[]): (Span & { attempt: number })[] {
  const spans = lanes.flatMap(({ attempt, spans }) => spans.map((span) => ({ ...span, attempt })));
  return spans.toSorted((a, b) => Number(a.phase === "ran") - Number(b.phase === "ran"));
}

/** The total duration of each phase over all attempts. */
export function totals(lanes: Lane[]): Map<Phase, number> {
  const sums = new Map<Phase, number>();
  for (const { phase, from, to } of lanes.flatMap((lane) => lane.spans)) {
    sums.set(phase, (sums.get(phase) ?? 0) + to - from);
  }
  return sums;
}
