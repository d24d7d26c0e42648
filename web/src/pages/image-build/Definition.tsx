import { Button, Card, Group, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { CodeText } from "~/components/CodeText";
import type { Build } from "~/images/api";
import { downloadText } from "~/lib/download";
import { isOver } from "~/tasks/state";
import classes from "./Build.module.css";

/** The definition file, usable without Diamond. */
export function Definition({ build }: { build: Build }) {
  const { definition } = build;
  return (
    <Card padding={0} component="section" aria-label="Definition" className={classes.definition}>
      <Group justify="space-between" px={14} py={8} gap="xs">
        <Title order={2}>Definition</Title>
        {definition && (
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconDownload size={14} aria-hidden />}
            onClick={() =>
              downloadText(`${build.name}.${ending(build.runtime)}`, definition, "text/plain")
            }
          >
            Download
          </Button>
        )}
      </Group>
      <div className={classes.definitionText}>
        {definition ? (
          <CodeText label="Definition file" text={definition} />
        ) : (
          <Text size="sm" c="dimmed" px={14} pb={14}>
            {isOver(build.task)
              ? "The build never started, so there is no definition."
              : "Available once the base and the packages are resolved."}
          </Text>
        )}
      </div>
    </Card>
  );
}

function ending(runtime: string): string {
  if (runtime === "venv") return "sh";
  return runtime === "podman" || runtime === "docker" ? "Dockerfile" : "def";
}
