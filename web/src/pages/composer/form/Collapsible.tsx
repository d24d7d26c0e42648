import { Collapse, Stack, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronRight } from "@tabler/icons-react";
import { type ReactNode, useEffect, useId } from "react";
import { faultAt } from "~/jobs/faults";
import { valueAt } from "~/jobs/spec/draft";
import classes from "../Composer.module.css";
import { useComposer } from "../state/context";

type CollapsibleProps = { title: string; fields: string[]; children: ReactNode };

/** Fields most people do not need; open if one is set or has a fault. */
export function Collapsible({ title, fields, children }: CollapsibleProps) {
  const { draft, faults } = useComposer();
  const isUsed = fields.some((field) => valueAt(draft.work.spec, field) !== undefined);
  const isFaulty = fields.some((field) => faultAt(faults, field));
  const [open, { toggle, open: unfold }] = useDisclosure(isUsed);
  const id = useId();
  useEffect(() => {
    if (isFaulty) unfold();
  }, [isFaulty, unfold]);
  return (
    <div>
      <UnstyledButton
        className={classes.fold}
        onClick={toggle}
        aria-expanded={open}
        aria-controls={id}
      >
        <IconChevronRight size={16} aria-hidden className={classes.chevron} data-open={open} />
        {title}
        {isUsed && !open && (
          <Text span size="xs" c="dimmed">
            (set)
          </Text>
        )}
      </UnstyledButton>
      <Collapse expanded={open} id={id}>
        <Stack gap="md" pt="sm">
          {children}
        </Stack>
      </Collapse>
    </div>
  );
}
