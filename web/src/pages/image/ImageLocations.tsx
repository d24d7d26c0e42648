import { Alert, Button, Card, Group, Progress, Stack, Table, Text, Title } from "@mantine/core";
import { IconAlertCircle, IconTruckDelivery } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { TimeAgo } from "~/components/Time";
import { type Image, type ImageTransfer, imagesApi } from "~/images/api";
import { FORMATS, transferPercent, transferStatus, transferTitle } from "~/images/imageText";
import { formatBytes } from "~/lib/format";
import { TransferDialog } from "./TransferDialog";

/** The endpoints that have the image, transfers in progress, and a button to start one. */
export function ImageLocations({ image }: { image: Image }) {
  const [isTransferring, setTransferring] = useState(false);
  return (
    <Card component="section" aria-label="Location" padding={0}>
      <Group justify="space-between" px="md" py="xs">
        <Title order={2}>Location</Title>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconTruckDelivery size={15} aria-hidden />}
          onClick={() => setTransferring(true)}
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
          {image.moves.map((transfer) => (
            <TransferRow key={transfer.id} transfer={transfer} />
          ))}
        </Stack>
      )}
      {isTransferring && <TransferDialog image={image} onClose={() => setTransferring(false)} />}
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
                {formatBytes(copy.size)}
              </Table.Td>
              <Table.Td>
                <Text size="xs" ff="monospace" style={{ overflowWrap: "anywhere" }}>
                  {copy.file}
                </Text>
              </Table.Td>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                <TimeAgo at={copy.at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function TransferRow({ transfer }: { transfer: ImageTransfer }) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => imagesApi.cancelMove(transfer.id),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.images }),
  });
  if (transfer.state === "failed") {
    return (
      <Alert color="red" icon={<IconAlertCircle />} title={`${transferTitle(transfer)}: failed`}>
        {transferStatus(transfer)}
      </Alert>
    );
  }
  const share = transferPercent(transfer);
  return (
    <div role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={550}>
          {transferTitle(transfer)}
        </Text>
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {transferStatus(transfer)}
          </Text>
          <Button
            size="compact-xs"
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate()}
            aria-label={`Cancel: ${transferTitle(transfer)}`}
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
        aria-label={transferTitle(transfer)}
      />
    </div>
  );
}
