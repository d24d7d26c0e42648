import { isRawNumber } from "./exactJson";

/** A spec while it is being edited: any shape YAML can have. The service validates it. */
export type SpecDraft = { [field: string]: unknown };

/** The value at a path such as `resources.nodes`. */
export function valueAt(spec: SpecDraft, path: string): unknown {
  let here: unknown = spec;
  for (const part of path.split(".")) {
    if (!isMapping(here)) return undefined;
    here = here[part];
  }
  return here;
}

/** The spec with one value changed. Empty values, and mappings that become empty, are removed. */
export function withValue(spec: SpecDraft, path: string, value: unknown): SpecDraft {
  const [part = "", ...rest] = path.split(".");
  const inner = spec[part];
  const next = rest.length
    ? withValue(isMapping(inner) ? inner : {}, rest.join("."), value)
    : value;
  const changed = { ...spec, [part]: next };
  if (isEmpty(next)) delete changed[part];
  return changed;
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value)
  );
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMapping(value) && Object.values(value).every((inner) => inner === undefined);
}
