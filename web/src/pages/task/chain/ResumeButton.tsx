import { Button, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerTrackNext } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { MessageText } from "~/components/MessageText";
import { showSuccess } from "~/components/toasts";
import { randomKey } from "~/lib/randomKey";
import { parseAttempts } from "./attempts";

/** Resumes a chain from its latest checkpoint. */
export function ResumeButton({ task }: { task: Task }) {
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
      {opened && <ResumeDialog task={task} close={close} />}
    </>
  );
}

function ResumeDialog({ task, close }: { task: Task; close: () => void }) {
  const [attempts, setAttempts] = useState("");
  const [budget, setBudget] = useState("");
  const resume = useResume(task, close);
  const parsedAttempts = parseAttempts(attempts);
  const terms = { attempts: parsedAttempts ?? null, budget: budget || null };
  return (
    <FormDialog
      title={`Resume ${task.name}`}
      submitLabel="Resume"
      cancelLabel="Cancel"
      isPending={resume.isPending}
      error={resume.error}
      isReady={parsedAttempts !== undefined}
      onSubmit={() => resume.mutate(terms)}
      onClose={close}
    >
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        <MessageText text={task.chain.words} />
      </Text>
      <TextInput
        label="Additional attempts"
        description="Default: three, or as many as the budget allows."
        error={parsedAttempts === undefined && "Enter a whole number greater than zero, such as 3."}
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
    </FormDialog>
  );
}

function useResume(task: Task, close: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [key] = useState(randomKey);
  return useMutation({
    mutationFn: (body: { attempts: number | null; budget: string | null }) =>
      dataOf(
        api.POST("/api/v1/tasks/{task}/resume", {
          params: { path: { task: task.id }, header: { "Idempotency-Key": key } },
          body,
        }),
      ),
    onSuccess: (resumed) => {
      queries.setQueryData(keys.task(resumed.id), resumed);
      showSuccess(`${resumed.name} resumed`);
      close();
      if (resumed.id !== task.id)
        void navigate({ to: "/tasks/$task", params: { task: resumed.id } });
    },
  });
}
