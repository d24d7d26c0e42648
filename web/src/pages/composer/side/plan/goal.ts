import type { Schemas } from "~/api/client";

/** The training goal as typed; empty means not set. */
export type GoalDraft = {
  by: "steps" | "epochs";
  steps: string;
  epochs: string;
  samples: string;
  batch: string;
  like: string;
  stepSeconds: string;
  saveSeconds: string;
  saveGigabytes: string;
  /** Whether the task page will show planned vs. actual. */
  keep: boolean;
};

export const EMPTY_GOAL: GoalDraft = {
  by: "steps",
  steps: "",
  epochs: "",
  samples: "",
  batch: "",
  like: "",
  stepSeconds: "",
  saveSeconds: "",
  saveGigabytes: "",
  keep: true,
};

/** The goal for the API; null while incomplete. Invalid numbers are left out. */
export function goalOf(draft: GoalDraft): Schemas["Goal"] | null {
  const amount =
    draft.by === "steps"
      ? { steps: parseNumber(draft.steps) }
      : {
          epochs: parseNumber(draft.epochs),
          samples: parseNumber(draft.samples),
          batch: parseNumber(draft.batch),
        };
  const pace = draft.like.trim()
    ? { like: draft.like.trim() }
    : { like: "", step_seconds: parseNumber(draft.stepSeconds) };
  if (Object.values(amount).some((value) => value === undefined)) return null;
  if (!pace.like && pace.step_seconds === undefined) return null;
  const saving = {
    save_seconds: parseNumber(draft.saveSeconds) ?? 0,
    save_gigabytes: parseNumber(draft.saveGigabytes),
  };
  return { ...amount, ...pace, ...saving };
}

/** Whether the text is not a number greater than zero. */
export function isInvalidNumber(text: string): boolean {
  return text.trim() !== "" && parseNumber(text) === undefined;
}

/** The goal that is submitted with the job. */
export function savedGoal(draft: GoalDraft): Schemas["Goal"] | null {
  return draft.keep ? goalOf(draft) : null;
}

/** Commas separate thousands. Any other comma is rejected: 0,5 must not become 5. */
export function parseNumber(text: string): number | undefined {
  const compact = text.replaceAll(/[\s_]/g, "");
  if (compact.includes(",") && !/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(compact)) return undefined;
  const plain = compact.replaceAll(",", "");
  const value = Number(plain);
  return plain && Number.isFinite(value) && value > 0 ? value : undefined;
}
