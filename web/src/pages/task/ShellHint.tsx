import { Text } from "@mantine/core";
import type { Task } from "~/api/client";
import { CopyLine } from "~/components/CopyLine";

/** While a task runs: the command that opens a shell in it. */
export function ShellHint({ task }: { task: Task }) {
  if (task.state !== "running") return null;
  return (
    <>
      <Text size="sm">Open a shell inside the running task, in your terminal:</Text>
      <CopyLine line={`diamond shell ${task.id}`} label="Copy the shell command" />
    </>
  );
}
