import { Button, CloseButton, Modal, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerStop, IconRotate } from "@tabler/icons-react";
import { useState } from "react";
import { count } from "~/lib/format";
import { type BulkAction, BulkDialog, CANCEL, RETRY } from "./BulkDialog";
import type { Choice } from "./bulk";
import classes from "./Tasks.module.css";
import type { TaskSelection } from "./useTaskSelection";

type BulkActionsProps = {
  selection: TaskSelection;
  /** Everything that matches the filters, and how many that is, if known. */
  matching: Choice;
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
    setRequest({ act, choice: selection.everything ? matching : { tasks: [...selection.chosen] } });
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
          {!selection.everything && (total ?? Infinity) > selection.chosen.size && (
            <Button size="compact-xs" variant="subtle" onClick={selection.selectEverything}>
              Select {all} matching
            </Button>
          )}
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
