import { Button, CloseButton, Modal, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChartLine, IconPlayerStop, IconRotate } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { count } from "~/lib/format";
import { type BulkAction, BulkDialog, CANCEL, RETRY } from "./BulkDialog";
import type { Choice } from "./bulk";
import classes from "./Tasks.module.css";
import type { TaskSelection } from "./useTaskSelection";

type BulkActionsProps = {
  selection: TaskSelection;
  /** Everything that matches the filters, and how many that is, if known; undefined with other people's tasks. */
  matching: Choice | undefined;
  total: number | undefined;
  nameOf: (id: string) => string;
};

/** Actions on the selected tasks. */
export function BulkActions({ selection, matching, total, nameOf }: BulkActionsProps) {
  // As it was when the dialog opened; the list keeps changing behind it.
  const [request, setRequest] = useState<{ act: BulkAction; choice: Choice }>({
    act: CANCEL,
    choice: { tasks: [] },
  });
  const [opened, { open, close }] = useDisclosure(false);
  const done = () => {
    close();
    selection.clear();
  };
  const all = total === undefined ? "all" : `all ${total.toLocaleString()}`;
  const openDialog = (act: BulkAction) => {
    const all = selection.everything && matching;
    setRequest({ act, choice: all || { tasks: [...selection.chosen] } });
    open();
  };
  return (
    <>
      {selection.chosen.size > 0 && (
        <div role="toolbar" aria-label="Selected tasks" className={classes.bar}>
          <Text size="sm" fw={550} style={{ whiteSpace: "nowrap" }}>
            {selection.everything
              ? `${all.replace("a", "A")} matching`
              : `${count(selection.chosen.size, "task")} selected`}
          </Text>
          {matching && !selection.everything && (total ?? Infinity) > selection.chosen.size && (
            <Button size="compact-xs" variant="subtle" onClick={selection.selectEverything}>
              Select {all} matching
            </Button>
          )}
          {!selection.everything && <Compare tasks={[...selection.chosen]} />}
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlayerStop size={14} aria-hidden />}
            onClick={() => openDialog(CANCEL)}
          >
            Cancel…
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRotate size={14} aria-hidden />}
            onClick={() => openDialog(RETRY)}
          >
            Retry…
          </Button>
          <CloseButton size="sm" aria-label="Clear selection" onClick={selection.clear} />
        </div>
      )}
      <Modal opened={opened} onClose={close} title={request.act.title}>
        {opened && <BulkDialog {...request} nameOf={nameOf} onClose={close} onDone={done} />}
      </Modal>
    </>
  );
}

const MOST_COMPARED = 10;

/** Curves and numbers of the selected tasks side by side. */
function Compare({ tasks }: { tasks: string[] }) {
  const [first, ...others] = tasks;
  if (!first || !others.length) return null;
  const tooMany = tasks.length > MOST_COMPARED;
  return (
    <Button
      size="xs"
      leftSection={<IconChartLine size={14} aria-hidden />}
      disabled={tooMany}
      title={tooMany ? `At most ${MOST_COMPARED} at once` : undefined}
      renderRoot={(props) =>
        tooMany ? (
          <button type="button" {...props} />
        ) : (
          <Link
            to="/tasks/$task"
            params={{ task: first }}
            search={{ tab: "metrics", compare: others.join() }}
            {...props}
          />
        )
      }
    >
      Compare
    </Button>
  );
}
