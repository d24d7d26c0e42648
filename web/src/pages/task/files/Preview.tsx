import { Button, Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { fetchRaw, type Schemas, type Task } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { QueryResult } from "~/components/QueryResult";
import { formatBytes } from "~/lib/format";
import { plainText } from "~/output/ansi";
import classes from "./Files.module.css";
import { Notebook } from "./Notebook";
import { parseCsv } from "./parseCsv";

const MAX_PREVIEW_BYTES = 400_000;
const MAX_NOTEBOOK_BYTES = 20_000_000;
const MAX_ROWS = 500;

type PreviewProps = { task: Task; path: string; entry: Schemas["FileEntry"] | undefined };

/** A preview of one file. The service decides how it may be shown. */
export function Preview({ task, path, entry }: PreviewProps) {
  return (
    <Card component="section" aria-label="Preview">
      <Group justify="space-between" wrap="nowrap" mb="sm">
        <div style={{ minWidth: 0 }}>
          <Title order={2} style={{ overflowWrap: "anywhere" }}>
            {path.split("/").at(-1)}
          </Title>
          {entry?.size != null && (
            <Text size="xs" c="dimmed">
              {formatBytes(entry.size)}
            </Text>
          )}
        </div>
        <Button
          variant="default"
          size="xs"
          component="a"
          href={fileUrl(task.id, path)}
          download
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          Download
        </Button>
      </Group>
      {entry ? <Content task={task} path={path} entry={entry} /> : <FileMissing />}
    </Card>
  );
}

function fileUrl(task: string, path: string, inline = false): string {
  const query = new URLSearchParams({ path, ...(inline ? { inline: "true" } : {}) });
  return `/api/v1/tasks/${task}/files/content?${query}`;
}

function FileMissing() {
  return <Text size="sm">This file no longer exists.</Text>;
}

type ContentProps = { task: Task; path: string; entry: Schemas["FileEntry"] };

function Content({ task, path, entry }: ContentProps) {
  if (entry.preview === "image") {
    return <img className={classes.picture} src={fileUrl(task.id, path, true)} alt={path} />;
  }
  if (!entry.preview || entry.preview === "none") {
    return <Text size="sm">This type of file cannot be previewed. Download it to view it.</Text>;
  }
  return <TextContent task={task} path={path} entry={entry} />;
}

function TextContent({ task, path, entry }: ContentProps) {
  const limit = entry.preview === "notebook" ? MAX_NOTEBOOK_BYTES : MAX_PREVIEW_BYTES;
  const size = entry.size ?? 0;
  const query = useQuery({
    queryKey: ["task-file", task.id, path, entry.modified],
    queryFn: () => readStart(fileUrl(task.id, path, true), size, limit),
    retry: false,
  });
  return (
    <QueryResult query={query}>
      {(text) => (
        <Stack gap="xs">
          <TextPreview kind={entry.preview ?? "text"} text={text} />
          {size > limit && (
            <Text size="xs" c="dimmed">
              Showing the first {formatBytes(limit)} of {formatBytes(size)}. Download the file to
              see the rest.
            </Text>
          )}
        </Stack>
      )}
    </QueryResult>
  );
}

async function readStart(address: string, size: number, limit: number): Promise<string> {
  const headers: HeadersInit = size > limit ? { Range: `bytes=0-${limit - 1}` } : {};
  return (await fetchRaw(address, { headers })).text();
}

function TextPreview({ kind, text }: { kind: string; text: string }) {
  if (kind === "table") return <TablePreview text={text} />;
  if (kind === "notebook") return <SafeNotebook text={text} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a place to scroll by keys
    <section className={classes.scroll} tabIndex={0} aria-label="Text">
      <pre className={classes.text}>{plainText(text)}</pre>
    </section>
  );
}

function SafeNotebook({ text }: { text: string }) {
  try {
    return <Notebook text={text} />;
  } catch (error) {
    return <ErrorAlert error={new Error(`Not a valid notebook: ${(error as Error).message}`)} />;
  }
}

function TablePreview({ text }: { text: string }) {
  const [head = [], ...rows] = parseCsv(text, MAX_ROWS + 1);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a place to scroll by keys
    <section className={classes.scroll} tabIndex={0} aria-label="Table">
      <Table stickyHeader striped fz="xs">
        <Table.Thead>
          <Table.Tr>
            {head.map((cell, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
              <Table.Th key={n}>{cell}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their places
            <Table.Tr key={n}>
              {row.map((cell, m) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
                <Table.Td key={m}>{cell}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {rows.length >= MAX_ROWS && (
        <Text size="xs" c="dimmed" mt="xs">
          Showing the first {MAX_ROWS} rows.
        </Text>
      )}
    </section>
  );
}
