import { Button, CloseButton, Modal, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerStop, IconRotate } from "@tabler/icons-react";
import { useState } from "react";
import { count } from "~/lib/format";
import { type Act, CANCEL, Question, RETRY } from "./Question";
import classes from "./Tasks.module.css";
import type { Choice } from "./together";
import type { Picking } from "./usePicking";

type BulkProps = {
  picking: Picking;
  /** All that the view's filters find, and how many these are, where that is known. */
  matching: Choice;
  total: number | undefined;
  nameOf: (id: string) => string;
};

/** What can be done to the chosen tasks together. */
export function Bulk({ picking, matching, total, nameOf }: BulkProps) {
  // As it was when the dialog opened: the list goes on changing behind it.
  const [asked, setAsked] = useState<{ act: Act; choice: Choice }>({
    act: CANCEL,
    choice: { tasks: [] },
  });
  const [opened, { open, close }] = useDisclosure(false);
  const done = () => {
    close();
    picking.clear();
  };
  const all = total === undefined ? "all" : `all ${total.toLocaleString()}`;
  const ask = (act: Act) => {
    setAsked({ act, choice: picking.everything ? matching : { tasks: [...picking.chosen] } });
    open();
  };
  return (
    <>
      {picking.chosen.size > 0 && (
        <div role="toolbar" aria-label="Selected tasks" className={classes.bar}>
          <Text size="sm" fw={550} style={{ whiteSpace: "nowrap" }}>
            {picking.everything
              ? `${all.replace("a", "A")} matching`
              : `${count(picking.chosen.size, "task")} selected`}
          </Text>
          {!picking.everything && (total ?? Infinity) > picking.chosen.size && (
            <Button size="compact-xs" variant="subtle" onClick={picking.takeEverything}>
              Select {all} matching
            </Button>
          )}
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
          <CloseButton size="sm" aria-label="Clear selection" onClick={picking.clear} />
        </div>
      )}
      <Modal opened={opened} onClose={close} title={asked.act.title}>
        {opened && <Question {...asked} nameOf={nameOf} onClose={close} onDone={done} />}
      </Modal>
    </>
  );
}
