import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerTrackNext } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queries";
import { Failed } from "~/components/Answer";
import { sayDone } from "~/components/say";
import { freshKey } from "~/lib/key";
import { askWords } from "./words";

/** Let a chain that asks, or was stopped, go on from its newest checkpoint. */
export function GoOn({ task }: { task: Task }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        variant={task.chain.asks ? "filled" : "default"}
        leftSection={<IconPlayerTrackNext size={16} aria-hidden />}
        onClick={open}
      >
        Let it go on
      </Button>
      <Modal opened={opened} onClose={close} title={`Let ${task.name} go on`}>
        <Terms task={task} close={close} />
      </Modal>
    </>
  );
}

function Terms({ task, close }: { task: Task; close: () => void }) {
  const [attempts, setAttempts] = useState("");
  const [budget, setBudget] = useState("");
  const resume = useResume(task, close);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        resume.mutate({ attempts: Number.parseInt(attempts, 10) || null, budget: budget || null });
      }}
    >
      <Stack>
        <Text size="sm">{askWords(task)}</Text>
        <TextInput
          label="Attempts more"
          description="Left empty: three more, or as many as the budget allows."
          inputMode="numeric"
          value={attempts}
          onChange={(event) => setAttempts(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label="Budget in all"
          placeholder="50 node-hours"
          description="Left empty: as before."
          value={budget}
          onChange={(event) => setBudget(event.currentTarget.value)}
        />
        {resume.error && <Failed error={resume.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Not now
          </Button>
          <Button type="submit" loading={resume.isPending}>
            Go on
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useResume(task: Task, close: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [key] = useState(freshKey);
  return useMutation({
    mutationFn: (body: { attempts: number | null; budget: string | null }) =>
      dataOf(
        api.POST("/api/v1/tasks/{task}/resume", {
          params: { path: { task: task.id }, header: { "Idempotency-Key": key } },
          body,
        }),
      ),
    onSuccess: (now) => {
      queries.setQueryData(keys.task(now.id), now);
      sayDone(`${now.name} goes on`);
      close();
      if (now.id !== task.id) void navigate({ to: "/tasks/$task", params: { task: now.id } });
    },
  });
}
