import { Button } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queries";
import { sayDone, sayFailed } from "~/components/say";
import { freshKey } from "~/lib/key";

/** For a task that could go on and asks: a few attempts more. */
export function GoOn({ task }: { task: Task }) {
  const queries = useQueryClient();
  const [key] = useState(freshKey);
  const resume = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/v1/tasks/{task}/resume", {
          params: { path: { task: task.id }, header: { "Idempotency-Key": key } },
          body: {},
        }),
      ),
    onSuccess: (now) => {
      queries.setQueryData(keys.task(task.id), now);
      sayDone(`${now.name} goes on`);
    },
    onError: sayFailed,
  });
  return (
    <Button
      leftSection={<IconPlayerPlay size={16} aria-hidden />}
      loading={resume.isPending}
      onClick={() => resume.mutate()}
    >
      Let it go on
    </Button>
  );
}
