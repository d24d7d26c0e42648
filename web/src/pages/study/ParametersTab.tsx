import { Group, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useState } from "react";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { count } from "~/lib/format";
import { importancesQuery, type StudyDetail } from "~/studies/api";
import { completed } from "~/studies/data";
import type { Colors } from "~/studies/Plot";
import type { Engine } from "~/studies/plotEngine";
import { contourOption, importanceOption, parallelOption, sliceOption } from "~/studies/plots";
import { Panel } from "./OverviewTab";
import type { TabProps } from "./StudyPage";

const Plot = lazy(() => import("~/studies/Plot"));

/** How the params and the objective hang together. */
export function ParametersTab({ study, trials }: TabProps) {
  if (!completed(trials).length) {
    return (
      <Text size="sm" c="dimmed">
        No trial is complete yet.
      </Text>
    );
  }
  return (
    <Suspense fallback={<SkeletonLines count={6} height={60} />}>
      <Stack gap="md">
        <Parallel study={study} trials={trials} />
        <Group align="stretch" gap="md" grow preventGrowOverflow={false}>
          <Importance study={study} />
          <Slices study={study} trials={trials} />
        </Group>
        <Contour study={study} trials={trials} />
      </Stack>
    </Suspense>
  );
}

function Parallel({ study, trials }: TabProps) {
  const [chosen, setChosen] = useState<number | null>(null);
  const option = useCallback(
    (colors: Colors) => parallelOption(study, trials, colors),
    [study, trials],
  );
  const listen = useCallback((engine: Engine) => {
    engine.on("axisareaselected", () => setChosen(activeLines(engine)));
  }, []);
  const total = completed(trials).length;
  return (
    <Panel title="Parallel coordinates">
      <Plot
        label={`Parallel coordinates of ${total} complete trials`}
        option={option}
        height={320}
        onReady={listen}
      />
      <Text size="sm" c="dimmed" role="status">
        {chosen === null || chosen === total
          ? "Drag along an axis to select trials; click it to clear."
          : `${count(chosen, "trial")} of ${total} selected`}
      </Text>
    </Panel>
  );
}

function activeLines(engine: Engine): number | null {
  const model = (
    engine as unknown as {
      getModel: () => {
        getSeries: () => { getRawIndicesByActiveState?: (state: string) => number[] }[];
      };
    }
  ).getModel();
  return model.getSeries()[0]?.getRawIndicesByActiveState?.("active").length ?? null;
}

function Importance({ study }: { study: StudyDetail }) {
  const [objective, setObjective] = useState(study.objectives[0]?.name ?? "");
  const query = useQuery(importancesQuery(study.id, objective));
  const data = query.data;
  const option = useCallback(
    (colors: Colors) => (data ? importanceOption(data, colors) : {}),
    [data],
  );
  return (
    <Panel title="Importances">
      {study.objectives.length > 1 && (
        <Select
          aria-label="Objective"
          size="xs"
          mb="xs"
          data={study.objectives.map(({ name }) => name)}
          value={objective}
          onChange={(name) => setObjective(name ?? objective)}
        />
      )}
      <QueryResult query={query}>
        {({ items, message, method, trials }) =>
          items.length ? (
            <>
              <Plot
                label={`Importances: ${items.map((i) => `${i.name} ${Math.round(i.share * 100)} %`).join(", ")}`}
                option={option}
                height={Math.max(120, 36 * items.length)}
              />
              <Text size="xs" c="dimmed">
                {method}, from {count(trials, "complete trial")}
              </Text>
            </>
          ) : (
            <Text size="sm" c="dimmed">
              {message}
            </Text>
          )
        }
      </QueryResult>
    </Panel>
  );
}

function numericParams({ study, trials }: TabProps): string[] {
  const isText = (name: string) => trials.params[name]?.some((value) => typeof value === "string");
  const isChoice = (name: string) =>
    study.space.some((dimension) => dimension.name === name && dimension.kind === "choice");
  return Object.keys(trials.params).filter((name) => !isText(name) && !isChoice(name));
}

function isLog(study: StudyDetail, name: string): boolean {
  return study.space.some((dimension) => dimension.name === name && dimension.log);
}

function Slices({ study, trials }: TabProps) {
  const names = numericParams({ study, trials });
  const [picked, setName] = useState<string | null>(null);
  const name = picked ?? names[0] ?? "";
  const objective = study.objectives[0]?.name ?? "";
  const option = useCallback(
    (colors: Colors) => sliceOption(trials, name, objective, isLog(study, name), colors),
    [study, trials, name, objective],
  );
  if (!name) return null;
  return (
    <Panel title="Slice">
      <Select
        aria-label="Parameter"
        size="xs"
        mb="xs"
        data={names}
        value={name}
        onChange={setName}
        allowDeselect={false}
      />
      <Plot label={`${objective} over ${name}`} option={option} height={240} />
    </Panel>
  );
}

function Contour({ study, trials }: TabProps) {
  const names = numericParams({ study, trials });
  const [pickedX, setX] = useState<string | null>(null);
  const [pickedY, setY] = useState<string | null>(null);
  const x = pickedX ?? names[0] ?? "";
  const y = pickedY ?? names[1] ?? "";
  const option = useCallback(
    (colors: Colors) =>
      contourOption(study, trials, [x, y], [isLog(study, x), isLog(study, y)], colors),
    [study, trials, x, y],
  );
  if (names.length < 2) return null;
  const objective = study.objectives[0]?.name ?? "";
  return (
    <Panel title="Contour">
      <Group gap="xs" mb="xs">
        <Select
          aria-label="Horizontal"
          size="xs"
          data={names}
          value={x}
          onChange={setX}
          allowDeselect={false}
        />
        <Select
          aria-label="Vertical"
          size="xs"
          data={names}
          value={y}
          onChange={setY}
          allowDeselect={false}
        />
      </Group>
      <Plot label={`Mean ${objective} over ${x} and ${y}`} option={option} height={320} />
    </Panel>
  );
}
