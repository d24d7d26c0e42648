import { Button, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { MessageText } from "~/components/MessageText";
import { showError, showSuccess } from "~/components/toasts";
import { randomKey } from "~/lib/randomKey";

/** What the service knows about a failure: what happened, what to do, and the change that makes it run. */
export function FailureAdvice({ task }: { task: Task }) {
  const { data } = useQuery({
    queryKey: [...keys.task(task.id), "diagnosis"],
    queryFn: () =>
      dataOf(api.GET("/api/v1/tasks/{task}/diagnosis", { params: { path: { task: task.id } } })),
    retry: false,
  });
  if (!data?.title) return null;
  return (
    <Stack gap="xs" mt="xs" align="flex-start">
      <Text size="sm" fw={600}>
        <MessageText text={data.title} />
      </Text>
      <Text size="sm">
        <MessageText text={data.hint} />
      </Text>
      {data.fix && <FixButton task={task} label={data.fix.label} />}
    </Stack>
  );
}

function FixButton({ task, label }: { task: Task; label: string }) {
  const navigate = useNavigate();
  const [key] = useState(randomKey);
  const fix = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/v1/tasks/{task}/fix", {
          params: { path: { task: task.id }, header: { "Idempotency-Key": key } },
        }),
      ),
    onSuccess: (made) => {
      showSuccess(`Running ${made.name} again as ${made.id.slice(0, 8)}`);
      void navigate({ to: "/tasks/$task", params: { task: made.id } });
    },
    onError: showError,
  });
  return (
    <Button size="xs" loading={fix.isPending} onClick={() => fix.mutate()}>
      {label}
    </Button>
  );
}
