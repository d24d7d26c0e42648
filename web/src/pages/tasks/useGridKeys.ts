import type { Virtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useState } from "react";
import { stepped } from "./selection";
import type { ListState } from "./TaskList";
import type { TaskSelection } from "./useTaskSelection";

type Keys = {
  state: ListState;
  selection: TaskSelection;
  onOpen: (task: string) => void;
  rows: Virtualizer<HTMLDivElement, Element>;
  height: number;
};

/** Arrows move, Space selects, Shift extends, Enter opens, Ctrl+A selects all, Escape clears. */
export function useGridKeys({ state, selection, onOpen, rows, height }: Keys) {
  const [active, setActive] = useState(-1);

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    if (event.target instanceof HTMLButtonElement) return;
    if (act(event) || move(event)) event.preventDefault();
  }

  function act(event: KeyboardEvent): boolean {
    const task = state.rows[active]?.id;
    if (event.key === "Enter" && task) onOpen(task);
    else if (event.key === " " && task) selection.toggle(active);
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) selection.all();
    else if (event.key === "Escape" && selection.chosen.size) selection.clear();
    else return false;
    return true;
  }

  function move(event: KeyboardEvent<HTMLDivElement>): boolean {
    const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / height) - 2);
    const next = stepped(event.key, active, page, state.rows.length);
    if (next === null) return false;
    setActive(next);
    rows.scrollToIndex(next);
    if (event.shiftKey) selection.extendTo(next);
    return true;
  }

  return { active, setActive, onKeyDown };
}
