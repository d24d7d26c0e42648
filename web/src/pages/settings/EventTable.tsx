import { Checkbox, Table, Text } from "@mantine/core";
import type { Kept, Wanted } from "./NotificationsTab";

export type Kind = Kept["kinds"][number];
type Way = keyof Wanted;

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

const WAYS: { way: Way; label: string }[] = [
  { way: "page", label: "Web" },
  { way: "email", label: "E-mail" },
  { way: "webhook", label: "Webhook" },
];

type TableProps = { kinds: Kind[]; wanted: Wanted; onChange: (part: Partial<Wanted>) => void };

/** Which event goes which way. The service says which events there are. */
export function EventTable({ kinds, wanted, onChange }: TableProps) {
  const turn = (way: Way, kind: Kind, on: boolean) => {
    const others = wanted[way].events.filter((one) => one !== kind);
    onChange({ [way]: { ...wanted[way], events: on ? [...others, kind] : others } });
  };
  return (
    <Table.ScrollContainer minWidth={300} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table horizontalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Event</Table.Th>
            {WAYS.map(({ way, label }) => (
              <Table.Th key={way} ta="center">
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
              {WAYS.map(({ way, label }) => (
                <Table.Td key={way}>
                  <Checkbox
                    aria-label={`${KINDS[kind] ?? kind}: ${label}`}
                    checked={wanted[way].events.includes(kind)}
                    onChange={(event) => turn(way, kind, event.currentTarget.checked)}
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
