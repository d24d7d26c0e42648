import { Badge, Card, Tabs } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { TabList } from "~/components/TabList";
import classes from "../Composer.module.css";
import type { ComposerSearch, SideTab } from "../search";
import type { YamlState } from "../state/useYaml";
import { CostPane } from "./CostPane";
import { PlanPane } from "./plan/PlanPane";
import { ScriptPane } from "./ScriptPane";
import { ScalePane } from "./scale/ScalePane";
import { YamlPane } from "./YamlPane";

/** Other views of the same job: YAML, batch script, cost, plan and test runs. */
export function SidePanel({ search, yaml }: { search: ComposerSearch; yaml: YamlState }) {
  const navigate = useNavigate();
  const tab = search.tab ?? "yaml";
  const show = (next: string | null) =>
    void navigate({
      to: "/compose",
      search: { ...search, tab: next === "yaml" ? undefined : (next as SideTab) },
      replace: true,
      resetScroll: false,
    });
  return (
    <Card className={classes.sideCard} padding={0}>
      <Tabs value={tab} onChange={show} classNames={{ root: classes.tabs, panel: classes.panel }}>
        <TabList value={tab} px="xs">
          <Tabs.Tab
            value="yaml"
            rightSection={
              yaml.faults.length ? (
                <Badge size="xs" color="red" variant="filled" circle aria-label="errors">
                  {yaml.faults.length}
                </Badge>
              ) : undefined
            }
          >
            YAML
          </Tabs.Tab>
          <Tabs.Tab value="script">Script</Tabs.Tab>
          <Tabs.Tab value="cost">Cost and queue</Tabs.Tab>
          <Tabs.Tab value="plan">Plan</Tabs.Tab>
          <Tabs.Tab value="scale">Scale</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="yaml">{tab === "yaml" && <YamlPane yaml={yaml} />}</Tabs.Panel>
        <Tabs.Panel value="script">{tab === "script" && <ScriptPane />}</Tabs.Panel>
        <Tabs.Panel value="cost">{tab === "cost" && <CostPane />}</Tabs.Panel>
        <Tabs.Panel value="plan">{tab === "plan" && <PlanPane />}</Tabs.Panel>
        <Tabs.Panel value="scale">{tab === "scale" && <ScalePane />}</Tabs.Panel>
      </Tabs>
    </Card>
  );
}
