import { Card, SimpleGrid, Table, Text, TextInput, Title } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { QueryResult } from "~/components/QueryResult";
import { contentsQuery, type Image } from "~/images/api";

type Package = Schemas["Package"];

/** The packages found in the image after the build. */
export function PackagesTab({ image }: { image: Image }) {
  const [search, setSearch] = useState("");
  const needle = search.trim().toLowerCase();
  const matches = (item: Package) => item.name.toLowerCase().includes(needle);
  return (
    <>
      <TextInput
        aria-label="Search packages"
        placeholder="Package name"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        maw={360}
        mb="md"
      />
      <QueryResult query={useQuery(contentsQuery(image.id))}>
        {({ python, system }) => (
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Packages title="Python packages" all={python} shown={python.filter(matches)} />
            <Packages title="System packages" all={system} shown={system.filter(matches)} />
          </SimpleGrid>
        )}
      </QueryResult>
    </>
  );
}

type PackagesProps = { title: string; all: Package[]; shown: Package[] };

function Packages({ title, all, shown }: PackagesProps) {
  return (
    <Card component="section" aria-label={title} padding={0}>
      <Title order={2} px="md" py="xs">
        {title}{" "}
        <Text span c="dimmed" size="sm">
          {all.length.toLocaleString()}
        </Text>
      </Title>
      {shown.length ? (
        <Table horizontalSpacing="md" verticalSpacing={4} aria-label={title}>
          <Table.Tbody>
            {shown.map((item) => (
              <Table.Tr key={item.name}>
                <Table.Td style={{ overflowWrap: "anywhere" }}>{item.name}</Table.Td>
                <Table.Td ta="right" ff="monospace">
                  {item.version}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : (
        <Text size="sm" c="dimmed" px="md" pb="md">
          {all.length ? "No matching packages." : "No packages found."}
        </Text>
      )}
    </Card>
  );
}
