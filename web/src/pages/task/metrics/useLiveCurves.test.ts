import { QueryClient } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import type { LiveData, MetricSet } from "./metricSet";
import { CURVES, NAMES } from "./queries";

vi.mock("~/live/connection", () => ({ connection: {} }));

const wanted = { tasks: ["t1"], names: ["loss"], points: 200, range: null };
const names = [{ name: "loss", tasks: ["t1"] }];
const at = (step: number): LiveData => [
  { task: "t1", points: [{ name: "loss", step, time: step, value: 1 / step }] },
];

async function drawnOn(queries: QueryClient, live: LiveData) {
  (await import("./useLiveCurves")).addLiveData(queries, live);
}

test("a point that comes is drawn at the end of its curve", async () => {
  const queries = new QueryClient();
  const points = [[1, 1, 1]];
  queries.setQueryData([...CURVES, wanted], {
    items: [{ task: "t1", name: "loss", points }],
    names,
  });
  await drawnOn(queries, at(2));
  const set = queries.getQueryData<MetricSet>([...CURVES, wanted]);
  expect(set?.items[0]?.points.map(([step]) => step)).toEqual([1, 2]);
});

test("a page without any curve asks for their names when the first comes", async () => {
  const queries = new QueryClient();
  queries.setQueryData([...NAMES, ["t1"]], []);
  await drawnOn(queries, at(1));
  expect(queries.getQueryState([...NAMES, ["t1"]])?.isInvalidated).toBe(true);
});

test("an answer that lacks a point which overtook it is asked for again", async () => {
  const queries = new QueryClient();
  const answers: ((set: unknown) => void)[] = [];
  const queryFn = () => new Promise((answer) => answers.push(answer));
  void queries.fetchQuery({ queryKey: [...CURVES, wanted], queryFn });
  await drawnOn(queries, at(2));
  answers[0]?.({ items: [], names: [] });
  await vi.waitFor(() =>
    expect(queries.getQueryState([...CURVES, wanted])?.isInvalidated).toBe(true),
  );
});
