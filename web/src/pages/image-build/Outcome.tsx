import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconCircleCheck, IconInfoCircle, IconPackage, IconPencilPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { MessageText } from "~/components/MessageText";
import type { Build } from "~/images/api";
import { isOver } from "~/tasks/state";

/** The result, or what the build is waiting for. */
export function Outcome({ build }: { build: Build }) {
  const { task } = build;
  if (build.image) return <ImageReady build={build} image={build.image} />;
  if (build.failure || !task.message) return null;
  if (task.state === "running") return null;
  return (
    <Alert
      color={isOver(task) ? "gray" : "blue"}
      icon={<IconInfoCircle />}
      title={isOver(task) ? "How it ended" : "Waiting"}
      role="status"
    >
      <Stack gap={4}>
        <Text size="sm">
          <MessageText text={task.message} />
        </Text>
        {task.state === "cancelled" && (
          <Anchor
            size="sm"
            underline="always"
            renderRoot={(props) => <Link to="/build" search={{ build: task.id }} {...props} />}
          >
            Open in the Image Builder
          </Anchor>
        )}
      </Stack>
    </Alert>
  );
}

function ImageReady({ build, image }: { build: Build; image: string }) {
  const text = build.reused
    ? `The same environment has already been built here, so it was reused.`
    : `It is stored on ${build.task.endpoint} and transferred to other endpoints when a job needs it there.`;
  return (
    <Alert color="teal" icon={<IconCircleCheck />} title={`${build.name} is ready`} role="status">
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        <Group gap="xs">
          <Button
            size="xs"
            leftSection={<IconPencilPlus size={15} aria-hidden />}
            renderRoot={(props) => <Link to="/compose" search={{ image }} {...props} />}
          >
            Use in a job
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPackage size={15} aria-hidden />}
            renderRoot={(props) => <Link to="/images/$image" params={{ image }} {...props} />}
          >
            View image
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
