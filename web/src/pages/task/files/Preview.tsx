import { Button, Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { fetchRaw, type Schemas, type Task } from "~/api/client";
import { Answer, Failed } from "~/components/Answer";
import { bytes } from "~/lib/format";
import { plain } from "../log/ansi";
import { rowsOf } from "./csv";
import classes from "./Files.module.css";
import { Notebook } from "./Notebook";

const LOOKED_AT = 400_000;
const NOTEBOOK_AT_MOST = 20_000_000;
const ROWS = 500;

type PreviewProps = { task: Task; path: string; entry: Schemas["FileEntry"] | undefined };

/** A look into one file. How it may be shown was decided by the service. */
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
              {bytes(entry.size)}
            </Text>
          )}
        </div>
        <Button
          variant="default"
          size="xs"
          component="a"
          href={addressOf(task.id, path)}
          download
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          Download
        </Button>
      </Group>
      {entry ? <Content task={task} path={path} entry={entry} /> : <Gone />}
    </Card>
  );
}

function addressOf(task: string, path: string, inline = false): string {
  const query = new URLSearchParams({ path, ...(inline ? { inline: "true" } : {}) });
  return `/api/v1/tasks/${task}/files/content?${query}`;
}

function Gone() {
  return <Text size="sm">This file no longer exists.</Text>;
}

type ContentProps = { task: Task; path: string; entry: Schemas["FileEntry"] };

function Content({ task, path, entry }: ContentProps) {
  if (entry.preview === "image") {
    return <img className={classes.picture} src={addressOf(task.id, path, true)} alt={path} />;
  }
  if (!entry.preview || entry.preview === "none") {
    return <Text size="sm">This type of file cannot be previewed. Download it to view it.</Text>;
  }
  return <TextContent task={task} path={path} entry={entry} />;
}

function TextContent({ task, path, entry }: ContentProps) {
  const most = entry.preview === "notebook" ? NOTEBOOK_AT_MOST : LOOKED_AT;
  const size = entry.size ?? 0;
  const query = useQuery({
    queryKey: ["task-file", task.id, path, entry.modified],
    queryFn: () => readBegin(addressOf(task.id, path, true), size, most),
    retry: false,
  });
  return (
    <Answer query={query}>
      {(text) => (
        <Stack gap="xs">
          <Shown kind={entry.preview ?? "text"} text={text} />
          {size > most && (
            <Text size="xs" c="dimmed">
              Showing the first {bytes(most)} of {bytes(size)}. Download the file to see the rest.
            </Text>
          )}
        </Stack>
      )}
    </Answer>
  );
}

async function readBegin(address: string, size: number, most: number): Promise<string> {
  const headers: HeadersInit = size > most ? { Range: `bytes=0-${most - 1}` } : {};
  return (await fetchRaw(address, { headers })).text();
}

function Shown({ kind, text }: { kind: string; text: string }) {
  if (kind === "table") return <Rows text={text} />;
  if (kind === "notebook") return <SafeNotebook text={text} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a place to scroll by keys
    <section className={classes.scroll} tabIndex={0} aria-label="Text">
      <pre className={classes.text}>{plain(text)}</pre>
    </section>
  );
}

function SafeNotebook({ text }: { text: string }) {
  try {
    return <Notebook text={text} />;
  } catch (error) {
    return <Failed error={new Error(`Not a valid notebook: ${(error as Error).message}`)} />;
  }
}

function Rows({ text }: { text: string }) {
  const [head = [], ...rows] = rowsOf(text, ROWS + 1);
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
      {rows.length >= ROWS && (
        <Text size="xs" c="dimmed" mt="xs">
          Showing the first {ROWS} rows.
        </Text>
      )}
    </section>
  );
}
