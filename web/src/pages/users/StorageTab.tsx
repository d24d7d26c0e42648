import { Button, Group, NumberInput, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { keys } from "~/api/queryKeys";
import { ErrorAlert } from "~/components/ErrorAlert";
import { QueryResult } from "~/components/QueryResult";
import { Section } from "~/components/Section";
import { useAction } from "~/components/useAction";
import { formatBytes, GIGABYTE } from "~/lib/format";
import {
  type PersonStorage,
  type StorageDefaults,
  storageApi,
  storageDefaultsQuery,
  storageOfPeopleQuery,
} from "~/storage/api";

/** Who stores how much in the service, and the rules for everyone. */
export function StorageTab() {
  const defaults = useQuery(storageDefaultsQuery);
  const people = useQuery(storageOfPeopleQuery);
  return (
    <>
      <QueryResult query={defaults}>{(rules) => <Rules rules={rules} />}</QueryResult>
      <QueryResult query={people}>{({ items }) => <People items={items} />}</QueryResult>
    </>
  );
}

function Rules({ rules }: { rules: StorageDefaults }) {
  const quota = rules.quota_bytes;
  const [days, setDays] = useState<string | number>(rules.days ?? "");
  const [codeDays, setCodeDays] = useState<string | number>(rules.code_days ?? "");
  const [gigabytes, setGigabytes] = useState<string | number>(
    quota == null ? "" : quota / GIGABYTE,
  );
  const save = useAction({
    call: () =>
      storageApi.setDefaults({
        days: days === "" ? null : Number(days),
        code_days: codeDays === "" ? null : Number(codeDays),
        quota_bytes: gigabytes === "" ? null : Math.round(Number(gigabytes) * GIGABYTE),
      }),
    refresh: [keys.storage],
    success: "Rules saved.",
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.run();
  };
  return (
    <Section
      title="Rules for everyone"
      about="After this time, ended tasks lose their logs and curves in the service; their records stay. People over their quota cannot send more code."
    >
      <form onSubmit={submit}>
        <Group align="end">
          <NumberInput
            label="Archive after (days)"
            placeholder="never"
            min={1}
            max={36500}
            value={days}
            onChange={setDays}
          />
          <NumberInput
            label="Remove code after (days)"
            placeholder="never"
            min={1}
            max={36500}
            value={codeDays}
            onChange={setCodeDays}
          />
          <NumberInput
            label="Quota per person (GB)"
            placeholder="none"
            min={0}
            value={gigabytes}
            onChange={setGigabytes}
          />
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </form>
      {save.error && <ErrorAlert error={save.error} />}
    </Section>
  );
}

function People({ items }: { items: PersonStorage[] }) {
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Person</Table.Th>
            <Table.Th>Code</Table.Th>
            <Table.Th>Logs</Table.Th>
            <Table.Th>Metrics</Table.Th>
            <Table.Th>Kept files</Table.Th>
            <Table.Th>Total</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((person) => (
            <Table.Tr key={person.id}>
              <Table.Td>
                <Text size="sm">{person.name}</Text>
                <Text size="xs" c="dimmed">
                  {person.email}
                </Text>
              </Table.Td>
              <Table.Td>{formatBytes(person.service.code)}</Table.Td>
              <Table.Td>{formatBytes(person.service.logs)}</Table.Td>
              <Table.Td>{formatBytes(person.service.curves)}</Table.Td>
              <Table.Td>{formatBytes(person.service.copies)}</Table.Td>
              <Table.Td>
                {formatBytes(person.service.total)}
                {person.quota_bytes !== null && ` of ${formatBytes(person.quota_bytes)}`}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
