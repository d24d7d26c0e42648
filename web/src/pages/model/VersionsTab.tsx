import { Anchor, Badge, Button, Card, Code, Group, Stack, Text } from "@mantine/core";
import { IconVersions } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { keys } from "~/api/queryKeys";
import { EmptyState } from "~/components/EmptyState";
import { LoadMore } from "~/components/LoadMore";
import { QueryResult } from "~/components/QueryResult";
import { TimeAgo } from "~/components/Time";
import { count, formatBytes, formatNumber } from "~/lib/format";
import { listVersions, type Model, type ModelVersion } from "~/models/api";
import { Reproduced } from "./Reproduced";
import { SafetyLine } from "./SafetyBadge";
import { Signature } from "./Signature";
import { VersionMenu } from "./VersionMenu";

const SHOWN_METRICS = 4;

/** Every version, the newest first. */
export function VersionsTab({ model }: { model: Model }) {
  const query = useInfiniteQuery({
    queryKey: [...keys.models, "versions", model.id],
    queryFn: ({ pageParam }) => listVersions(model.id, pageParam || undefined),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
  });
  return (
    <QueryResult query={query}>
      {({ pages }) => {
        const versions = pages.flatMap((page) => page.items);
        if (!versions.length) {
          return (
            <EmptyState icon={IconVersions} title="No versions yet">
              Give a result of a task this name, or push a folder with diamond model push.
            </EmptyState>
          );
        }
        return (
          <Stack gap="xs" role="list" aria-label="Versions">
            {versions.map((version) => (
              <VersionCard key={version.number} model={model} version={version} />
            ))}
            <LoadMore query={query} />
          </Stack>
        );
      }}
    </QueryResult>
  );
}

type VersionProps = { model: Model; version: ModelVersion };

function VersionCard({ model, version }: VersionProps) {
  return (
    <Card padding="sm" role="listitem" aria-label={`Version ${version.number}`}>
      <Stack gap={4}>
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Group gap={8}>
            <Text fw={600}>v{version.number}</Text>
            {version.aliases.map((alias) => (
              <Badge key={alias} variant="light" tt="none">
                {alias}
              </Badge>
            ))}
            <Text size="xs" c="dimmed">
              {count(version.files, "file")}, {formatBytes(version.size)}
              {version.format && `, ${version.format}`}
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button
              size="xs"
              variant="default"
              renderRoot={(props) => (
                <Link
                  to="/compose"
                  search={{ model: `${model.id}@v${version.number}` }}
                  aria-label={`Fine-tune version ${version.number}`}
                  {...props}
                />
              )}
            >
              Fine-tune
            </Button>
            <VersionMenu model={model} version={version} />
          </Group>
        </Group>
        {version.note && <Text size="sm">{version.note}</Text>}
        <Metrics version={version} />
        <SafetyLine model={model} version={version} />
        {version.task && <Reproduced task={version.task} />}
        <Signature version={version} />
        <Text size="xs" c="dimmed" component="div">
          {version.created_by}, <TimeAgo at={version.created} />
          {version.task ? (
            <>
              , from{" "}
              <Anchor
                size="xs"
                underline="always"
                renderRoot={(props) => (
                  <Link to="/tasks/$task" params={{ task: version.task ?? "" }} {...props} />
                )}
              >
                {version.task}
              </Anchor>
            </>
          ) : (
            ", pushed from outside"
          )}
        </Text>
        <Code style={{ overflowWrap: "anywhere", whiteSpace: "normal" }}>{version.digest}</Code>
      </Stack>
    </Card>
  );
}

function Metrics({ version }: { version: ModelVersion }) {
  const metrics = Object.entries(version.metrics).slice(0, SHOWN_METRICS);
  if (!metrics.length) return null;
  return (
    <Text size="sm">
      {metrics.map(([name, value]) => `${name} ${formatNumber(value)}`).join(", ")}
    </Text>
  );
}
