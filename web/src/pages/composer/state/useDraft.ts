import { useCallback, useEffect, useRef, useState } from "react";
import { freshKey } from "~/lib/key";
import type { SpecDraft } from "../spec/draft";
import {
  type Draft,
  type Filled,
  isKeyOf,
  parseDraft,
  readDraft,
  removeDraft,
  writeDraft,
} from "./drafts";
import type { Work } from "./work";

const TAB = freshKey();
const SAVE_AFTER = 250;

export type DraftState<W extends Filled = Work> = {
  work: W;
  /** Differs from what the source gave. */
  isChanged: boolean;
  /** Another tab's version of the same job, while it and ours differ. */
  other: Draft<W> | null;
  change: (next: (work: W) => W) => void;
  /** What the YAML was found to say; it is the same work, better known. */
  settle: (spec: SpecDraft) => void;
  takeOther: () => void;
  keepMine: () => void;
  startOver: () => void;
  forget: () => void;
};

/** What is typed, saved in the browser as one goes; two tabs never overwrite each other unasked. */
export function useDraft<W extends Filled>(source: string, initial: W): DraftState<W> {
  const [work, setWork] = useState<W>(() => readDraft<W>(source)?.work ?? initial);
  const [isChanged, setChanged] = useState(() => readDraft(source) !== null);
  const [other, setOther] = useState<Draft<W> | null>(null);
  const [isTyped, setTyped] = useState(false);

  const change = useCallback((next: (work: W) => W) => {
    setTyped(true);
    setChanged(true);
    setWork((work) => ({ ...next(work), key: freshKey() }));
  }, []);
  const settle = useCallback((spec: SpecDraft) => setWork((work) => ({ ...work, spec })), []);
  const adopt = useCallback((next: W, changed: boolean) => {
    setTyped(false);
    setChanged(changed);
    setOther(null);
    setWork(next);
  }, []);

  useSaving(source, isTyped && !other ? work : null);
  useOtherTabs<W>(source, (said) => {
    if (isTyped) setOther(said);
    else if (said) adopt(said.work, true);
  });

  const forget = useCallback(() => {
    setTyped(false);
    removeDraft(source);
  }, [source]);
  return {
    work,
    isChanged,
    other,
    change,
    settle,
    takeOther: () => other && adopt(other.work, true),
    keepMine: () => {
      setOther(null);
      writeDraft(source, { tab: TAB, at: Date.now(), work });
    },
    startOver: () => {
      forget();
      adopt(initial, false);
    },
    forget,
  };
}

function useSaving<W extends Filled>(source: string, work: W | null): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    if (!work) return;
    const timer = setTimeout(() => save(source, work), SAVE_AFTER);
    return () => clearTimeout(timer);
  }, [source, work]);
  useEffect(() => {
    const saveNow = () => latest.current && save(source, latest.current);
    addEventListener("pagehide", saveNow);
    return () => removeEventListener("pagehide", saveNow);
  }, [source]);
}

function save<W extends Filled>(source: string, work: W): void {
  writeDraft(source, { tab: TAB, at: Date.now(), work });
}

function useOtherTabs<W extends Filled>(
  source: string,
  hear: (said: Draft<W> | null) => void,
): void {
  const latest = useRef(hear);
  latest.current = hear;
  useEffect(() => {
    const listen = (event: StorageEvent) => {
      if (!isKeyOf(source, event.key)) return;
      const said = event.newValue === null ? null : parseDraft<W>(event.newValue);
      if (said?.tab !== TAB) latest.current(said);
    };
    addEventListener("storage", listen);
    return () => removeEventListener("storage", listen);
  }, [source]);
}
