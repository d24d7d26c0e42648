import type { Fault } from "./api";

/** What is wrong with a field or something within it, in the service's words. */
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
