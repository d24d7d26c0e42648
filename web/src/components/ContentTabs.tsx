import { Tabs } from "@mantine/core";
import { type ComponentType, createElement } from "react";
import { TabList } from "./TabList";

type Tab<Props> = { label: string; content: ComponentType<Props> };

type ContentTabsProps<Name extends string, Props> = {
  /** In order; the first is shown at the plain address. */
  tabs: Record<Name, Tab<Props>>;
  value: Name;
  /** What every tab is given. */
  props: Props;
  /** `undefined`: the first tab. */
  onSelect: (tab: Name | undefined) => void;
};

/** One thing in several tabs, whose choice is part of the address. */
export function ContentTabs<Name extends string, Props extends object>({
  tabs,
  value,
  props,
  onSelect,
}: ContentTabsProps<Name, Props>) {
  const entries = Object.entries(tabs) as [Name, Tab<Props>][];
  const first = entries[0]?.[0];
  return (
    <Tabs
      value={value}
      onChange={(next) => onSelect(next === first ? undefined : (next as Name))}
      keepMounted={false}
    >
      <TabList value={value} mb="md">
        {entries.map(([name, { label }]) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </TabList>
      <Tabs.Panel value={value}>{createElement(tabs[value].content, props)}</Tabs.Panel>
    </Tabs>
  );
}
