import type { Fault } from "./api";

/** The faults of a field or anything inside it, as one text. */
export function faultAt(faults: Fault[], path: string): string | undefined {
  const matching = faults.filter(
    (fault) => fault.field === path || fault.field.startsWith(`${path}.`),
  );
  return matching.map(faultText).join(" ") || undefined;
}

export function faultText({ message, hint }: Fault): string {
  return hint ? `${sentence(message)} ${hint}` : message;
}

export function fieldId(path: string): string {
  return `field-${path}`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
