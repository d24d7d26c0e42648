import { Text, Timeline } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { EmptyState } from "~/components/EmptyState";
import { QueryResult } from "~/components/QueryResult";
import { TimeAgo } from "~/components/Time";
import { type AliasMove, historyQuery, type Model } from "~/models/api";

/** Who moved which alias when. */
export function HistoryTab({ model }: { model: Model }) {
  return (
    <QueryResult query={useQuery(historyQuery(model.id))}>
      {({ items }) =>
        items.length ? (
          <Timeline bulletSize={14} lineWidth={2} aria-label="Moves of aliases">
            {items.map((move) => (
              <Timeline.Item key={`${move.alias}-${move.at}`} title={moveText(move)}>
                <Text size="xs" c="dimmed">
                  {move.moved_by}, <TimeAgo at={move.at} />
                </Text>
              </Timeline.Item>
            ))}
          </Timeline>
        ) : (
          <EmptyState icon={IconHistory} title="No alias has been set">
            An alias such as production points to one version. Jobs and programs that use it follow
            when you move it, and this page shows who moved it when.
          </EmptyState>
        )
      }
    </QueryResult>
  );
}

export function moveText({ alias, before, version }: AliasMove): string {
  if (version === null) return `${alias} removed (was v${before})`;
  return before === null
    ? `${alias} set to v${version}`
    : `${alias} moved from v${before} to v${version}`;
}
