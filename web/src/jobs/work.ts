import type { Schemas } from "~/api/client";
import { randomKey } from "~/lib/randomKey";
import type { SpecDraft } from "./spec/draft";

export type CodeFacts = Schemas["CodeFacts"];

/** Everything a person has put into the composer. */
export type Work = {
  spec: SpecDraft;
  /** Code that the service has already: an uploaded folder, or that of the task run again. */
  code: CodeFacts | null;
  /** Where that code came from, in words. */
  codeName: string;
  /** Notebooks seen in the uploaded folder, to choose from. */
  notebooks: string[];
  recipe: string;
  /** The YAML as typed; null while it follows the form. */
  yaml: string | null;
  /** Text that was typed and then replaced by a change in the form; it can be brought back. */
  replaced: string | null;
  /** New with every change, the same when the same is sent again: a lost answer makes no second job. */
  key: string;
};

export function emptyWork(spec: SpecDraft = {}): Work {
  const code = { code: null, codeName: "", notebooks: [], recipe: "" };
  return { spec, ...code, yaml: null, replaced: null, key: randomKey() };
}

/** A change made in the form: the text follows, and what stood there is kept aside. */
export function fromForm(work: Work, changed: Partial<Work>): Work {
  return { ...work, ...changed, yaml: null, replaced: work.yaml ?? work.replaced };
}

export function fromText(work: Work, yaml: string): Work {
  return { ...work, yaml, replaced: null };
}

/** The body of a call that checks or submits. The generated types know finished specs only. */
export function bodyOf(
  work: Pick<Work, "spec" | "code" | "recipe">,
): Omit<Schemas["ComposeRequest"], "project"> {
  const { spec, code, recipe } = work;
  return { spec: spec as Schemas["Spec"], code, recipe };
}
