import { Card, Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas, Task } from "~/api/client";
import { Answer } from "~/components/Answer";
import { clockTime, exactTime } from "~/lib/format";
import classes from "./HistoryTab.module.css";
import { historyQuery } from "./queries";
import { valueText } from "./words";

/** Everything that was ever learned about the task, oldest first. */
export function HistoryTab({ task }: { task: Task }) {
  const query = useQuery(historyQuery(task.id));
  return (
    <Card p={0} component="section" aria-label="History">
      <Answer query={query}>
        {({ items }) => (
          <ol className={classes.list}>
            {items.map((line) => (
              <Line key={line.n} line={line} />
            ))}
          </ol>
        )}
      </Answer>
    </Card>
  );
}

function Line({ line }: { line: Schemas["HistoryLine"] }) {
  const facts = Object.entries(line.data).filter(([, value]) => value !== null && value !== "");
  const late = line.received - line.at;
  return (
    <li className={classes.line}>
      <time className={classes.time} title={exactTime(line.at)}>
        {clockTime(line.at)}
      </time>
      <div className={classes.what}>
        <Text size="sm" span fw={550}>
          {line.type}
        </Text>{" "}
        <Text size="sm" span className={classes.message}>
          {line.message}
        </Text>
        {late > 60 && (
          <Text size="xs" c="dimmed">
            heard of only at {clockTime(line.received)}
          </Text>
        )}
        {facts.length > 0 && (
          <details className={classes.details}>
            <summary>Details</summary>
            {facts.map(([name, value]) => (
              <div key={name}>
                {name}: <Code>{valueText(value)}</Code>
              </div>
            ))}
          </details>
        )}
      </div>
    </li>
  );
}
