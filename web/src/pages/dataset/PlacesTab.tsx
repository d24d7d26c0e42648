import { Badge, Button, Card, Code, Group, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { ErrorAlert } from "~/components/ErrorAlert";
import { QueryResult } from "~/components/QueryResult";
import { TimeAgo } from "~/components/Time";
import { useAction } from "~/components/useAction";
import {
  checkDataset,
  copyDataset,
  type Dataset,
  type DatasetPlace,
  pinDataset,
  placesQuery,
} from "~/datasets/api";
import { endpointsQuery } from "~/endpoints/queries";

const KINDS = { "in-place": "in place", copy: "copy", archive: "archive" };

/** Every copy on the reader's endpoints, one card each. */
export function PlacesTab({ dataset }: { dataset: Dataset }) {
  const query = useQuery(placesQuery(dataset.id));
  return (
    <Stack gap="md">
      <CopyForm dataset={dataset} />
      <QueryResult query={query}>
        {({ items, advice }) => (
          <>
            {(advice ?? []).map((text) => (
              <Text key={text} size="sm">
                {text}
              </Text>
            ))}
            {!items.length && <Text c="dimmed">Not on any of your endpoints yet.</Text>}
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
              {items.map((place) => (
                <PlaceCard
                  key={`${place.version} ${place.endpoint} ${place.kind}`}
                  dataset={dataset}
                  place={place}
                />
              ))}
            </SimpleGrid>
          </>
        )}
      </QueryResult>
    </Stack>
  );
}

function PlaceCard({ dataset, place }: { dataset: Dataset; place: DatasetPlace }) {
  const queries = useQueryClient();
  const pin = useMutation({
    mutationFn: () => pinDataset(dataset.id, place),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.datasets }),
  });
  const check = useAction({
    call: () => checkDataset(dataset.id, place),
    refresh: [keys.datasets],
  });
  return (
    <Card padding="sm" component="section" aria-label={`${place.version} on ${place.endpoint}`}>
      <Group justify="space-between" wrap="nowrap" mb={6}>
        <Text fw={550}>{place.endpoint}</Text>
        <Badge variant="light" tt="none" style={{ flexShrink: 0 }}>
          {place.version}, {KINDS[place.kind]}
        </Badge>
      </Group>
      <Code style={{ overflowWrap: "anywhere" }}>{place.path}</Code>
      <Text size="xs" c="dimmed" mt={4}>
        Used <TimeAgo at={place.used} />
        {place.checked != null && (
          <>
            , checked <TimeAgo at={place.checked} />
          </>
        )}
        {place.is_last ? ", the last copy" : ""}
      </Text>
      {place.changed.length > 0 && (
        <Text size="sm" c="var(--mantine-color-error)" mt={4} style={{ overflowWrap: "anywhere" }}>
          Changed: {place.changed.slice(0, 3).join(", ")}
          {place.changed.length > 3 ? ` and ${place.changed.length - 3} more` : ""}. Tasks cannot
          read it here. Restore the files and check again, or add them as a new version.
        </Text>
      )}
      <Group mt="xs" gap="xs">
        <Button
          size="compact-xs"
          variant="default"
          loading={check.isPending}
          onClick={() => check.run()}
        >
          Check
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          loading={pin.isPending}
          onClick={() => pin.mutate()}
        >
          {place.pinned ? "Unpin" : "Pin"}
        </Button>
      </Group>
      {check.data?.state === "done" && !check.data.changed?.length && (
        <Text size="xs" c="dimmed" mt={4} role="status">
          Unchanged.
        </Text>
      )}
      {pin.error && <ErrorAlert error={pin.error} />}
      {check.error && <ErrorAlert error={check.error} />}
    </Card>
  );
}

function CopyForm({ dataset }: { dataset: Dataset }) {
  const queries = useQueryClient();
  const { data } = useQuery(endpointsQuery);
  const [endpoint, setEndpoint] = useState<string | null>(null);
  const copy = useMutation({
    mutationFn: (to: string) => copyDataset(dataset.id, to),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.datasets }),
  });
  if (!dataset.newest) return null;
  return (
    <Stack gap={6}>
      <Group align="flex-end" gap="xs">
        <Select
          label={`Copy ${dataset.newest.name} to`}
          placeholder="Endpoint"
          data={(data?.items ?? []).map(({ name }) => name)}
          value={endpoint}
          onChange={setEndpoint}
        />
        <Button
          disabled={!endpoint}
          loading={copy.isPending}
          onClick={() => endpoint && copy.mutate(endpoint)}
        >
          Copy
        </Button>
      </Group>
      {copy.data && (
        <Text size="sm" role="status">
          {copy.data.how === "here" ? copy.data.words : "The copy has started: see Overview."}
        </Text>
      )}
      {copy.error && <ErrorAlert error={copy.error} />}
    </Stack>
  );
}
