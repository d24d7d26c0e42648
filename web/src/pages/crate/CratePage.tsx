import { Anchor, Button, Card, Code, Stack, Table, Text, Title } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { api, dataOf, type Schemas } from "~/api/client";
import { Facts } from "~/components/Facts";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { showError } from "~/components/toasts";
import { count, formatBytes } from "~/lib/format";
import { RecordView, Verified } from "~/records/RecordView";

type Crate = Schemas["CrateShown"];

/** A crate of somebody else, as far as its profile says. */
export function CratePage() {
  const { crate } = useParams({ from: "/crates/$crate" });
  const query = useQuery({
    queryKey: ["crates", crate],
    queryFn: () =>
      dataOf(api.GET("/api/v1/records/imports/{crate}", { params: { path: { crate } } })),
  });
  return (
    <Page
      title={query.data?.name ?? "Crate"}
      lead={
        <Anchor size="sm" renderRoot={(props) => <Link to="/crates" {...props} />}>
          All crates
        </Anchor>
      }
      actions={query.data && <ForgetButton crate={crate} />}
    >
      <QueryResult query={query}>{(shown) => <Content crate={shown} />}</QueryResult>
    </Page>
  );
}

function Content({ crate }: { crate: Crate }) {
  return (
    <Stack gap="md">
      <Facts title="About" facts={aboutFacts(crate)}>
        {crate.warnings?.map((warning) => (
          <Text key={warning} size="sm" c="dimmed" mt="xs">
            {warning}
          </Text>
        ))}
      </Facts>
      {crate.records?.map((record) => (
        <section key={record.path} aria-label={`Record ${record.path}`}>
          <Stack gap="sm">
            <Title order={2}>{record.name || record.path}</Title>
            <div>
              <Verified
                faults={[record.fault]}
                words={count(record.entries?.length ?? 0, "entry", "entries")}
              />
            </div>
            <RecordView record={record} entries={record.entries ?? []} />
          </Stack>
        </section>
      ))}
      {crate.runs && crate.runs.length > 0 && <Runs runs={crate.runs} />}
      {crate.files && crate.files.length > 0 && <Files files={crate.files} />}
    </Stack>
  );
}

function aboutFacts(crate: Crate): [string, React.ReactNode][] {
  const rows: [string, React.ReactNode][] = [
    ["Description", crate.description],
    ["License", crate.license],
    ["Published", crate.published],
    ["People", crate.people?.join(", ")],
    ["Software", crate.software?.join(", ")],
    ["Profiles", crate.profiles?.join(", ")],
    ["File", <Code key="digest">{crate.digest}</Code>],
  ];
  return rows.filter(([, value]) => value);
}

function Runs({ runs }: { runs: Schemas["CrateRun"][] }) {
  return (
    <Card component="section" aria-label="Runs" style={{ overflowX: "auto" }}>
      <Title order={2} mb="xs">
        What ran
      </Title>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Run</Table.Th>
            <Table.Th>By</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Started</Table.Th>
            <Table.Th>From</Table.Th>
            <Table.Th>Into</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map((run) => (
            <Table.Tr key={run.id}>
              <Table.Td>{run.name || run.id}</Table.Td>
              <Table.Td>{run.instrument}</Table.Td>
              <Table.Td>{run.status?.replace("ActionStatus", "")}</Table.Td>
              <Table.Td>{run.started}</Table.Td>
              <Table.Td>{run.inputs?.join(", ")}</Table.Td>
              <Table.Td>{run.results?.join(", ")}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

function Files({ files }: { files: Schemas["CrateFileShown"][] }) {
  return (
    <Card component="section" aria-label="Files">
      <Title order={2} mb="xs">
        Files
      </Title>
      <Table>
        <Table.Tbody>
          {files.map((file) => (
            <Table.Tr key={file.path}>
              <Table.Td>{file.path}</Table.Td>
              <Table.Td>{file.size == null ? "" : formatBytes(file.size)}</Table.Td>
              <Table.Td>{file.is_inside ? "" : "not in the crate"}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

function ForgetButton({ crate }: { crate: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const forget = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE("/api/v1/records/imports/{crate}", { params: { path: { crate } } })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["crates"] });
      void navigate({ to: "/crates" });
    },
    onError: showError,
  });
  return (
    <Button
      variant="default"
      leftSection={<IconTrash size={16} />}
      loading={forget.isPending}
      onClick={() => forget.mutate()}
    >
      Remove
    </Button>
  );
}
