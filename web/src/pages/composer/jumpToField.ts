import { fieldId } from "~/jobs/faults";

/** Scrolls to a field of the spec and focuses it, or the nearest part of the form that contains it. */
export function jumpToField(field: string): void {
  const element = elementOf(field);
  if (!element) return;
  const target = element.matches("input, textarea") ? element : firstInput(element);
  element.scrollIntoView({ block: "center" });
  target.focus({ preventScroll: true });
}

function elementOf(field: string): HTMLElement | null {
  const parts = field.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const element = document.getElementById(fieldId(parts.slice(0, length).join(".")));
    if (element) return element;
  }
  return document.querySelector<HTMLElement>("[role=tabpanel] .cm-content");
}

function firstInput(element: HTMLElement): HTMLElement {
  return element.querySelector<HTMLElement>("input:not([tabindex='-1']), textarea") ?? element;
}
