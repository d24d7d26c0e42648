import { Badge, Button, Card, Code, Group, Select, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { CodeText } from "~/components/CodeText";
import { ErrorAlert } from "~/components/ErrorAlert";
import { Markdown } from "~/components/markdown/Markdown";
import { QueryResult } from "~/components/QueryResult";
import { useAction } from "~/components/useAction";
import {
  type Dataset,
  makePreview,
  type PreviewColumn,
  type PreviewPart,
  previewQuery,
} from "~/datasets/api";
import { count, formatBytes } from "~/lib/format";
import { meQuery } from "~/people/me";
import { Bars } from "./Bars";
import classes from "./Preview.module.css";

const FORMATS: Record<string, string> = {
  csv: "CSV",
  jsonl: "JSON lines",
  parquet: "Parquet",
  numpy: "NumPy",
  hdf5: "HDF5",
  netcdf: "netCDF",
  zarr: "Zarr",
  image: "Images",
  text: "Text",
};

/** What the files of a version look like. */
export function PreviewSection({ dataset }: { dataset: Dataset }) {
  const [chosen, setVersion] = useState<string | null>(null);
  const version = chosen ?? dataset.newest?.name ?? "";
  const query = useQuery({ ...previewQuery(dataset.id, version), enabled: Boolean(version) });
  if (!version) return null;
  return (
    <Card component="section" aria-label="Preview">
      <Group justify="space-between" mb="sm">
        <Title order={2}>Preview</Title>
        {dataset.versions.length > 1 && (
          <Select
            aria-label="Version of the preview"
            size="xs"
            w={90}
            data={dataset.versions.map(({ name }) => name)}
            value={version}
            onChange={setVersion}
            allowDeselect={false}
          />
        )}
      </Group>
      <QueryResult query={query}>
        {({ state, message, preview }) =>
          preview ? (
            <Stack gap="lg">
              <Kinds kinds={preview.kinds ?? []} />
              {(preview.parts ?? []).map((part) => (
                <Part key={`${part.format} ${part.path}`} part={part} />
              ))}
              {!preview.parts?.length && (
                <Text size="sm" c="dimmed">
                  None of the files has a format that can be previewed.
                </Text>
              )}
            </Stack>
          ) : (
            <NoPreview dataset={dataset} version={version} state={state} message={message} />
          )
        }
      </QueryResult>
    </Card>
  );
}

type NoPreviewProps = { dataset: Dataset; version: string; state: string; message: string };

function NoPreview({ dataset, version, state, message }: NoPreviewProps) {
  const { data: me } = useQuery(meQuery);
  const make = useAction({
    call: () => makePreview(dataset.id, version),
    refresh: [keys.datasets],
  });
  if (state === "waiting" || state === "running") {
    return (
      <Text size="sm" c="dimmed" role="status">
        The endpoint is preparing the preview.
      </Text>
    );
  }
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" c="dimmed">
        {state === "failed" ? `The preview failed: ${message}` : message}
      </Text>
      {me?.id === dataset.owner && (
        <Button size="xs" variant="default" loading={make.isPending} onClick={() => make.run()}>
          Prepare the preview
        </Button>
      )}
      {make.error && <ErrorAlert error={make.error} />}
    </Stack>
  );
}

function Kinds({ kinds }: { kinds: { suffix: string; files: number; bytes: number }[] }) {
  return (
    <Group gap={6}>
      {kinds.map(({ suffix, files, bytes }) => (
        <Badge key={suffix} variant="light" color="gray" tt="none" fw={500}>
          {suffix}: {count(files, "file")}, {formatBytes(bytes)}
        </Badge>
      ))}
    </Group>
  );
}

function Part({ part }: { part: PreviewPart }) {
  const isMarkdown = part.path.toLowerCase().endsWith(".md");
  return (
    <section aria-label={part.path}>
      <Group gap="xs" mb={6}>
        <Text fw={600} size="sm" style={{ overflowWrap: "anywhere" }}>
          {part.format === "image" ? "Images" : part.path}
        </Text>
        <Text size="xs" c="dimmed">
          {facts(part).join(", ")}
        </Text>
      </Group>
      {Boolean(part.columns?.length) && <Columns part={part} />}
      {Boolean(part.arrays?.length) && <Arrays part={part} />}
      {Boolean(part.images?.length) && <Images part={part} />}
      {part.text &&
        (isMarkdown ? (
          <Markdown text={part.text} />
        ) : (
          <CodeText label={`Start of ${part.path}`} text={part.text} short />
        ))}
    </section>
  );
}

function facts(part: PreviewPart): string[] {
  const rows = part.rows == null ? [] : [count(part.rows, "row")];
  const columns = part.columns?.length ? [count(part.columns.length, "column")] : [];
  const format = part.format === "image" ? [] : [FORMATS[part.format] ?? part.format];
  return [...format, ...rows, ...columns, ...(part.note ? [part.note] : [])];
}

function Columns({ part }: { part: PreviewPart }) {
  const columns = part.columns ?? [];
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table className={classes.table} aria-label={`First rows of ${part.path}`} fz="xs">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat
              <Table.Th key={at}>
                <ColumnHead column={column} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {(part.first ?? []).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
            <Table.Tr key={index}>
              {columns.map((_, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as its column
                <Table.Td key={at} title={row[at]}>
                  {row[at]}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function ColumnHead({ column }: { column: PreviewColumn }) {
  const missing = column.missing ? `, ${column.missing.toLocaleString()} missing` : "";
  const values = (column.values ?? []).slice(0, 3);
  return (
    <Stack gap={2}>
      <Text size="xs" fw={600}>
        {column.name}
      </Text>
      <Text fz={11} c="dimmed">
        {column.type}
        {missing}
      </Text>
      {column.histogram && <Bars name={column.name} histogram={column.histogram} />}
      {values.map(({ value, count: many }) => (
        <Text key={value} fz={11} c="dimmed" maw={180} truncate>
          {value || "(empty)"} {many.toLocaleString()}
        </Text>
      ))}
    </Stack>
  );
}

function Arrays({ part }: { part: PreviewPart }) {
  return (
    <Table.ScrollContainer minWidth={520} type="native">
      <Table aria-label={`Arrays in ${part.path}`} fz="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Array</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>Dimensions</Table.Th>
            <Table.Th>Values</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {(part.arrays ?? []).map((array) => (
            <Table.Tr key={array.name}>
              <Table.Td style={{ overflowWrap: "anywhere" }}>
                <Code>{array.name}</Code>
                {array.about && (
                  <Text fz={11} c="dimmed">
                    {array.about}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>{array.type}</Table.Td>
              <Table.Td>{dimensions(array.shape, array.dimensions ?? [])}</Table.Td>
              <Table.Td>
                {array.histogram ? (
                  <Bars name={array.name} histogram={array.histogram} />
                ) : (
                  (array.first ?? []).join(", ")
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function dimensions(shape: number[], names: string[]): string {
  if (!shape.length) return "one value";
  const named = names.length === shape.length;
  return shape
    .map((length, at) =>
      named ? `${names[at]} ${length.toLocaleString()}` : length.toLocaleString(),
    )
    .join(" × ");
}

function Images({ part }: { part: PreviewPart }) {
  return (
    <ul className={classes.grid}>
      {(part.images ?? []).map((image) => (
        <li key={image.path}>
          <img src={`data:image/png;base64,${image.png}`} alt={image.path} />
          <Text fz={11} c="dimmed" truncate title={image.path}>
            {image.path}
          </Text>
          <Text fz={11} c="dimmed">
            {image.width} × {image.height}
          </Text>
        </li>
      ))}
    </ul>
  );
}
