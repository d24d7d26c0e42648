import { Collapse, List, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronRight } from "@tabler/icons-react";
import { useId } from "react";
import { count } from "~/lib/format";
import classes from "../Composer.module.css";

const MAX_SHOWN = 100;

/** Files that were not uploaded, each with the reason from the service. */
export function ExcludedFiles({ paths }: { paths: string[] }) {
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
          {paths.slice(0, MAX_SHOWN).map((path) => (
            <List.Item key={path}>{path}</List.Item>
          ))}
        </List>
        {paths.length > MAX_SHOWN && (
          <Text size="xs" c="dimmed">
            and {count(paths.length - MAX_SHOWN, "more", "more")}
          </Text>
        )}
      </Collapse>
    </div>
  );
}
