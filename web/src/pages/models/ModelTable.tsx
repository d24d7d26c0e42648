import { Anchor, Badge, Card, Group, Stack, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { TimeAgo } from "~/components/Time";
import { formatBytes } from "~/lib/format";
import type { Model } from "~/models/api";

export function ModelTable({ models }: { models: Model[] }) {
  const narrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  return narrow ? <Cards models={models} /> : <WideTable models={models} />;
}

/** On a phone, each model is a card. */
function Cards({ models }: { models: Model[] }) {
  return (
    <Stack gap="xs" role="list" aria-label="Models">
      {models.map((model) => (
        <Card key={model.id} padding="sm" role="listitem">
          <Stack gap={4}>
            <ModelLink model={model} />
            {model.description && <Text size="sm">{model.description}</Text>}
            <Text size="xs" c="dimmed">
              {newestText(model)}, changed <TimeAgo at={model.updated} />
            </Text>
            <Aliases model={model} />
          </Stack>
        </Card>
      ))}
    </Stack>
  );
}

function WideTable({ models }: { models: Model[] }) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={760}>
        <Table highlightOnHover horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Model</Table.Th>
              <Table.Th>Newest version</Table.Th>
              <Table.Th>Aliases</Table.Th>
              <Table.Th>Owner</Table.Th>
              <Table.Th>Changed</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {models.map((model) => (
              <Table.Tr key={model.id}>
                <Table.Td>
                  <ModelLink model={model} />
                  {model.description && (
                    <Text size="xs" c="dimmed" lineClamp={2}>
                      {model.description}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td style={{ whiteSpace: "nowrap" }}>{newestText(model)}</Table.Td>
                <Table.Td>
                  <Aliases model={model} />
                </Table.Td>
                <Table.Td>{model.is_own ? "You" : model.owner_name}</Table.Td>
                <Table.Td style={{ whiteSpace: "nowrap" }}>
                  <TimeAgo at={model.updated} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function ModelLink({ model }: { model: Model }) {
  return (
    <Anchor
      size="sm"
      fw={550}
      style={{ overflowWrap: "anywhere" }}
      renderRoot={(props) => <Link to="/models/$model" params={{ model: model.id }} {...props} />}
    >
      {model.name}
    </Anchor>
  );
}

function Aliases({ model }: { model: Model }) {
  return (
    <Group gap={6}>
      {model.aliases.map(({ alias, version }) => (
        <Badge key={alias} variant="light" tt="none">
          {alias}: v{version}
        </Badge>
      ))}
    </Group>
  );
}

function newestText({ newest }: Model): string {
  return newest ? `v${newest.number}, ${formatBytes(newest.size)}` : "none yet";
}
