import { fieldId } from "./state/context";

/** Bring a field of the spec into view and into focus, or the nearest part of the form that holds it. */
export function jumpTo(field: string): void {
  const place = placeOf(field);
  if (!place) return;
  const target = place.matches("input, textarea") ? place : firstInput(place);
  place.scrollIntoView({ block: "center" });
  target.focus({ preventScroll: true });
}

function placeOf(field: string): HTMLElement | null {
  const parts = field.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const place = document.getElementById(fieldId(parts.slice(0, length).join(".")));
    if (place) return place;
  }
  return document.querySelector<HTMLElement>("[role=tabpanel] .cm-content");
}

function firstInput(place: HTMLElement): HTMLElement {
  return place.querySelector<HTMLElement>("input:not([tabindex='-1']), textarea") ?? place;
}
