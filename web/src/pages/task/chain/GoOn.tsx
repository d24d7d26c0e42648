import { Button, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerTrackNext } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queries";
import { Ask } from "~/components/Ask";
import { sayDone } from "~/components/say";
import { Words } from "~/components/Words";
import { freshKey } from "~/lib/key";
import { attemptsOf } from "./words";

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
        Resume
      </Button>
      {opened && <Terms task={task} close={close} />}
    </>
  );
}

function Terms({ task, close }: { task: Task; close: () => void }) {
  const [attempts, setAttempts] = useState("");
  const [budget, setBudget] = useState("");
  const resume = useResume(task, close);
  const wanted = attemptsOf(attempts);
  const terms = { attempts: wanted ?? null, budget: budget || null };
  return (
    <Ask
      title={`Resume ${task.name}`}
      deed="Resume"
      leave="Cancel"
      isPending={resume.isPending}
      error={resume.error}
      isReady={wanted !== undefined}
      onDo={() => resume.mutate(terms)}
      onClose={close}
    >
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        <Words text={task.chain.words} />
      </Text>
      <TextInput
        label="Additional attempts"
        description="Default: three, or as many as the budget allows."
        error={wanted === undefined && "Enter a whole number greater than zero, such as 3."}
        inputMode="numeric"
        value={attempts}
        onChange={(event) => setAttempts(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label={task.chain.asks ? "Total budget" : "New budget"}
        placeholder="50 node-hours"
        description={
          task.chain.asks ? "Default: unchanged." : "Default: what is left of the current budget."
        }
        value={budget}
        onChange={(event) => setBudget(event.currentTarget.value)}
      />
    </Ask>
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
      sayDone(`${now.name} resumed`);
      close();
      if (now.id !== task.id) void navigate({ to: "/tasks/$task", params: { task: now.id } });
    },
  });
}
