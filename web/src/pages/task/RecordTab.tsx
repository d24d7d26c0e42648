import { Anchor, Button, Group, Menu, Stack, Text } from "@mantine/core";
import { IconChevronDown, IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas, Task } from "~/api/client";
import { QueryResult } from "~/components/QueryResult";
import { count } from "~/lib/format";
import { RecordView, Verified } from "~/records/RecordView";
import { recordQuery } from "./queries";

/** How the task came about and ended, whether that is still what was written, and the way out. */
export function RecordTab({ task }: { task: Task }) {
  const query = useQuery(recordQuery(task.id));
  return (
    <QueryResult query={query}>
      {(record) => (
        <Stack gap="md">
          <Group justify="space-between">
            <Verified
              faults={[record.check.fault, record.check.anchor_fault]}
              words={checkWords(record.check)}
            />
            <Group gap="sm">
              <Anchor size="sm" renderRoot={(props) => <Link to="/crates" {...props} />}>
                Imported crates
              </Anchor>
              <ExportMenu task={task.id} />
            </Group>
          </Group>
          {record.is_rebuilt && (
            <Text size="sm" c="dimmed">
              This task ran before Diamond kept records. This one was compiled from what was stored.
            </Text>
          )}
          <RecordView record={record} entries={record.entries} />
        </Stack>
      )}
    </QueryResult>
  );
}

function checkWords(check: Schemas["RecordCheck"]): string {
  const entries = count(check.entries, "entry", "entries");
  return check.covered
    ? `${entries}, anchored up to ${check.covered}`
    : `${entries}, not anchored yet`;
}

const EXPORTS = [
  ["RO-Crate", "part=lock"],
  ["RO-Crate with code", "part=lock&part=code"],
  ["RO-Crate with code, image and data", "part=lock&part=code&part=image&part=data"],
  ["RO-Crate without names", "part=lock&blind=true"],
  ["PROV-JSON", "format=prov"],
] as const;

function ExportMenu({ task }: { task: string }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          rightSection={<IconChevronDown size={14} />}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {EXPORTS.map(([label, query]) => (
          <Menu.Item
            key={label}
            component="a"
            href={`/api/v1/tasks/${task}/record/export?${query}`}
            download
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
