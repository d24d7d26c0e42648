import { Anchor, Badge, Card, Checkbox, Group, Stack, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { TimeAgo } from "~/components/Time";
import { type Image, imageName, shortIdentity } from "~/images/api";
import { endpointsWith } from "~/images/imageText";
import { count, formatBytes } from "~/lib/format";

type TableProps = {
  images: Image[];
  picked: ReadonlySet<string>;
  onPick: (id: string) => void;
};

export function ImageTable(props: TableProps) {
  const narrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  return narrow ? <Cards {...props} /> : <WideTable {...props} />;
}

/** On a phone, each image is a card. */
function Cards({ images, picked, onPick }: TableProps) {
  return (
    <Stack gap="xs" role="list" aria-label="Images">
      {images.map((image) => (
        <Card key={image.id} padding="sm" role="listitem">
          <Group gap="sm" wrap="nowrap" align="flex-start">
            <CompareBox
              image={image}
              isPicked={picked.has(image.id)}
              onPick={() => onPick(image.id)}
            />
            <Stack gap={4} style={{ minWidth: 0 }}>
              <ImageLink image={image} />
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                {image.base.reference || "no container"}
              </Text>
              <Text size="xs" c="dimmed">
                {count(image.packages, "package")}, {formatBytes(image.size)}, used by{" "}
                {usedText(image)}, built <TimeAgo at={image.built.at ?? image.created} />
              </Text>
              <LocationBadges image={image} />
            </Stack>
          </Group>
        </Card>
      ))}
    </Stack>
  );
}

function WideTable({ images, picked, onPick }: TableProps) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={860}>
        <Table highlightOnHover horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={40} aria-label="Compare" />
              <Table.Th>Image</Table.Th>
              <Table.Th>Base</Table.Th>
              <Table.Th>Contents</Table.Th>
              <Table.Th ta="right">Size</Table.Th>
              <Table.Th style={{ whiteSpace: "nowrap" }}>Location</Table.Th>
              <Table.Th>Used by</Table.Th>
              <Table.Th>Built</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {images.map((image) => (
              <ImageRow
                key={image.id}
                image={image}
                isPicked={picked.has(image.id)}
                onPick={() => onPick(image.id)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

type RowProps = { image: Image; isPicked: boolean; onPick: () => void };

function ImageRow({ image, isPicked, onPick }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <CompareBox image={image} isPicked={isPicked} onPick={onPick} />
      </Table.Td>
      <Table.Td>
        <ImageLink image={image} />
      </Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        {image.base.reference || (
          <Text inherit c="dimmed">
            no container
          </Text>
        )}
      </Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        {count(image.packages, "package")}
        {image.python && <Text size="xs" c="dimmed">{`Python ${image.python}`}</Text>}
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
        {formatBytes(image.size)}
      </Table.Td>
      <Table.Td>
        <LocationBadges image={image} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>{usedText(image)}</Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        <TimeAgo at={image.built.at ?? image.created} />
      </Table.Td>
    </Table.Tr>
  );
}

function CompareBox({ image, isPicked, onPick }: RowProps) {
  return (
    <Checkbox
      size="xs"
      checked={isPicked}
      onChange={onPick}
      aria-label={`Compare ${imageName(image)}`}
    />
  );
}

function ImageLink({ image }: { image: Image }) {
  return (
    <Group gap={8} wrap="nowrap">
      <Anchor
        size="sm"
        fw={550}
        style={{ overflowWrap: "anywhere" }}
        renderRoot={(props) => <Link to="/images/$image" params={{ image: image.id }} {...props} />}
      >
        {imageName(image)}
      </Anchor>
      <Text size="xs" c="dimmed" ff="monospace">
        {image.name ? shortIdentity(image.identity).slice(0, 8) : "older version"}
      </Text>
    </Group>
  );
}

function LocationBadges({ image }: { image: Image }) {
  const places = endpointsWith(image);
  const onItsWay = image.moves.some((move) => move.state === "waiting" || move.state === "running");
  return (
    <Group gap={4}>
      {places.map((name) => (
        <Badge key={name} color="gray" size="sm">
          {name}
        </Badge>
      ))}
      {onItsWay && (
        <Badge color="blue" size="sm">
          transferring
        </Badge>
      )}
      {!places.length && !onItsWay && (
        <Text size="sm" c="dimmed">
          none
        </Text>
      )}
    </Group>
  );
}

function usedText(image: Image): string {
  if (image.in_use) return `${count(image.in_use, "task")} now`;
  return image.uses ? count(image.uses, "task") : "no task yet";
}
