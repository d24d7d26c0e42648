import { Button, Card, Group, Tabs, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { CodeText } from "~/components/CodeText";
import { ErrorAlert } from "~/components/ErrorAlert";
import { SkeletonLines } from "~/components/SkeletonLines";
import { downloadText } from "~/lib/download";
import { shortDuration } from "~/lib/format";
import { type Preview, useBuilder } from "./context";
import classes from "./ImageBuilder.module.css";
import type { SideTab } from "./search";

const FILES: Record<Preview["form"], { title: string; ending: string }> = {
  definition: { title: "Definition file", ending: ".def" },
  dockerfile: { title: "Dockerfile", ending: ".Dockerfile" },
  script: { title: "Script", ending: ".sh" },
};

/** The file that will be built, updated while typing; the YAML; and the build steps. */
export function PreviewPanel() {
  const { tab = "definition" } = useSearch({ from: "/build" });
  const navigate = useNavigate({ from: "/build" });
  const { preview } = useBuilder();
  const show = (next: string | null) =>
    void navigate({
      search: (now) => ({ ...now, tab: next === "definition" ? undefined : (next as SideTab) }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Card className={classes.side} padding={0} component="section" aria-label="Preview">
      <Tabs value={tab} onChange={show} classNames={{ root: classes.tabs, panel: classes.panel }}>
        <Tabs.List px="xs">
          <Tabs.Tab value="definition">{FILES[preview?.form ?? "definition"].title}</Tabs.Tab>
          <Tabs.Tab value="yaml">YAML</Tabs.Tab>
          <Tabs.Tab value="steps">Steps</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Panel tab={tab} />
        </Tabs.Panel>
      </Tabs>
      {preview && <PreviewFooter preview={preview} tab={tab} />}
    </Card>
  );
}

function Panel({ tab }: { tab: SideTab }) {
  const { preview, previewError } = useBuilder();
  if (!preview && previewError) return <ErrorAlert error={previewError} />;
  if (!preview) return <SkeletonLines count={8} height={14} />;
  if (tab === "yaml") return <CodeText label="The environment as YAML" text={preview.yaml} />;
  if (!preview.ok) return <NotReady />;
  if (tab === "steps") return <PlannedSteps steps={preview.steps} />;
  return <CodeText label={FILES[preview.form].title} text={preview.definition} />;
}

function NotReady() {
  return (
    <Text size="sm" c="dimmed" p="md">
      The preview appears here once the errors in the form are fixed.
    </Text>
  );
}

function PlannedSteps({ steps }: { steps: Preview["steps"] }) {
  return (
    <>
      <Text size="sm" c="dimmed" px="md" pt="sm">
        Each step is cached: after a change, only the steps from there on run again. Times are from
        your last builds on this endpoint.
      </Text>
      <ol className={classes.planned}>
        {steps.map((step) => (
          <li key={step.name}>
            {step.title}
            {step.expected_seconds != null && (
              <Text span size="xs" c="dimmed">
                {" "}
                about {shortDuration(step.expected_seconds)}
              </Text>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

function PreviewFooter({ preview, tab }: { preview: Preview; tab: SideTab }) {
  const { draft } = useBuilder();
  const isYaml = tab === "yaml";
  const text = isYaml ? preview.yaml : preview.definition;
  const ending = isYaml ? ".yaml" : FILES[preview.form].ending;
  const name = `${draft.work.name.trim() || "environment"}${ending}`;
  return (
    <Group className={classes.foot} justify="space-between" gap="xs">
      <Text size="xs" c="dimmed">
        {builtBy(preview.runtime)}
      </Text>
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconDownload size={14} aria-hidden />}
        disabled={!text}
        onClick={() => downloadText(name, text, "text/plain")}
      >
        Download {name}
      </Button>
    </Group>
  );
}

function builtBy(runtime: string): string {
  if (!runtime) return "";
  return runtime === "venv" ? "Built with uv, without a container" : `Built with ${runtime}`;
}
