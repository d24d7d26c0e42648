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
import { projectsQuery } from "~/api/projects";
import { keys, meQuery } from "~/api/queries";
import { Ask } from "~/components/Ask";
import { sayDone, sayFailed } from "~/components/say";
import { freshKey } from "~/lib/key";
import { GoOn } from "./chain/GoOn";
import { canGoOn } from "./chain/words";
import { isOver } from "./words";

const ShareTask = lazy(() => import("./ShareTask"));

/** Cancel while it goes on; run again, as it was or with changes. Somebody else's can be run as one's own. */
export function Actions({ task }: { task: Task }) {
  const { data: me } = useQuery(meQuery);
  const isOthers = me !== undefined && me.id !== task.owner;
  return (
    <>
      {me?.mode === "shared" && !isOthers && <Share task={task} />}
      {!isOthers && canGoOn(task) && <GoOn task={task} />}
      {isOver(task) ? !isOthers && <Retry task={task} /> : <CancelAs task={task} me={me?.id} />}
      {task.kind === "build" ? <BuildSteps task={task} /> : <EditAndResubmit task={task} />}
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

/** By its owner; another's task by whoever manages its project. */
function CancelAs({ task, me }: { task: Task; me?: string }) {
  const isOthers = me !== undefined && me !== task.owner;
  const { data } = useQuery({ ...projectsQuery, enabled: isOthers && Boolean(task.project) });
  const role = data?.items.find((one) => one.id === task.project)?.role;
  if (isOthers && role !== "manager" && role !== "owner") return null;
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

/** A build is edited and resumed step by step, on a page of its own. */
function BuildSteps({ task }: { task: Task }) {
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
  const [key] = useState(freshKey);
  const retry = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/v1/tasks/{task}/retry", {
          params: { path: { task: task.id }, header: { "Idempotency-Key": key } },
        }),
      ),
    onSuccess: (made) => {
      sayDone(`Retrying ${made.name} as ${made.id.slice(0, 8)}`);
      void navigate({ to: "/tasks/$task", params: { task: made.id } });
    },
    onError: sayFailed,
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
        <Ask
          title={`Cancel ${task.name}?`}
          deed="Cancel task"
          leave="Keep running"
          danger
          isJustAWord
          isPending={cancel.isPending}
          error={cancel.error}
          onDo={() => cancel.mutate()}
          onClose={close}
        >
          <Text size="sm">
            The program is stopped, or removed from the queue. The log, the results so far and the
            history are kept.
          </Text>
        </Ask>
      )}
    </>
  );
}
