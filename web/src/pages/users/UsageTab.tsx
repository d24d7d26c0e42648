import { Button, Group, SegmentedControl } from "@mantine/core";
import { IconDownload, IconGauge } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { EmptyState } from "~/components/EmptyState";
import { QueryResult } from "~/components/QueryResult";
import { allUsageQuery } from "~/limits/api";
import { UsageTable } from "~/limits/UsageTable";
import type { UsageBy } from "./search";

const PERIODS = [
  { value: "", label: "All" },
  { value: "365", label: "1 year" },
  { value: "30", label: "30 days" },
  { value: "7", label: "7 days" },
];
const BY = [
  { value: "person", label: "By person" },
  { value: "project", label: "By project" },
];

/** Usage by person or project. */
export function UsageTab() {
  const { by = "person", days } = useSearch({ from: "/users" });
  const navigate = useNavigate({ from: "/users" });
  const since = useMemo(() => (days ? Math.floor(Date.now() / 1000 - days * 86_400) : 0), [days]);
  const query = useQuery(allUsageQuery(by, since));
  return (
    <>
      <Group mb="md">
        <SegmentedControl
          aria-label="Group by"
          size="xs"
          data={BY}
          value={by}
          onChange={(next) => void navigate({ search: (now) => ({ ...now, by: next as UsageBy }) })}
        />
        <SegmentedControl
          aria-label="Period"
          size="xs"
          data={PERIODS}
          value={days ? String(days) : ""}
          onChange={(next) =>
            void navigate({
              search: (now) => ({ ...now, days: next ? Number(next) : undefined }),
            })
          }
        />
        <Button
          component="a"
          href={`/api/v1/usage/export?since=${since}`}
          download
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          Export as CSV
        </Button>
      </Group>
      <QueryResult query={query}>
        {({ items }) =>
          items.length ? (
            <UsageTable lines={items} who={by === "person" ? "Person" : "Project"} />
          ) : (
            <EmptyState icon={IconGauge} title="No usage in this period" />
          )
        }
      </QueryResult>
    </>
  );
}
