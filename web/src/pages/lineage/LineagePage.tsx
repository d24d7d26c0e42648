import { Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { IconSitemap } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { EmptyState } from "~/components/EmptyState";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { count } from "~/lib/format";
import { type Lineage, lineageQuery } from "~/runs/api";
import { LineageGraph } from "./LineageGraph";
import type { Direction } from "./search";

const DIRECTIONS = [
  { value: "both", label: "Both ways" },
  { value: "backward", label: "Came from" },
  { value: "forward", label: "Used by" },
];

/** What a task or some data came from, and everything that used it. */
export function LineagePage() {
  const { of = "", direction = "both" } = useSearch({ from: "/lineage" });
  const navigate = useNavigate({ from: "/lineage" });
  return (
    <Page title="Lineage" lead="Where a result came from, and everything that used it since." wide>
      <Stack gap="md">
        <Group align="flex-end">
          <form
            style={{ flex: "1 1 360px", maxWidth: 620 }}
            onSubmit={(event) => {
              event.preventDefault();
              const given = new FormData(event.currentTarget).get("of");
              void navigate({ search: (now) => ({ ...now, of: String(given ?? "").trim() }) });
            }}
          >
            <TextInput
              key={of}
              name="of"
              label="Task, dataset, model or digest"
              placeholder="tabc…, era5@v2 or sha256:…"
              defaultValue={of}
            />
          </form>
          <SegmentedControl
            aria-label="Direction"
            data={DIRECTIONS}
            value={direction}
            onChange={(value) =>
              void navigate({
                search: (now) => ({ ...now, direction: value as Direction }),
                replace: true,
              })
            }
          />
        </Group>
        {of ? <Graph of={of} direction={direction} /> : <NothingChosen />}
      </Stack>
    </Page>
  );
}

function NothingChosen() {
  return (
    <EmptyState icon={IconSitemap} title="Choose where to start">
      Enter a task id, the name of a dataset or model, or a digest. A task's page has a link here,
      too.
    </EmptyState>
  );
}

function Graph({ of, direction }: { of: string; direction: Direction }) {
  const query = useQuery({ ...lineageQuery(of, direction), retry: false });
  return (
    <QueryResult query={query}>
      {(lineage) => (
        <>
          <Summary lineage={lineage} direction={direction} />
          <LineageGraph lineage={lineage} />
        </>
      )}
    </QueryResult>
  );
}

function Summary({ lineage, direction }: { lineage: Lineage; direction: Direction }) {
  const verb = direction === "forward" ? "Affected: " : "";
  return (
    <Text size="sm" c="dimmed">
      {verb}
      {count(lineage.tasks, "task")}, {count(lineage.made, "result")}.
      {!lineage.is_complete &&
        " Only part of it fits on the page. Start from a closer item to see the rest."}
    </Text>
  );
}
