import { Button, CloseButton, Group, List, Modal, Stack, Text, ThemeIcon } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAlertCircle, IconCheck, IconPlayerStop, IconRotate } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas, Task } from "~/api/client";
import { Failed } from "~/components/Answer";
import { count } from "~/lib/format";
import classes from "./Tasks.module.css";
import { cancelAll, retryAll } from "./together";
import type { Picking } from "./usePicking";

type Act = {
  title: (many: string) => string;
  text: string;
  verb: string;
  /** What became of one that was not refused. */
  told: (task: Task) => string;
  color?: string;
  run: (tasks: string[]) => Promise<Schemas["Outcome"][]>;
};

const CANCEL: Act = {
  title: (many) => `Cancel ${many}?`,
  text: "Programs that run are stopped, and what waits leaves the queue. Logs, results and the record stay.",
  verb: "Cancel",
  told: cancelWords,
  color: "red",
  run: cancelAll,
};
const RETRY: Act = {
  title: (many) => `Run ${many} again?`,
  text: "Each becomes a new task with the same code, parameters and resources. The old ones stay as they are.",
  verb: "Retry",
  told: (task) => `runs again as ${task.id.slice(0, 8)}`,
  run: retryAll,
};

/** To cancel what has ended already changes nothing, and is no fault. */
function cancelWords({ state }: Task): string {
  if (state === "cancelled") return "is cancelled";
  if (state === "failed" || state === "succeeded") return `had ended already: ${state}`;
  return "is being cancelled";
}

/** What can be done to the chosen tasks together. */
export function Bulk({ picking, nameOf }: { picking: Picking; nameOf: (id: string) => string }) {
  const [act, setAct] = useState<Act>(CANCEL);
  const [opened, { open, close }] = useDisclosure(false);
  const chosen = [...picking.chosen];
  const done = () => {
    close();
    picking.clear();
  };
  const ask = (next: Act) => {
    setAct(next);
    open();
  };
  return (
    <>
      {chosen.length > 0 && (
        <div role="toolbar" aria-label="Chosen tasks" className={classes.bar}>
          <Text size="sm" fw={550} style={{ whiteSpace: "nowrap" }}>
            {count(chosen.length, "task")} chosen
          </Text>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlayerStop size={14} aria-hidden />}
            onClick={() => ask(CANCEL)}
          >
            Cancel…
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRotate size={14} aria-hidden />}
            onClick={() => ask(RETRY)}
          >
            Retry…
          </Button>
          <CloseButton size="sm" aria-label="Choose none" onClick={picking.clear} />
        </div>
      )}
      <Modal opened={opened} onClose={close} title={act.title(count(chosen.length, "task"))}>
        {opened && (
          <Question act={act} tasks={chosen} nameOf={nameOf} onClose={close} onDone={done} />
        )}
      </Modal>
    </>
  );
}

type QuestionProps = {
  act: Act;
  tasks: string[];
  nameOf: (id: string) => string;
  onClose: () => void;
  onDone: () => void;
};

function Question({ act, tasks, nameOf, onClose, onDone }: QuestionProps) {
  const doing = useMutation({ mutationFn: () => act.run(tasks) });
  if (doing.data) return <Outcomes act={act} items={doing.data} nameOf={nameOf} onClose={onDone} />;
  return (
    <Stack>
      <Text size="sm">{act.text}</Text>
      {doing.error && <Failed error={doing.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Leave them
        </Button>
        <Button
          color={act.color}
          loading={doing.isPending}
          onClick={() => doing.mutate()}
          data-autofocus
        >
          {act.verb} {count(tasks.length, "task")}
        </Button>
      </Group>
    </Stack>
  );
}

type OutcomesProps = {
  act: Act;
  items: Schemas["Outcome"][];
  nameOf: (id: string) => string;
  onClose: () => void;
};

/** What became of each: those that were refused first, in the service's words. */
function Outcomes({ act, items, nameOf, onClose }: OutcomesProps) {
  const refused = items.filter((item) => item.problem);
  const done = items.filter((item) => !item.problem);
  return (
    <Stack>
      <List spacing="xs" size="sm" mah="50vh" style={{ overflow: "auto" }} tabIndex={0}>
        {[...refused, ...done].map((item) => (
          <List.Item key={item.id} icon={<Sign good={!item.problem} />}>
            <Link to="/tasks/$task" params={{ task: item.task?.id ?? item.id }}>
              {nameOf(item.id)}
            </Link>{" "}
            {item.problem
              ? `${item.problem.title} ${item.problem.hint}`
              : item.task && act.told(item.task)}
          </List.Item>
        ))}
      </List>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {done.length} done{refused.length > 0 && `, ${refused.length} refused`}
        </Text>
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

function Sign({ good }: { good: boolean }) {
  const Icon = good ? IconCheck : IconAlertCircle;
  return (
    <ThemeIcon size={20} radius="xl" variant="light" color={good ? "teal" : "red"}>
      <Icon size={13} aria-label={good ? "Done" : "Refused"} />
    </ThemeIcon>
  );
}
