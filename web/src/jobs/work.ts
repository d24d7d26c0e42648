import type { Schemas } from "~/api/client";
import { randomKey } from "~/lib/randomKey";
import type { SpecDraft } from "./spec/draft";

export type CodeFacts = Schemas["CodeFacts"];

/** Everything entered in the composer. */
export type Work = {
  spec: SpecDraft;
  /** Code the service already has: an uploaded folder, or the code of an earlier task. */
  code: CodeFacts | null;
  /** Describes where the code came from. */
  codeName: string;
  /** Notebooks in the uploaded folder. */
  notebooks: string[];
  recipe: string;
  /** The YAML as typed; null while it follows the form. */
  yaml: string | null;
  /** Typed text that a change in the form replaced; it can be restored. */
  replaced: string | null;
  /** New with every edit and the same on a repeated submission, so that a lost response never creates a second job. */
  key: string;
};

export function emptyWork(spec: SpecDraft = {}): Work {
  const code = { code: null, codeName: "", notebooks: [], recipe: "" };
  return { spec, ...code, yaml: null, replaced: null, key: randomKey() };
}

/** A change made in the form: the YAML follows, and typed text is kept for restoring. */
export function fromForm(work: Work, changed: Partial<Work>): Work {
  return { ...work, ...changed, yaml: null, replaced: work.yaml ?? work.replaced };
}

export function fromText(work: Work, yaml: string): Work {
  return { ...work, yaml, replaced: null };
}

/** The body of a call that checks or submits. The generated types only know complete specs. */
export function bodyOf(
  work: Pick<Work, "spec" | "code" | "recipe">,
): Omit<Schemas["ComposeRequest"], "project"> {
  const { spec, code, recipe } = work;
  return { spec: spec as Schemas["Spec"], code, recipe };
}
