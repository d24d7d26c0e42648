import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { FRAMEWORKS, HARDWARE, type Hardware, withStarter } from "~/images/environment/starters";
import { useBuilder } from "../context";

/** One click fills in a base and its framework; everything can be changed afterwards. */
export function Starters() {
  const { draft } = useBuilder();
  const [hardware, setHardware] = useState<Hardware>("cpu");
  return (
    <Stack gap="xs" role="group" aria-label="Start with a framework">
      <Text size="sm" fw={500}>
        Start with
      </Text>
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label="Hardware"
          data={[...HARDWARE]}
          value={hardware}
          onChange={(value) => setHardware(value as Hardware)}
        />
        {FRAMEWORKS.map(({ value, label }) => (
          <Button
            key={value}
            size="xs"
            variant="default"
            onClick={() =>
              draft.change((work) => ({ ...work, spec: withStarter(work.spec, value, hardware) }))
            }
          >
            {label}
          </Button>
        ))}
      </Group>
      <Text size="xs" c="dimmed">
        Fills in a base image and packages. Check them here and under Dependencies.
      </Text>
    </Stack>
  );
}
