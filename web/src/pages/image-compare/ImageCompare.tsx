import { Card, Group, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { IconArrowsDiff, IconEqual } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Schemas } from "~/api/client";
import { EmptyState } from "~/components/EmptyState";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { diffQuery, imageName, imageQuery } from "~/images/api";
import { ENVIRONMENT_LABELS } from "~/images/environment/labels";
import { ImagePicker } from "~/images/ImagePicker";
import { valueLines } from "~/images/imageText";

/** Only the differences between two images. */
export function ImageCompare() {
  const { a = "", b = "" } = useSearch({ from: "/images/compare" });
  const navigate = useNavigate({ from: "/images/compare" });
  const set = (side: "a" | "b") => (image: { id: string } | null) =>
    void navigate({ search: (now) => ({ ...now, [side]: image?.id }), replace: true });
  return (
    <Page title="Compare images" lead="Differences between two images." wide>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }} maw={1060}>
          <ImagePicker label="First image" value={a} onPick={set("a")} />
          <ImagePicker label="Second image" value={b} onPick={set("b")} />
        </SimpleGrid>
        {a && b ? <Differences a={a} b={b} /> : <ChooseTwo />}
      </Stack>
    </Page>
  );
}

function ChooseTwo() {
  return (
    <EmptyState icon={IconArrowsDiff} title="Choose two images">
      You will see which packages, settings and commands differ.
    </EmptyState>
  );
}

function Differences({ a, b }: { a: string; b: string }) {
  const query = useQuery(diffQuery(a, b));
  const names = [useName(a), useName(b)] as const;
  return (
    <QueryResult query={query}>
      {({ fields, python, system }) => {
        const rows = fields.map(({ field, a, b }) => ({
          name: ENVIRONMENT_LABELS[field] ?? field,
          a: valueLines(a),
          b: valueLines(b),
        }));
        if (!rows.length && !python.length && !system.length) return <NoDifferences />;
        return (
          <>
            <DifferenceTable title="Recipe" names={names} rows={rows} />
            <DifferenceTable title="Python packages" names={names} rows={python} />
            <DifferenceTable title="System packages" names={names} rows={system} />
          </>
        );
      }}
    </QueryResult>
  );
}

function useName(image: string): string {
  const { data } = useQuery(imageQuery(image));
  return data ? imageName(data) : image;
}

function NoDifferences() {
  return (
    <EmptyState icon={IconEqual} title="No differences">
      Both have the same recipe and the same package versions.
    </EmptyState>
  );
}

type DifferenceTableProps = {
  title: string;
  names: readonly [string, string];
  rows: Schemas["PackageChange"][];
};

function DifferenceTable({ title, names, rows }: DifferenceTableProps) {
  return (
    <Card component="section" aria-label={title} padding={0}>
      <Title order={2} px="md" py="xs">
        {title}
      </Title>
      {rows.length ? (
        <Table.ScrollContainer minWidth={520}>
          <Table horizontalSpacing="md" layout="fixed">
            <Table.Thead>
              <Table.Tr>
                <Table.Th w="24%">Name</Table.Th>
                <Table.Th>{names[0]}</Table.Th>
                <Table.Th>{names[1]}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={row.name}>
                  <Table.Th fw={500}>{row.name}</Table.Th>
                  <ValueCell value={row.a} />
                  <ValueCell value={row.b} />
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      ) : (
        <Group px="md" pb="md">
          <Text size="sm" c="dimmed">
            No difference.
          </Text>
        </Group>
      )}
    </Card>
  );
}

function ValueCell({ value }: { value: string }) {
  return (
    <Table.Td style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
      {value || (
        <Text inherit c="dimmed" span>
          none
        </Text>
      )}
    </Table.Td>
  );
}
