import { Collapse, List, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronRight } from "@tabler/icons-react";
import { useId } from "react";
import { count } from "~/lib/format";
import classes from "../Composer.module.css";

const SHOWN = 100;

/** What did not travel along, each with the reason that the service gave. */
export function LeftOut({ paths }: { paths: string[] }) {
  const [open, { toggle }] = useDisclosure(false);
  const id = useId();
  if (!paths.length) return null;
  return (
    <div>
      <UnstyledButton
        className={classes.fold}
        onClick={toggle}
        aria-expanded={open}
        aria-controls={id}
      >
        <IconChevronRight size={16} aria-hidden className={classes.chevron} data-open={open} />
        {count(paths.length, "file or folder", "files or folders")} excluded
      </UnstyledButton>
      <Collapse expanded={open} id={id}>
        <List size="xs" ff="monospace" mt={4} withPadding>
          {paths.slice(0, SHOWN).map((path) => (
            <List.Item key={path}>{path}</List.Item>
          ))}
        </List>
        {paths.length > SHOWN && (
          <Text size="xs" c="dimmed">
            and {count(paths.length - SHOWN, "more", "more")}
          </Text>
        )}
      </Collapse>
    </div>
  );
}
