import { Kbd, UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { lazy, Suspense, useEffect, useState } from "react";
import classes from "./Shell.module.css";

const load = () => import("./Palette");
const Palette = lazy(load);
const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const QUIET = 2_000;

/** The way to the palette, which is fetched once the page has come to rest, or at the first wish. */
export function PaletteButton() {
  const [wishes, setWishes] = useState(0);
  const wish = () => setWishes((n) => n + 1);
  useHotkeys([["mod+K", wish]], []);
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), QUIET);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <UnstyledButton className={classes.search} onClick={wish}>
        <IconSearch size={15} aria-hidden />
        <span className={classes.searchWords}>Search or jump to…</span>
        <Kbd size="xs" visibleFrom="sm">
          {isApple ? "⌘" : "Ctrl"} K
        </Kbd>
      </UnstyledButton>
      <Suspense>{wishes > 0 && <Palette wishes={wishes} />}</Suspense>
    </>
  );
}
