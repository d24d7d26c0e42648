import { Tabs, type TabsListProps } from "@mantine/core";
import { useEffect, useRef } from "react";
import classes from "./TabList.module.css";

/** Tabs on one line, also on a phone: they scroll, and the selected one stays visible. */
export function TabList({ value, ...rest }: TabsListProps & { value: string }) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is chosen.
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    if (!list.current || !chosen) return;
    const spare = list.current.clientWidth - chosen.offsetWidth;
    list.current.scrollLeft = chosen.offsetLeft - spare / 2;
  }, [value]);
  return <Tabs.List ref={list} className={classes.list} {...rest} />;
}
