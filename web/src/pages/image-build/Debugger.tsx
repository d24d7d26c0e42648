import {
  Anchor,
  Button,
  Card,
  Group,
  List,
  Select,
  Stack,
  Text,
  Textarea,
  Title,
} from "@mantine/core";
import { IconAlertCircle, IconBulb, IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { CopyLine } from "~/components/CopyLine";
import { ErrorAlert } from "~/components/ErrorAlert";
import { MessageText } from "~/components/MessageText";
import { showSuccess } from "~/components/toasts";
import { type Build, imageName, imagesApi } from "~/images/api";
import { randomKey } from "~/lib/randomKey";
import { plainText } from "~/output/ansi";
import classes from "./Build.module.css";

type Failure = NonNullable<Build["failure"]>;
type DebuggerProps = { build: Build; failure: Failure };

/** Which step failed and why. The step can be edited here and the build resumed. */
export function Debugger({ build, failure }: DebuggerProps) {
  const step = build.steps.find((candidate) => candidate.name === failure.step);
  const [first = "", ...more] = failure.message.split("\n");
  return (
    <Card component="section" aria-label="Debugger" className={classes.debugger}>
      <Stack gap="sm">
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <IconAlertCircle
            size={20}
            color="var(--mantine-color-error)"
            style={{ flex: "none", marginTop: 3 }}
            aria-hidden
          />
          <Title order={2} lineClamp={3} style={{ overflowWrap: "anywhere" }}>
            {step ? `Failed at: ${step.title}` : "The build could not start"}
          </Title>
        </Group>
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          <MessageText text={first} />
          {failure.exit_code ? ` (exit code ${failure.exit_code})` : ""}
        </Text>
        {more.length > 0 && <OutputLines label="Full message" lines={dedent(more)} />}
        {failure.last_lines.length > 0 && (
          <OutputLines label="Last lines of output" lines={failure.last_lines} />
        )}
        {failure.hint && (
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <IconBulb size={18} aria-hidden style={{ flex: "none", marginTop: 2 }} />
            <Text size="sm">
              <b>Next step: </b>
              <MessageText text={failure.hint} />
            </Text>
          </Group>
        )}
        <StepEditor build={build} failure={failure} />
        {step && <ShellCommand task={build.task.id} />}
      </Stack>
    </Card>
  );
}

/** Removes the common indentation. */
function dedent(lines: string[]): string[] {
  const indents = lines.filter((line) => line.trim()).map((line) => line.search(/\S/));
  const common = Math.min(...indents, 80);
  return lines.map((line) => line.slice(common));
}

function OutputLines({ label, lines }: { label: string; lines: string[] }) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {label}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it */}
      <section className={classes.lines} tabIndex={0} aria-label={label}>
        <pre>{plainText(lines.join("\n"))}</pre>
      </section>
    </div>
  );
}

/** Edit one or more steps; earlier steps come from the cache. */
function StepEditor({ build, failure }: DebuggerProps) {
  const editable = build.steps.filter((step) => step.editable);
  const failedStep = failure.step || failure.mend;
  const first = editable.find((candidate) => candidate.name === failedStep) ?? editable[0];
  const [name, setName] = useState(first?.name ?? "");
  const [edits, setEdits] = useState<Record<string, string>>({});
  const resume = useResume(build, edits);
  const step = editable.find((candidate) => candidate.name === name);
  const changed = Object.keys(edits);
  return (
    <Stack gap="xs">
      {step && (
        <>
          <Select
            label="Step to change"
            data={editable.map((step) => ({ value: step.name, label: step.title }))}
            value={name}
            onChange={(next) => setName(next ?? name)}
            allowDeselect={false}
            maw={520}
          />
          <Textarea
            label="Command or content"
            autosize
            minRows={2}
            maxRows={16}
            value={edits[name] ?? step.editable}
            onChange={(event) => setEdits({ ...edits, [name]: event.currentTarget.value })}
            spellCheck={false}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          />
        </>
      )}
      {changed.length > 1 && (
        <List size="xs" c="dimmed">
          {changed.map((stepName) => (
            <List.Item key={stepName}>
              Changed: {editable.find((known) => known.name === stepName)?.title ?? stepName}
            </List.Item>
          ))}
        </List>
      )}
      {resume.error && <ErrorAlert error={resume.error} />}
      <Group gap="sm">
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={resume.isPending}
          onClick={() => resume.mutate()}
        >
          {changed.length ? "Resume with changes" : "Retry"}
        </Button>
        <Anchor
          size="sm"
          underline="always"
          renderRoot={(props) => <Link to="/build" search={{ build: build.task.id }} {...props} />}
        >
          Edit the environment in the Image Builder
        </Anchor>
      </Group>
    </Stack>
  );
}

function useResume(build: Build, edits: Record<string, string>) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const task = build.task.id;
  const [key, setKey] = useState({ edits, value: randomKey() });
  if (key.edits !== edits) setKey({ edits, value: randomKey() });
  return useMutation({
    mutationFn: () => imagesApi.resume(task, edits, key.value),
    onSuccess: ({ build: next, image }) => {
      void queries.invalidateQueries({ queryKey: keys.tasks });
      if (next) {
        queries.setQueryData(keys.build(next.task.id), next);
        void navigate({ to: "/build/$task", params: { task: next.task.id } });
      } else if (image) {
        showSuccess(`${imageName(image)} already exists`);
        void navigate({ to: "/images/$image", params: { image: image.id } });
      }
    },
  });
}

function ShellCommand({ task }: { task: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        Or open a shell in the state just before this step:
      </Text>
      <CopyLine line={`diamond image shell ${task}`} />
    </div>
  );
}
