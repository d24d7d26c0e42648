import { Checkbox, Table, Text } from "@mantine/core";
import type { EditedSettings, SavedSettings } from "./NotificationsTab";

export type Kind = SavedSettings["kinds"][number];
type Channel = keyof EditedSettings;

const KINDS: Record<Kind, string> = {
  succeeded: "A task succeeded",
  failed: "A task failed",
  cancelled: "A task was cancelled",
  asking: "A task waits for your decision to continue",
  "sign-in": "An endpoint needs a sign-in",
  confirm: "A machine needs to be confirmed",
  quota: "A folder is almost full",
  purge: "A site will soon delete files",
  people: "Something is shared with me, or my role in a project changes",
};

const CHANNELS: { channel: Channel; label: string }[] = [
  { channel: "page", label: "In Diamond" },
  { channel: "email", label: "E-mail" },
  { channel: "webhook", label: "Webhook" },
];

type TableProps = {
  kinds: Kind[];
  settings: EditedSettings;
  onChange: (part: Partial<EditedSettings>) => void;
};

/** Which event uses which channel. The service defines the events. */
export function EventTable({ kinds, settings, onChange }: TableProps) {
  const toggle = (channel: Channel, kind: Kind, on: boolean) => {
    const others = settings[channel].events.filter((event) => event !== kind);
    onChange({ [channel]: { ...settings[channel], events: on ? [...others, kind] : others } });
  };
  return (
    <Table.ScrollContainer minWidth={300} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table horizontalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Event</Table.Th>
            {CHANNELS.map(({ channel, label }) => (
              <Table.Th key={channel} ta="center">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {kinds.map((kind) => (
            <Table.Tr key={kind}>
              <Table.Td>
                <Text size="sm">{KINDS[kind] ?? kind}</Text>
              </Table.Td>
              {CHANNELS.map(({ channel, label }) => (
                <Table.Td key={channel}>
                  <Checkbox
                    aria-label={`${KINDS[kind] ?? kind}: ${label}`}
                    checked={settings[channel].events.includes(kind)}
                    onChange={(event) => toggle(channel, kind, event.currentTarget.checked)}
                    styles={{ body: { justifyContent: "center" } }}
                  />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
