import { Anchor, Breadcrumbs, Card, Select, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { QueryResult } from "~/components/QueryResult";
import { type Dataset, filesQuery } from "~/datasets/api";
import { count, formatBytes } from "~/lib/format";

/** Browse a version by its manifest. */
export function FilesTab({ dataset }: { dataset: Dataset }) {
  const [version, setVersion] = useState(dataset.newest?.name ?? "");
  const [folder, setFolder] = useState("");
  const query = useQuery({ ...filesQuery(dataset.id, version, folder), enabled: Boolean(version) });
  if (!version) return <Text c="dimmed">There is no version yet.</Text>;
  return (
    <Stack gap="sm">
      <Select
        label="Version"
        w={140}
        data={dataset.versions.map(({ name }) => name)}
        value={version}
        onChange={(name) => {
          setVersion(name ?? version);
          setFolder("");
        }}
        allowDeselect={false}
      />
      <Crumbs name={dataset.name} folder={folder} onOpen={setFolder} />
      <QueryResult query={query}>
        {({ entries, next }) => (
          <Card padding={0}>
            <Table highlightOnHover horizontalSpacing="md" aria-label="Files">
              <Table.Tbody>
                {entries.map((entry) => (
                  <Table.Tr key={entry.name}>
                    <Table.Td style={{ overflowWrap: "anywhere" }}>
                      {entry.kind === "folder" ? (
                        <Anchor
                          component="button"
                          size="sm"
                          onClick={() => setFolder(folder ? `${folder}/${entry.name}` : entry.name)}
                        >
                          {entry.name}/
                        </Anchor>
                      ) : (
                        entry.name
                      )}
                      {entry.kind === "link" && ` → ${entry.target}`}
                    </Table.Td>
                    <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
                      {entry.kind === "folder" && `${count(entry.files ?? 0, "file")}, `}
                      {entry.kind !== "link" && formatBytes(entry.size ?? 0)}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
            {next && (
              <Text size="xs" c="dimmed" p="sm">
                Only the first {entries.length} entries are shown.
              </Text>
            )}
          </Card>
        )}
      </QueryResult>
    </Stack>
  );
}

type CrumbsProps = { name: string; folder: string; onOpen: (folder: string) => void };

function Crumbs({ name, folder, onOpen }: CrumbsProps) {
  const parts = folder ? folder.split("/") : [];
  return (
    <Breadcrumbs aria-label="Folder">
      <Anchor component="button" size="sm" onClick={() => onOpen("")}>
        {name}
      </Anchor>
      {parts.map((part, index) => (
        <Anchor
          key={parts.slice(0, index + 1).join("/")}
          component="button"
          size="sm"
          onClick={() => onOpen(parts.slice(0, index + 1).join("/"))}
        >
          {part}
        </Anchor>
      ))}
    </Breadcrumbs>
  );
}
