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
import { api, dataOf, type Endpoint } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { endpointsQuery } from "~/endpoints/queries";
import { randomKey } from "~/lib/randomKey";
import { useSavePreferences } from "~/people/preferences";
import { FirstTask } from "./FirstTask";
import classes from "./Guide.module.css";

const FIRST_RECIPE = "digits";
const SMALL_RECIPE = "spiral";

/** From nothing to a first trained model without leaving the page. */
export function Guide({ following }: { following?: string }) {
  const navigate = useNavigate();
  const preferences = useSavePreferences();
  const close = () => {
    preferences.mutate({ guide_done: true });
    void navigate({ to: "/", search: {} });
  };
  return (
    <Card component="section" aria-label="Your first model" padding="lg" className={classes.guide}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Title order={2}>Train your first model</Title>
        <Tooltip label="Close guide">
          <CloseButton aria-label="Close guide" onClick={close} />
        </Tooltip>
      </Group>
      {following ? <FirstTask id={following} onClose={close} /> : <Start />}
    </Card>
  );
}

const STEPS = [
  {
    title: "A job describes what to run",
    text: "A command, its code and its packages. A recipe includes all of them.",
  },
  {
    title: "An endpoint runs it",
    words: "This machine for now, a cluster later, with the same job. Diamond prepares everything.",
  },
  {
    title: "You watch it and keep the results",
    words:
      "Status, log and curves appear here during training. The model stays where it was trained.",
  },
];

/** This machine if it is an endpoint, otherwise the default endpoint. */
function useFirstEndpoint(): Endpoint | undefined {
  const { data } = useQuery(endpointsQuery);
  const known = data?.items ?? [];
  return (
    known.find((endpoint) => endpoint.carrier === "local") ??
    known.find((endpoint) => endpoint.default)
  );
}

function useStart(endpoint: Endpoint | undefined) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (name: string) => {
      const path = { params: { path: { name } } };
      const recipe = await dataOf(api.GET("/api/v1/recipes/{name}", path));
      return dataOf(
        api.POST("/api/v1/jobs", {
          params: { header: { "Idempotency-Key": randomKey() } },
          body: {
            recipe: name,
            spec: { ...recipe.spec, on: endpoint?.name ?? "auto" },
            code: null,
            project: "",
          },
        }),
      );
    },
    onSuccess: ({ tasks }) => void navigate({ to: "/", search: { guide: tasks[0]?.id } }),
  });
}

function Start() {
  const endpoint = useFirstEndpoint();
  const start = useStart(endpoint);
  const where = endpoint?.carrier === "local" ? "this machine" : endpoint?.name;
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        A small network learns to read handwritten digits{where && ` on ${where}`}. This takes about
        a minute; the first time, PyTorch is downloaded too.
      </Text>
      <Steps />
      {start.error && <ErrorAlert error={start.error} />}
      <Group gap="md">
        <Button
          size="md"
          leftSection={<IconPlayerPlay size={18} aria-hidden />}
          loading={start.isPending}
          onClick={() => start.mutate(FIRST_RECIPE)}
        >
          Start training
        </Button>
        <SmallRecipe disabled={start.isPending} onStart={start.mutate} />
      </Group>
    </Stack>
  );
}

function Steps() {
  return (
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
              {step.text}
            </Text>
          </div>
        </li>
      ))}
    </ol>
  );
}

type SmallRecipeProps = { disabled: boolean; onStart: (recipe: string) => void };

/** A quicker example for a slow connection. */
function SmallRecipe({ disabled, onStart }: SmallRecipeProps) {
  const { data } = useQuery({
    queryKey: ["recipes"],
    queryFn: () => dataOf(api.GET("/api/v1/recipes")),
  });
  const small = data?.items.find((recipe) => recipe.name === SMALL_RECIPE);
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
      only needs NumPy.
    </Text>
  );
}
