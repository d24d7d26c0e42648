import { useCallback, useEffect, useRef, useState } from "react";
import { randomKey } from "~/lib/randomKey";
import {
  type Draft,
  type FormContent,
  isKeyOf,
  parseDraft,
  readDraft,
  removeDraft,
  writeDraft,
} from "./drafts";
import type { SpecDraft } from "./spec/draft";
import type { Work } from "./work";

const TAB_ID = randomKey();
const SAVE_DELAY = 250;

export type DraftState<W extends FormContent = Work> = {
  work: W;
  /** Differs from what the form started with. */
  isChanged: boolean;
  /** Another tab's version of the same draft, while it differs from ours. */
  other: Draft<W> | null;
  change: (next: (work: W) => W) => void;
  /** Updates the spec with what the service parsed from the YAML, without counting as an edit. */
  settle: (spec: SpecDraft) => void;
  takeOther: () => void;
  keepMine: () => void;
  startOver: () => void;
  forget: () => void;
};

/** A form's content, saved in the browser while typing. Two tabs never overwrite each other silently. */
export function useDraft<W extends FormContent>(source: string, initial: W): DraftState<W> {
  const [work, setWork] = useState<W>(() => readDraft<W>(source)?.work ?? initial);
  const [isChanged, setChanged] = useState(() => readDraft(source) !== null);
  const [other, setOther] = useState<Draft<W> | null>(null);
  const [isTyped, setTyped] = useState(false);

  const change = useCallback((next: (work: W) => W) => {
    setTyped(true);
    setChanged(true);
    setWork((work) => ({ ...next(work), key: randomKey() }));
  }, []);
  const settle = useCallback((spec: SpecDraft) => setWork((work) => ({ ...work, spec })), []);
  const adopt = useCallback((next: W, changed: boolean) => {
    setTyped(false);
    setChanged(changed);
    setOther(null);
    setWork(next);
  }, []);

  useSaving(source, isTyped && !other ? work : null);
  useOtherTabs<W>(source, (saved) => {
    if (isTyped) setOther(saved);
    else if (saved) adopt(saved.work, true);
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
      writeDraft(source, { tab: TAB_ID, at: Date.now(), work });
    },
    startOver: () => {
      forget();
      adopt(initial, false);
    },
    forget,
  };
}

function useSaving<W extends FormContent>(source: string, work: W | null): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    if (!work) return;
    const timer = setTimeout(() => save(source, work), SAVE_DELAY);
    return () => clearTimeout(timer);
  }, [source, work]);
  useEffect(() => {
    const saveNow = () => latest.current && save(source, latest.current);
    addEventListener("pagehide", saveNow);
    return () => removeEventListener("pagehide", saveNow);
  }, [source]);
}

function save<W extends FormContent>(source: string, work: W): void {
  writeDraft(source, { tab: TAB_ID, at: Date.now(), work });
}

function useOtherTabs<W extends FormContent>(
  source: string,
  onChange: (saved: Draft<W> | null) => void,
): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    const listen = (event: StorageEvent) => {
      if (!isKeyOf(source, event.key)) return;
      const saved = event.newValue === null ? null : parseDraft<W>(event.newValue);
      if (saved?.tab !== TAB_ID) latest.current(saved);
    };
    addEventListener("storage", listen);
    return () => removeEventListener("storage", listen);
  }, [source]);
}
