import {
  Button,
  Card,
  CloseButton,
  Group,
  Stack,
  Text,
  ThemeIcon,
  Title,
  Tooltip,
} from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, dataOf } from "~/api/client";
import { useKeepPreferences } from "~/api/me";
import { Failed } from "~/components/Answer";
import { freshKey } from "~/lib/key";
import { FirstTask } from "./FirstTask";
import classes from "./Guide.module.css";

const FIRST = "digits";
const SMALL = "spiral";

/** From nothing to a first trained model, without leaving the page. */
export function Guide({ following }: { following?: string }) {
  const navigate = useNavigate();
  const keep = useKeepPreferences();
  const close = () => {
    keep.mutate({ guide_done: true });
    void navigate({ to: "/", search: {} });
  };
  return (
    <Card component="section" aria-label="Your first model" padding="lg" className={classes.guide}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <div>
          <Title order={2}>Train your first model</Title>
          {!following && (
            <Text size="sm" c="dimmed">
              A small network learns to read handwritten digits, on this machine. It takes about a
              minute; the first time PyTorch must be fetched as well.
            </Text>
          )}
        </div>
        <Tooltip label="Close the guide">
          <CloseButton aria-label="Close the guide" onClick={close} />
        </Tooltip>
      </Group>
      {following ? <FirstTask id={following} onClose={close} /> : <Start />}
    </Card>
  );
}

const STEPS = [
  {
    title: "A job says what to run",
    words: "A command, the code and the packages that it needs. A recipe has all of that ready.",
  },
  {
    title: "An endpoint runs it",
    words:
      "This machine for now; later a cluster, with the same job. Diamond prepares everything there.",
  },
  {
    title: "You watch, and keep the result",
    words: "State, log and curves come here while it trains. The model stays where it was trained.",
  },
];

function Start() {
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: (recipe: string) =>
      dataOf(
        api.POST("/api/v1/jobs", {
          params: { header: { "Idempotency-Key": freshKey() } },
          body: { recipe, spec: null, code: null },
        }),
      ),
    onSuccess: ({ tasks }) => void navigate({ to: "/", search: { guide: tasks[0]?.id } }),
  });
  return (
    <Stack gap="md" mt="md">
      <ol className={classes.steps}>
        {STEPS.map((step, n) => (
          <li key={step.title}>
            <ThemeIcon radius="xl" size={26} variant="light" aria-hidden>
              {n + 1}
            </ThemeIcon>
            <div>
              <Text size="sm" fw={600}>
                {step.title}
              </Text>
              <Text size="sm" c="dimmed">
                {step.words}
              </Text>
            </div>
          </li>
        ))}
      </ol>
      {start.error && <Failed error={start.error} />}
      <Group gap="md">
        <Button
          size="md"
          leftSection={<IconPlayerPlay size={18} aria-hidden />}
          loading={start.isPending}
          onClick={() => start.mutate(FIRST)}
        >
          Train it now
        </Button>
        <Smaller disabled={start.isPending} onStart={start.mutate} />
      </Group>
    </Stack>
  );
}

type SmallerProps = { disabled: boolean; onStart: (recipe: string) => void };

/** The same in seconds, for a slow line. */
function Smaller({ disabled, onStart }: SmallerProps) {
  const { data } = useQuery({
    queryKey: ["recipes"],
    queryFn: () => dataOf(api.GET("/api/v1/recipes")),
  });
  const small = data?.items.find((recipe) => recipe.name === SMALL);
  if (!small) return null;
  return (
    <Text size="sm" c="dimmed" component="div">
      In a hurry?
      <Button
        size="compact-sm"
        variant="subtle"
        disabled={disabled}
        onClick={() => onStart(small.name)}
      >
        {small.title}
      </Button>
      needs NumPy alone.
    </Text>
  );
}
