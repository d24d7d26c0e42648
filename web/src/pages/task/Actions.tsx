import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconHammer,
  IconPencil,
  IconPlayerStop,
  IconRotate,
  IconUsersPlus,
} from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { showError, showSuccess } from "~/components/toasts";
import { randomKey } from "~/lib/randomKey";
import { meQuery } from "~/people/me";
import { projectsQuery } from "~/projects/api";
import { ReproduceButton } from "~/reproduce/ReproduceButton";
import { isOver } from "~/tasks/state";
import { canResume } from "./chain/attempts";
import { ResumeButton } from "./chain/ResumeButton";

const ShareTask = lazy(() => import("./ShareTask"));

/** Cancel, resume, retry, share, or edit and resubmit. Other people's tasks can be resubmitted as your own. */
export function Actions({ task }: { task: Task }) {
  const { data: me } = useQuery(meQuery);
  const isOtherPersons = me !== undefined && me.id !== task.owner;
  return (
    <>
      {me?.mode === "shared" && !isOtherPersons && <Share task={task} />}
      {!isOtherPersons && canResume(task) && <ResumeButton task={task} />}
      {isOver(task) ? (
        <>
          {task.kind === "run" && <ReproduceButton task={task} />}
          {!isOtherPersons && <Retry task={task} />}
        </>
      ) : (
        <CancelIfAllowed task={task} me={me?.id} />
      )}
      {task.kind === "build" ? <BuildStepsLink task={task} /> : <EditAndResubmit task={task} />}
    </>
  );
}

function Share({ task }: { task: Task }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconUsersPlus size={16} aria-hidden />}
        onClick={open}
      >
        Share
      </Button>
      {opened && (
        <Suspense>
          <ShareTask task={task} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

/** For the owner, or managers of the task's project. */
function CancelIfAllowed({ task, me }: { task: Task; me?: string }) {
  const isOtherPersons = me !== undefined && me !== task.owner;
  const { data } = useQuery({ ...projectsQuery, enabled: isOtherPersons && Boolean(task.project) });
  const role = data?.items.find((project) => project.id === task.project)?.role;
  if (isOtherPersons && role !== "manager" && role !== "owner") return null;
  return <Cancel task={task} />;
}

function EditAndResubmit({ task }: { task: Task }) {
  return (
    <Button
      variant="default"
      leftSection={<IconPencil size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/compose" search={{ from: task.id }} {...props} />}
    >
      Edit and resubmit
    </Button>
  );
}

/** A build is edited and resumed on its own page. */
function BuildStepsLink({ task }: { task: Task }) {
  return (
    <Button
      leftSection={<IconHammer size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/build/$task" params={{ task: task.id }} {...props} />}
    >
      View build steps
    </Button>
  );
}

function Retry({ task }: { task: Task }) {
  const navigate = useNavigate();
  const [key] = useState(randomKey);
  const retry = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/v1/tasks/{task}/retry", {
          params: { path: { task: task.id }, header: { "Idempotency-Key": key } },
        }),
      ),
    onSuccess: (retried) => {
      showSuccess(`Retrying ${retried.name} as ${retried.id.slice(0, 8)}`);
      void navigate({ to: "/tasks/$task", params: { task: retried.id } });
    },
    onError: showError,
  });
  return (
    <Button
      variant="default"
      leftSection={<IconRotate size={16} aria-hidden />}
      loading={retry.isPending}
      onClick={() => retry.mutate()}
    >
      Retry
    </Button>
  );
}

function Cancel({ task }: { task: Task }) {
  const [opened, { open, close }] = useDisclosure(false);
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () =>
      dataOf(api.POST("/api/v1/tasks/{task}/cancel", { params: { path: { task: task.id } } })),
    onSuccess: (now) => {
      queries.setQueryData(keys.task(task.id), now);
      close();
    },
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerStop size={16} aria-hidden />}
        disabled={task.cancel_requested}
        onClick={open}
      >
        {task.cancel_requested ? "Cancelling" : "Cancel"}
      </Button>
      {opened && (
        <FormDialog
          title={`Cancel ${task.name}?`}
          submitLabel="Cancel task"
          cancelLabel="Keep running"
          danger
          focusSubmit
          isPending={cancel.isPending}
          error={cancel.error}
          onSubmit={() => cancel.mutate()}
          onClose={close}
        >
          <Text size="sm">
            The program is stopped, or removed from the queue. The log, the results so far and the
            history are kept.
          </Text>
        </FormDialog>
      )}
    </>
  );
}
