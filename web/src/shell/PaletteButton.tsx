import { Kbd, UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { lazy, Suspense, useEffect, useState } from "react";
import classes from "./Shell.module.css";

const load = () => import("./Palette");
const Palette = lazy(load);
const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const PRELOAD_AFTER = 2_000;

/** Opens the palette, which is loaded once the page is idle or on first use. */
export function PaletteButton() {
  const [openCount, setOpenCount] = useState(0);
  const open = () => setOpenCount((n) => n + 1);
  useHotkeys([["mod+K", open]], []);
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), PRELOAD_AFTER);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <UnstyledButton className={classes.search} onClick={open}>
        <IconSearch size={15} aria-hidden />
        <span className={classes.searchWords}>Search or jump to…</span>
        <Kbd size="xs" visibleFrom="sm">
          {isApple ? "⌘" : "Ctrl"} K
        </Kbd>
      </UnstyledButton>
      <Suspense>{openCount > 0 && <Palette openCount={openCount} />}</Suspense>
    </>
  );
}
