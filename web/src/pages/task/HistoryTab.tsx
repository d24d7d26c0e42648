import { Card, Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas, Task } from "~/api/client";
import { MessageText } from "~/components/MessageText";
import { QueryResult } from "~/components/QueryResult";
import { dayTime, exactTime } from "~/lib/format";
import { valueText } from "~/lib/text";
import { eventFacts, eventTitle } from "./events";
import classes from "./HistoryTab.module.css";
import { historyQuery } from "./queries";

const LATE_SECONDS = 60;

/** Every event of the task, oldest first. */
export function HistoryTab({ task }: { task: Task }) {
  const query = useQuery(historyQuery(task.id));
  return (
    <Card p={0} component="section" aria-label="History">
      <QueryResult query={query}>
        {({ items }) => (
          <ol className={classes.list}>
            {items.map((line) => (
              <HistoryRow key={line.n} line={line} />
            ))}
          </ol>
        )}
      </QueryResult>
    </Card>
  );
}

function HistoryRow({ line }: { line: Schemas["HistoryLine"] }) {
  const facts = eventFacts(line);
  return (
    <li className={classes.line}>
      <time className={classes.time} title={exactTime(line.at)}>
        {dayTime(line.at)}
      </time>
      <div className={classes.what}>
        <Text size="sm" fw={550}>
          {eventTitle(line)}
        </Text>
        {line.message && (
          <Text size="sm" className={classes.message}>
            <MessageText text={line.message} />
          </Text>
        )}
        {line.received - line.at > LATE_SECONDS && (
          <Text size="xs" c="dimmed">
            reported late, on {dayTime(line.received)}
          </Text>
        )}
      </div>
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
    </li>
  );
}
