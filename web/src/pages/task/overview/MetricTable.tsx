import { Button, Card, Text, Title } from "@mantine/core";
import { useState } from "react";
import { formatNumber } from "~/lib/format";
import { bestOf, type MetricValues } from "~/tasks/summaries";
import classes from "./FirstLook.module.css";

const MAX_SHOWN = 8;

/** Each metric now, at its best, and its range over all attempts. */
export function MetricTable({ values }: { values: MetricValues[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? values : values.slice(0, MAX_SHOWN);
  if (!values.length) return null;
  return (
    <Card component="section" aria-label="Metrics">
      <Title order={2} mb="xs">
        Metrics
      </Title>
      <div className={classes.scroll}>
        <table className={classes.numbers}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Now</th>
              <th scope="col">Best</th>
              <th scope="col">Min</th>
              <th scope="col">Max</th>
              <th scope="col">Step</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((metric) => (
              <MetricRow key={metric.name} metric={metric} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < values.length && (
        <Button size="compact-sm" variant="subtle" mt={4} onClick={() => setAll(true)}>
          Show all {values.length}
        </Button>
      )}
    </Card>
  );
}

function MetricRow({ metric }: { metric: MetricValues }) {
  const best = bestOf(metric);
  return (
    <tr>
      <th scope="row" style={{ fontWeight: 500 }}>
        {metric.name}
      </th>
      <td>
        <b>{formatNumber(metric.last)}</b>
      </td>
      <td>
        {best && formatNumber(best.value)}
        {best?.step != null && (
          <Text span size="xs" c="dimmed">
            {" "}
            at {best.step.toLocaleString()}
          </Text>
        )}
      </td>
      <td>{formatNumber(metric.min)}</td>
      <td>{formatNumber(metric.max)}</td>
      <td>{metric.step?.toLocaleString() ?? ""}</td>
    </tr>
  );
}
