import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback } from "react";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { count } from "~/lib/format";
import { curvesQuery } from "~/studies/api";
import type { Colors } from "~/studies/Plot";
import { curvesOption } from "~/studies/plots";
import { Panel } from "./OverviewTab";
import type { TabProps } from "./StudyPage";

const Plot = lazy(() => import("~/studies/Plot"));

/** Intermediate values of many trials in one chart. */
export function CurvesTab({ study }: TabProps) {
  const query = useQuery(curvesQuery(study.id));
  const data = query.data;
  const option = useCallback((colors: Colors) => (data ? curvesOption(data, colors) : {}), [data]);
  return (
    <Panel title="Intermediate values">
      <QueryResult query={query}>
        {({ curves, left_out, objective }) =>
          curves.length ? (
            <Suspense fallback={<SkeletonLines count={5} />}>
              <Plot
                label={`${objective} of ${count(curves.length, "trial")}`}
                option={option}
                height={420}
              />
              {left_out > 0 && (
                <Text size="sm" c="dimmed">
                  The best and the newest trials; {count(left_out, "other")} are left out.
                </Text>
              )}
            </Suspense>
          ) : (
            <Text size="sm" c="dimmed">
              No trial has logged the objective yet.
            </Text>
          )
        }
      </QueryResult>
    </Panel>
  );
}
