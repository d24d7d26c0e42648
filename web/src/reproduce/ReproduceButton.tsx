import { Button, Select, TagsInput, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconRepeat } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { FormDialog } from "~/components/FormDialog";
import { endpointsQuery } from "~/endpoints/queries";

/** Runs a task again with the same code, image, data and parameters. */
export function ReproduceButton({ task }: { task: Task }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconRepeat size={16} aria-hidden />} onClick={open}>
        Reproduce
      </Button>
      {opened && <ReproduceDialog task={task} onClose={close} />}
    </>
  );
}

function ReproduceDialog({ task, onClose }: { task: Task; onClose: () => void }) {
  const navigate = useNavigate();
  const { data } = useQuery(endpointsQuery);
  const [on, setOn] = useState(task.endpoint);
  const [account, setAccount] = useState("");
  const [tolerance, setTolerance] = useState<string[]>([]);
  const isElsewhere = on !== task.endpoint;
  const start = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/v1/tasks/{task}/reproduce", {
          params: { path: { task: task.id } },
          body: { on: isElsewhere ? on : "", account, tolerance, project: "" },
        }),
      ),
    onSuccess: (made) => void navigate({ to: "/tasks/$task", params: { task: made.task } }),
  });
  const names = new Set([task.endpoint, ...(data?.items ?? []).map(({ name }) => name)]);
  return (
    <FormDialog
      title={`Reproduce ${task.name}`}
      submitLabel="Run again"
      isPending={start.isPending}
      error={start.error}
      onSubmit={() => start.mutate()}
      onClose={onClose}
    >
      <Select
        label="Endpoint"
        description="The same code, image, data and parameters are used."
        data={[...names]}
        value={on}
        onChange={(value) => setOn(value ?? task.endpoint)}
        allowDeselect={false}
      />
      {isElsewhere && (
        <TextInput
          label="Account"
          description="The account to charge there. Leave empty to use the account of the first run, or your only one."
          value={account}
          onChange={(event) => setAccount(event.currentTarget.value.trim())}
          mt="sm"
          spellCheck={false}
        />
      )}
      <TagsInput
        label="Tolerance"
        description="How far metrics may differ: 0.01, 1%, or loss=0.01. Leave empty to allow the spread of repeated runs, or no difference if there are none."
        value={tolerance}
        onChange={setTolerance}
        mt="sm"
      />
    </FormDialog>
  );
}
