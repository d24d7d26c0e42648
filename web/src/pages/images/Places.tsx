import { Alert, Button, Card, Group, Progress, Stack, Table, Text, Title } from "@mantine/core";
import { IconAlertCircle, IconTruckDelivery } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { askImages, type Image, type Move } from "~/api/images";
import { keys } from "~/api/queries";
import { Ago } from "~/components/Time";
import { bytes } from "~/lib/format";
import { Bring } from "./Bring";
import { FORMATS, moveTitle, moveWords, shareOf } from "./words";

/** The endpoints that have it, what is on its way, and the way to another. */
export function Places({ image }: { image: Image }) {
  const [bringing, setBringing] = useState(false);
  return (
    <Card component="section" aria-label="Location" padding={0}>
      <Group justify="space-between" px="md" py="xs">
        <Title order={2}>Location</Title>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconTruckDelivery size={15} aria-hidden />}
          onClick={() => setBringing(true)}
        >
          Transfer to another endpoint
        </Button>
      </Group>
      {image.copies.length ? (
        <Copies image={image} />
      ) : (
        <Text size="sm" c="dimmed" px="md" pb="md">
          Not on any endpoint. Diamond rebuilds the image from its recipe when a job needs it.
        </Text>
      )}
      {image.moves.length > 0 && (
        <Stack gap="xs" p="md">
          {image.moves.map((move) => (
            <OneMove key={move.id} move={move} />
          ))}
        </Stack>
      )}
      {bringing && <Bring image={image} onClose={() => setBringing(false)} />}
    </Card>
  );
}

function Copies({ image }: { image: Image }) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Endpoint</Table.Th>
            <Table.Th>Format</Table.Th>
            <Table.Th ta="right">Size</Table.Th>
            <Table.Th>File</Table.Th>
            <Table.Th>Since</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {image.copies.map((copy) => (
            <Table.Tr key={`${copy.endpoint} ${copy.sha256} ${copy.file}`}>
              <Table.Td>{copy.endpoint}</Table.Td>
              <Table.Td>
                {FORMATS[copy.format] ?? copy.format}
                {copy.shared && ", shared with a group"}
              </Table.Td>
              <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
                {bytes(copy.size)}
              </Table.Td>
              <Table.Td>
                <Text size="xs" ff="monospace" style={{ overflowWrap: "anywhere" }}>
                  {copy.file}
                </Text>
              </Table.Td>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                <Ago at={copy.at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function OneMove({ move }: { move: Move }) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => askImages.cancelMove(move.id),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.images }),
  });
  if (move.state === "failed") {
    return (
      <Alert color="red" icon={<IconAlertCircle />} title={`${moveTitle(move)}: failed`}>
        {moveWords(move)}
      </Alert>
    );
  }
  const share = shareOf(move);
  return (
    <div role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={550}>
          {moveTitle(move)}
        </Text>
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {moveWords(move)}
          </Text>
          <Button
            size="compact-xs"
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate()}
            aria-label={`Cancel: ${moveTitle(move)}`}
          >
            Cancel
          </Button>
        </Group>
      </Group>
      <Progress
        value={share ?? 100}
        animated={share === null}
        striped={share === null}
        mt={4}
        aria-label={moveTitle(move)}
      />
    </div>
  );
}
