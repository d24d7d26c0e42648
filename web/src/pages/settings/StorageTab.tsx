import { Anchor, Button, Group, NumberInput, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { keys } from "~/api/queryKeys";
import { ErrorAlert } from "~/components/ErrorAlert";
import { QueryResult } from "~/components/QueryResult";
import { Section } from "~/components/Section";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { formatBytes } from "~/lib/format";
import { type MyStorage, myStorageQuery, storageApi } from "~/storage/api";
import { StoredParts } from "~/storage/StoredParts";
import { CodeSection } from "./CodeSection";

/** What takes up space in the service and on the person's machines, and how long it stays. */
export function StorageTab() {
  const query = useQuery(myStorageQuery);
  return (
    <QueryResult query={query}>
      {(storage) => (
        <>
          <Section
            title="In this service"
            about="Code that you sent, the logs and metrics of your tasks, and files of models that are kept here."
          >
            <StoredParts stored={storage.service} quota={storage.quota_bytes} />
          </Section>
          <Retention storage={storage} />
          <Largest tasks={storage.largest} />
          <CodeSection />
          <OnEndpoints endpoints={storage.endpoints} />
        </>
      )}
    </QueryResult>
  );
}

function Retention({ storage }: { storage: MyStorage }) {
  const [days, setDays] = useState<string | number>(storage.days ?? "");
  const [codeDays, setCodeDays] = useState<string | number>(storage.code_days ?? "");
  const save = useAction({
    call: () =>
      storageApi.setOwnRetention({
        days: days === "" ? null : Number(days),
        code_days: codeDays === "" ? null : Number(codeDays),
      }),
    refresh: [keys.storage],
    success: "Rule saved.",
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.run();
  };
  const service =
    storage.default_days === null
      ? "This service keeps everything."
      : `This service archives tasks ${storage.default_days} days after their end. If both rules apply, the shorter one counts.`;
  return (
    <Section
      title="Archive ended tasks"
      about={`Archiving removes a task's log and curves from the service. Its record, final metric values and run directory stay. ${service} The second rule removes code that many days after the last task that used it ended. Code behind a model, a review link or an assignment stays.`}
    >
      <form onSubmit={submit}>
        <Group align="end">
          <NumberInput
            label="After (days)"
            placeholder="no rule of your own"
            min={1}
            max={36500}
            value={days}
            onChange={setDays}
          />
          <NumberInput
            label="Remove their code after (days)"
            placeholder="no rule of your own"
            min={1}
            max={36500}
            value={codeDays}
            onChange={setCodeDays}
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

function Largest({ tasks }: { tasks: MyStorage["largest"] }) {
  const archive = useAction({
    call: (task: string) => storageApi.archive(task),
    refresh: [keys.storage, keys.tasks],
    success: (archived) => `Archived: ${formatBytes(archived.bytes)} freed`,
    onError: showError,
  });
  return (
    <Section title="Largest tasks" about="By their logs and metrics in this service.">
      {tasks.length === 0 ? (
        <Text size="sm" c="dimmed">
          No task has stored anything yet.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={420}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Task</Table.Th>
                <Table.Th>Size</Table.Th>
                <Table.Th>Ended</Table.Th>
                <Table.Th aria-label="Action" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {tasks.map((task) => (
                <Table.Tr key={task.id}>
                  <Table.Td>
                    <Anchor
                      size="sm"
                      renderRoot={(props) => (
                        <Link to="/tasks/$task" params={{ task: task.id }} {...props} />
                      )}
                    >
                      {task.name}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>{formatBytes(task.bytes)}</Table.Td>
                  <Table.Td>
                    {task.ended === null ? "not yet" : <TimeAgo at={task.ended} />}
                  </Table.Td>
                  <Table.Td>
                    <Button
                      size="compact-xs"
                      variant="default"
                      disabled={task.ended === null}
                      loading={archive.isPending}
                      onClick={() => archive.run(task.id)}
                    >
                      Archive
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Section>
  );
}

function OnEndpoints({ endpoints }: { endpoints: MyStorage["endpoints"] }) {
  if (endpoints.length === 0) return null;
  return (
    <Section
      title="On your endpoints"
      about="To free space there, open an endpoint and choose Clean up."
    >
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Endpoint</Table.Th>
            <Table.Th>Images</Table.Th>
            <Table.Th>Run directories</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {endpoints.map((each) => (
            <Table.Tr key={each.endpoint}>
              <Table.Td>
                <Anchor
                  size="sm"
                  renderRoot={(props) => (
                    <Link to="/endpoints/$name" params={{ name: each.endpoint }} {...props} />
                  )}
                >
                  {each.endpoint}
                </Anchor>
              </Table.Td>
              <Table.Td>{formatBytes(each.images)}</Table.Td>
              <Table.Td>{formatBytes(each.run_directories)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}
