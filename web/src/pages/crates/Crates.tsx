import { Anchor, Button, Card, FileButton, Table } from "@mantine/core";
import { IconFileImport, IconPackageImport } from "@tabler/icons-react";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { api, dataOf, fetchRaw, type Schemas } from "~/api/client";
import { EmptyState } from "~/components/EmptyState";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import { formatBytes } from "~/lib/format";

export const cratesQuery = queryOptions({
  queryKey: ["crates"],
  queryFn: () => dataOf(api.GET("/api/v1/records/imports", { params: { query: { limit: 200 } } })),
});

/** Crates of others that this person imported, and the way to import one. */
export function Crates() {
  const query = useQuery(cratesQuery);
  return (
    <Page
      title="Crates"
      lead="Records from elsewhere, imported as RO-Crates. Nothing in them is ever run."
      actions={<ImportButton />}
    >
      <QueryResult query={query}>
        {({ items }) => (items.length ? <CrateTable crates={items} /> : <NoCrates />)}
      </QueryResult>
    </Page>
  );
}

function NoCrates() {
  return (
    <EmptyState icon={IconPackageImport} title="No crates yet">
      Import an RO-Crate that a colleague sent you or that came with a paper: a zip file, or its
      ro-crate-metadata.json.
    </EmptyState>
  );
}

function CrateTable({ crates }: { crates: Schemas["CrateSummary"][] }) {
  return (
    <Card p={0}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Size</Table.Th>
            <Table.Th>Imported</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {crates.map(({ id = "", name, bytes = 0, created = 0 }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Anchor
                  renderRoot={(props) => (
                    <Link to="/crates/$crate" params={{ crate: id }} {...props} />
                  )}
                >
                  {name}
                </Anchor>
              </Table.Td>
              <Table.Td>{formatBytes(bytes)}</Table.Td>
              <Table.Td>
                <TimeAgo at={created} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

function ImportButton() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const upload = useMutation({
    mutationFn: importCrate,
    onSuccess: (crate) => {
      void queries.invalidateQueries(cratesQuery);
      void navigate({ to: "/crates/$crate", params: { crate: crate.id ?? "" } });
    },
    onError: showError,
  });
  return (
    <FileButton
      onChange={(file) => file && upload.mutate(file)}
      accept=".zip,.json,application/zip,application/json"
      inputProps={{ "aria-label": "Crate file" }}
    >
      {(props) => (
        <Button {...props} loading={upload.isPending} leftSection={<IconFileImport size={16} />}>
          Import a crate
        </Button>
      )}
    </FileButton>
  );
}

async function importCrate(file: File): Promise<Schemas["CrateShown"]> {
  const name = encodeURIComponent(file.name.slice(0, 200));
  const response = await fetchRaw(`/api/v1/records/imports?name=${name}`, {
    method: "POST",
    body: file,
    headers: { "Content-Type": "application/zip" },
  });
  return response.json();
}
