import { Button } from "@mantine/core";
import { IconPlayerStop } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { showError, showSuccess } from "~/components/toasts";
import type { Build } from "~/images/api";

/** Cancels the build mid-step; finished steps are kept. */
export function CancelBuild({ build }: { build: Build }) {
  const { task } = build;
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () =>
      dataOf(api.POST("/api/v1/tasks/{task}/cancel", { params: { path: { task: task.id } } })),
    onSuccess: () => {
      showSuccess("Cancelling the build. Finished steps are kept.");
      void queries.invalidateQueries({ queryKey: keys.build(task.id) });
    },
    onError: showError,
  });
  return (
    <Button
      variant="default"
      leftSection={<IconPlayerStop size={16} aria-hidden />}
      loading={cancel.isPending}
      disabled={task.cancel_requested}
      onClick={() => cancel.mutate()}
    >
      {task.cancel_requested ? "Cancelling" : "Cancel build"}
    </Button>
  );
}
